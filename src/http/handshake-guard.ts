// Who may still be asked for a client certificate: checking what one address sends must not take all our time.

import type { Socket } from "node:net";
import { BoundedCache } from "../base/bounded-cache.ts";
import type { Clock } from "../base/clock.ts";

/** A handshake with a certificate or two stays below: it costs little, whatever comes of it. */
const FREE_BYTES = 6 * 1024;
/** What an address may send in longer handshakes that prove nothing, until it is no longer asked. */
const MAX_WASTED_BYTES = 24 * 1024;
/** How long that is remembered. */
const MEMORY_MS = 60_000;
const MAX_ADDRESSES = 10_000;

export class HandshakeGuard {
  readonly #wasted: BoundedCache<string, number>;
  /** Handshakes that are not over, by address: one that never ends counts too. */
  readonly #underway = new Map<string, Set<Socket>>();
  readonly #addressOf = new WeakMap<Socket, string>();

  constructor(clock: Pick<Clock, "nowMs" | "monotonicMs">) {
    this.#wasted = new BoundedCache({ maxEntries: MAX_ADDRESSES, ttlMs: MEMORY_MS, clock });
  }

  /** Whether this one is to be asked for a certificate. */
  begin(socket: Socket): boolean {
    const address = networkOf(socket.remoteAddress ?? "");
    const others = this.#underway.get(address) ?? new Set();
    let bytes = this.#wasted.get(address) ?? 0;
    for (const other of others) {
      if (bytes > MAX_WASTED_BYTES) break;
      bytes += costOf(other);
    }
    this.#addressOf.set(socket, address);
    this.#underway.set(address, others.add(socket));
    return bytes <= MAX_WASTED_BYTES;
  }

  /** May be called again: only the first time counts. In vain: what it sent had to be checked, and proved nothing. */
  end(socket: Socket, wasInVain: boolean): void {
    const address = this.#addressOf.get(socket);
    const underway = address === undefined ? undefined : this.#underway.get(address);
    if (address === undefined || underway?.delete(socket) !== true) return;
    if (underway.size === 0) this.#underway.delete(address);
    const bytes = wasInVain ? costOf(socket) : 0;
    if (bytes > 0) this.#wasted.set(address, (this.#wasted.get(address) ?? 0) + bytes);
  }
}

const costOf = ({ bytesRead }: Socket): number => (bytesRead > FREE_BYTES ? bytesRead : 0);

/** Whoever has an IPv6 address usually has a whole network of them. */
function networkOf(address: string): string {
  if (!address.includes(":") || address.startsWith("::ffff:")) return address;
  const [head = ""] = address.split("::");
  const groups = head.split(":");
  return Array.from({ length: 4 }, (_, i) => groups[i] || "0").join(":");
}
