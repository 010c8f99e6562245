// The pods that wait for a node. The most important comes first, then who has waited longest. A pod that no node would take
// waits until something changes that could help it, at most five minutes; and after every attempt at least a while, longer
// after each:
//
//   added -> active -> taken -> placed
//              ^  ^      | refused
//              |  |      v
//              |  +-- unschedulable --change that could help, or 5 min--+
//              +----- backing off (1 s, doubled, to 10 s) <-------------+
//                     (or until there is nothing else to do, where that is asked for)
//   gated: outside, until its gates are gone and the claims for devices that it names are there

import { exponentialMs } from "../../base/backoff.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { FilterName } from "../filters/filter.ts";
import type { PodInfo } from "../state/pod-info.ts";
import { Heap } from "./heap.ts";
import { type ClusterChange, eventOf, helpedBy } from "./wake-rules.ts";

export interface QueuedPod {
  info: PodInfo;
  /** How often a node was looked for. */
  attempts: number;
  /** When it came. */
  readonly sinceMs: number;
}

/** How many pods are where. */
export interface QueueSizes {
  readonly gated: number;
  readonly active: number;
  readonly backingOff: number;
  readonly unschedulable: number;
  readonly taken: number;
}

interface Entry extends QueuedPod {
  place: keyof QueueSizes | "gone";
  /** The order in which pods became active, for equal priorities. */
  turn: number;
  /** Until then it does not become active. */
  backoffUntilMs: number;
  /** Something went wrong in its last attempt, which no change in the cluster mends. */
  wentWrong: boolean;
  unschedulableSinceMs: number;
  refusedBy: ReadonlySet<FilterName>;
  /** The pod was changed or something helpful happened while it was taken. */
  wokenMeanwhile: boolean;
}

interface QueueParts {
  readonly clock: Clock;
  /** Whether there is something without which no attempt makes sense; asked again when that changes. */
  readonly isGated: (info: PodInfo) => boolean;
  /** Told of every pod that comes into a part of the queue, and why: upstream's words. */
  readonly onIncoming: (queue: "active" | "backoff" | "unschedulable", event: string) => void;
  /** A pod that could not be placed is tried again after so long, whatever happens; five minutes when not given. */
  readonly maxUnschedulableMs?: number | undefined;
  /** From one to ten seconds when not given. */
  readonly backoff?: BackoffOptions | undefined;
  /** Pods that something could have helped are tried before their wait is over when nobody else is there to be tried. */
  readonly triesEarly?: boolean | undefined;
}

interface BackoffOptions {
  readonly firstMs: number;
  readonly maxMs: number;
}

interface Ticket {
  readonly entry: Entry;
  readonly order: number;
  readonly priority: number;
}

/** Upstream's names of what brings pods into the queue. */
const POD_UPDATED = "UnschedulablePodUpdate";
const FAILED = "ScheduleAttemptFailure";
const BACKOFF: BackoffOptions = { firstMs: 1_000, maxMs: 10_000 };
const MAX_UNSCHEDULABLE_MS = 300_000;
const FLUSH_EVERY_MS = 30_000;
/** Of pods that back off, those whose waits end within the same second are taken by their priority. */
const EARLY_WINDOW_MS = 1_000;

