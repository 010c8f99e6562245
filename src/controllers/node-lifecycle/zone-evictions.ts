// Nodes that wait to be tainted, zone by zone, each zone at its own rate.

interface Zone {
  readonly waiting: Set<string>;
  ratePerSecond: number;
  /** At most one: nodes do not save up. */
  tokens: number;
  filledMs: number;
}

/** What a whole token is, after sums of parts. */
const ONE = 1 - 1e-9;

/** Times are those of a clock that never jumps. */
export class ZoneEvictions {
  readonly #zones = new Map<string, Zone>();
  readonly #zoneOf = new Map<string, string>();

  /** Zones that are not named any more, and nobody waits in, are forgotten. */
  setRates(rates: ReadonlyMap<string, number>, nowMs: number): void {
    for (const [name, ratePerSecond] of rates) {
      const zone = this.#zone(name, nowMs);
      refill(zone, nowMs);
      zone.ratePerSecond = ratePerSecond;
    }
    for (const [name, zone] of this.#zones) if (!rates.has(name) && zone.waiting.size === 0) this.#zones.delete(name);
  }

  add(node: string, zone: string, nowMs: number): void {
    if (this.#zoneOf.get(node) === zone) return;
    this.remove(node);
    this.#zone(zone, nowMs).waiting.add(node);
    this.#zoneOf.set(node, zone);
  }

  remove(node: string): void {
    const zone = this.#zoneOf.get(node);
    if (zone === undefined) return;
    this.#zones.get(zone)?.waiting.delete(node);
    this.#zoneOf.delete(node);
  }

  /** The nodes whose turn it is; they wait no longer. */
  take(nowMs: number): string[] {
    const due: string[] = [];
    for (const zone of this.#zones.values()) {
      if (zone.ratePerSecond <= 0) continue;
      refill(zone, nowMs);
      for (const node of zone.waiting) {
        if (zone.tokens < ONE) break;
        zone.tokens -= 1;
        due.push(node);
      }
    }
    for (const node of due) this.remove(node);
    return due;
  }

  /** Milliseconds until it is somebody's turn; undefined when nobody waits who will have one. */
  nextMs(nowMs: number): number | undefined {
    let next: number | undefined;
    for (const zone of this.#zones.values()) {
      if (zone.waiting.size === 0 || zone.ratePerSecond <= 0) continue;
      refill(zone, nowMs);
      const waitMs = Math.max(0, ((1 - zone.tokens) / zone.ratePerSecond) * 1_000);
      if (next === undefined || waitMs < next) next = waitMs;
    }
    return next === undefined ? undefined : Math.ceil(next);
  }

  #zone(name: string, nowMs: number): Zone {
    const known = this.#zones.get(name);
    if (known !== undefined) return known;
    const zone: Zone = { waiting: new Set(), ratePerSecond: 0, tokens: 1, filledMs: nowMs };
    this.#zones.set(name, zone);
    return zone;
  }
}

function refill(zone: Zone, nowMs: number): void {
  zone.tokens = Math.min(1, zone.tokens + ((nowMs - zone.filledMs) / 1_000) * zone.ratePerSecond);
  zone.filledMs = nowMs;
}