export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #isGated: QueueParts["isGated"];
  readonly #onIncoming: QueueParts["onIncoming"];
  readonly #maxUnschedulableMs: number;
  readonly #backoff: BackoffOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #unschedulable = new Set<Entry>();
  /** The same by what refused them: most changes help few. */
  readonly #refusedBy = new Map<FilterName, Set<Entry>>();
  /** Pods that are gated or refused, by the claims for devices ("namespace/name") that they name. */
  readonly #byClaim = new Map<string, Set<Entry>>();
  /** Tickets of entries that have moved on since are passed over. */
  readonly #active = new Heap<Ticket>((one, other) =>
    one.priority === other.priority ? one.order < other.order : one.priority > other.priority,
  );
  readonly #backingOff = new Heap<Ticket>((one, other) => one.order < other.order);
  /** Of those that back off, the ones that may be tried early. */
  readonly #early = new Heap<Ticket>((one, other) => {
    const [window, otherWindow] = [one, other].map(({ order }) => Math.floor(order / EARLY_WINDOW_MS)) as [
      number,
      number,
    ];
    return window === otherWindow ? one.priority > other.priority : window < otherWindow;
  });
  readonly #triesEarly: boolean;
  readonly #flush: Timer;
  #timer: Timer | undefined;
  #timerDueMs = Number.POSITIVE_INFINITY;
  #nextTurn = 0;
  #changes = 0;
  readonly #sizes = { gated: 0, active: 0, backingOff: 0, unschedulable: 0, taken: 0, gone: 0 };
  #waiting: ((pod: QueuedPod | undefined) => void) | undefined;
  #closed = false;

  constructor({ clock, isGated, onIncoming, ...limits }: QueueParts) {
    const { maxUnschedulableMs = MAX_UNSCHEDULABLE_MS, backoff = BACKOFF, triesEarly = false } = limits;
    this.#triesEarly = triesEarly;
    this.#maxUnschedulableMs = maxUnschedulableMs;
    this.#backoff = backoff;
    this.#clock = clock;
    this.#isGated = isGated;
    this.#onIncoming = onIncoming;
    this.#flush = clock.every(FLUSH_EVERY_MS, () => this.#flushOld());
  }

  get sizes(): QueueSizes {
    return this.#sizes;
  }

  /** A new pod, or a newer state of one. A change of what it asks for is a reason to try again. */
  put(info: PodInfo, isWorthATry = true): void {
    const known = this.#entries.get(info.uid);
    if (known === undefined) {
      const entry: Entry = {
        info,
        attempts: 0,
        sinceMs: this.#clock.monotonicMs(),
        place: "gated",
        turn: 0,
        backoffUntilMs: 0,
        wentWrong: false,
        unschedulableSinceMs: 0,
        refusedBy: new Set(),
        wokenMeanwhile: false,
      };
      this.#entries.set(info.uid, entry);
      this.#sizes.gated += 1;
      this.#indexClaims(entry, true);
      if (!this.#isGated(info)) this.#activate(entry, "UnschedulablePodAdd");
      return;
    }
    this.#indexClaims(known, false);
    known.info = info;
    this.#indexClaims(known, true);
    if (known.place === "gated") {
      if (!this.#isGated(info)) this.#activate(known, POD_UPDATED);
    } else if (known.place === "unschedulable" && isWorthATry) {
      this.#wake(known, POD_UPDATED);
    } else if (known.place === "taken" && isWorthATry) {
      known.wokenMeanwhile = true;
    }
  }

  /** A newer state of a pod that is taken, should it come back. */
  refresh(info: PodInfo): void {
    const entry = this.#taken(info.uid);
    if (entry !== undefined) entry.info = info;
  }

  remove(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return;
    this.#move(entry, "gone");
    this.#entries.delete(uid);
  }

  /** The next pod, which stays the taker's until failed(), backOff() or remove(); undefined once closed. */
  take(): Promise<QueuedPod | undefined> {
    const next = this.#next();
    if (next !== undefined || this.#closed) return Promise.resolve(next);
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** No node would take the pod, because of these filters. */
  failed({ info }: QueuedPod, refusedBy: ReadonlySet<FilterName>): void {
    const entry = this.#taken(info.uid);
    if (entry === undefined) return;
    entry.refusedBy = refusedBy;
    entry.wentWrong = false;
    this.#setBackoff(entry);
    this.#move(entry, "unschedulable");
    entry.unschedulableSinceMs = this.#clock.monotonicMs();
    this.#unschedulable.add(entry);
    this.#onIncoming("unschedulable", FAILED);
    for (const filter of refusedBy) {
      const same = this.#refusedBy.get(filter) ?? new Set();
      this.#refusedBy.set(filter, same.add(entry));
    }
    if (entry.wokenMeanwhile) this.#wake(entry, POD_UPDATED);
  }

  /** Something went wrong: it is tried again after a while, whatever happens. */
  backOff({ info }: QueuedPod): void {
    const entry = this.#taken(info.uid);
    if (entry === undefined) return;
    // It was on its way to a node when somebody deleted it, and will get nowhere.
    if (entry.info.isTerminating) {
      this.remove(info.uid);
      return;
    }
    entry.wentWrong = true;
    this.#setBackoff(entry);
    this.#wake(entry, FAILED);
  }

  /** Something has changed: pods that it could help come back. */
  changed(change: ClusterChange, event = eventOf(change)): void {
    this.#changes += 1;
    const helped = helpedBy(change);
    if (helped === "all") for (const entry of this.#unschedulable) this.#wake(entry, event);
    else for (const filter of helped) for (const entry of this.#refusedBy.get(filter) ?? []) this.#wake(entry, event);
  }

  /** How many changes there were: pods that are being decided upon are not woken by them. */
  get changes(): number {
    return this.#changes;
  }

  /** The pods that each filter keeps waiting. */
  *refusals(): Iterable<readonly [FilterName, readonly PodInfo[]]> {
    for (const [filter, entries] of this.#refusedBy) yield [filter, [...entries].map(({ info }) => info)];
  }

  /** A claim for devices ("namespace/name") has changed: pods that name it come back. */
  claimChanged(key: string, event: string): void {
    this.#changes += 1;
    for (const entry of this.#byClaim.get(key) ?? []) {
      if (entry.place === "unschedulable" && entry.refusedBy.has("DynamicResources")) this.#wake(entry, event);
      else if (entry.place === "gated" && !this.#isGated(entry.info)) this.#activate(entry, event);
    }
  }

  /** Something that the pod waits for has not happened: it tries again after its wait. */
  retry(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry?.place === "unschedulable") this.#wake(entry, "ForceActivate");
  }

  close(): void {
    this.#closed = true;
    this.#flush.cancel();
    this.#timer?.cancel();
    this.#waiting?.(undefined);
    this.#waiting = undefined;
  }

  #taken(uid: string): Entry | undefined {
    const entry = this.#entries.get(uid);
    return entry?.place === "taken" ? entry : undefined;
  }

  #setBackoff(entry: Entry): void {
    entry.backoffUntilMs = this.#clock.monotonicMs() + exponentialMs(this.#backoff, Math.max(0, entry.attempts - 1));
  }

  /** To the active ones, when it has waited long enough. */
  #wake(entry: Entry, event: string): void {
    if (entry.backoffUntilMs <= this.#clock.monotonicMs()) {
      this.#activate(entry, event);
      return;
    }
    this.#onIncoming("backoff", event);
    this.#move(entry, "backingOff");
    entry.turn = entry.backoffUntilMs;
    const ticket = { entry, order: entry.turn, priority: entry.info.priority };
    this.#backingOff.push(ticket);
    this.#setTimer();
    if (!this.#triesEarly || entry.wentWrong) return;
    this.#early.push(ticket);
    this.#serve();
  }

  #activate(entry: Entry, event: string): void {
    this.#onIncoming("active", event);
    this.#move(entry, "active");
    entry.turn = this.#nextTurn++;
    entry.wokenMeanwhile = false;
    this.#active.push({ entry, order: entry.turn, priority: entry.info.priority });
    this.#serve();
  }

  /** Somebody may be waiting for a pod. */
  #serve(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    waiting(this.#next());
  }

  #move(entry: Entry, place: Entry["place"]): void {
    if (entry.place === "unschedulable") {
      this.#unschedulable.delete(entry);
      for (const filter of entry.refusedBy) this.#refusedBy.get(filter)?.delete(entry);
    }
    this.#indexClaims(entry, false);
    this.#sizes[entry.place] -= 1;
    this.#sizes[place] += 1;
    entry.place = place;
    this.#indexClaims(entry, true);
  }

  #indexClaims(entry: Entry, isAdded: boolean): void {
    const { deviceClaims, namespace } = entry.info;
    if (deviceClaims.length === 0 || (entry.place !== "gated" && entry.place !== "unschedulable")) return;
    for (const { name } of deviceClaims) {
      const key = `${namespace}/${name}`;
      const entries = this.#byClaim.get(key) ?? new Set();
      if (isAdded) this.#byClaim.set(key, entries.add(entry));
      else if (entries.delete(entry) && entries.size === 0) this.#byClaim.delete(key);
    }
  }

  #next(): QueuedPod | undefined {
    if (this.#closed) return undefined;
    let entry = takeFrom(this.#active, "active");
    if (entry === undefined) {
      entry = takeFrom(this.#early, "backingOff");
      if (entry !== undefined) this.#onIncoming("active", "PopFromBackoffQ");
    }
    if (entry === undefined) return undefined;
    this.#move(entry, "taken");
    entry.wokenMeanwhile = false;
    entry.attempts += 1;
    return entry;
  }

  #setTimer(): void {
    this.#dropStale();
    const dueMs = this.#backingOff.peek()?.order;
    if (dueMs === undefined || dueMs >= this.#timerDueMs || this.#closed) return;
    this.#timer?.cancel();
    this.#timerDueMs = dueMs;
    this.#timer = this.#clock.setTimer(Math.max(0, dueMs - this.#clock.monotonicMs()), () => {
      this.#timerDueMs = Number.POSITIVE_INFINITY;
      this.#endBackoffs();
      this.#setTimer();
    });
  }

  #endBackoffs(): void {
    const nowMs = this.#clock.monotonicMs();
    for (;;) {
      this.#dropStale();
      const first = this.#backingOff.peek();
      if (first === undefined || first.order > nowMs) return;
      this.#backingOff.pop();
      this.#activate(first.entry, "BackoffComplete");
    }
  }

  #dropStale(): void {
    for (let first = this.#backingOff.peek(); first !== undefined; first = this.#backingOff.peek()) {
      if (first.entry.place === "backingOff" && first.entry.turn === first.order) return;
      this.#backingOff.pop();
    }
  }

  #flushOld(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const entry of this.#unschedulable)
      if (nowMs - entry.unschedulableSinceMs >= this.#maxUnschedulableMs) this.#wake(entry, "UnschedulableTimeout");
  }
}

/** The first whose ticket is good: entries that have moved on since are passed over. */
function takeFrom(heap: Heap<Ticket>, place: Entry["place"]): Entry | undefined {
  for (let ticket = heap.pop(); ticket !== undefined; ticket = heap.pop())
    if (ticket.entry.place === place && ticket.entry.turn === ticket.order) return ticket.entry;
  return undefined;
}
