// Faults on demand: the answers that a server gives, or does not give, on a bad day.

import { setMaxListeners } from "node:events";
import type { Response, StreamBody } from "../http/message.ts";
import { isStreamBody } from "../http/message.ts";
import { StatusError } from "../meta/status-error.ts";
import { SeededRandom } from "./seeded-random.ts";
import type { SeenRequest } from "./seen-request.ts";

export type Fault =
  /** The server refuses: 409, 410, 429, 500, ... */
  | {
      readonly type: "status";
      readonly code: number;
      readonly reason?: string | undefined;
      readonly message?: string | undefined;
    }
  /** The answer comes later. */
  | { readonly type: "latency"; readonly ms: number }
  /** The server does what it is asked for, and nobody hears of it. */
  | { readonly type: "lost-answer" }
  /** The connection of a watch is cut after so many pieces. */
  | { readonly type: "cut-watch"; readonly afterPieces: number }
  /** A watch falls silent after so many pieces, and stays open. */
  | { readonly type: "stalled-watch"; readonly afterPieces: number };

export interface FaultRule {
  readonly fault: Fault;
  /** All that are not given match everything. */
  readonly verb?: string | undefined;
  readonly resource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly userAgent?: RegExp | undefined;
  /** How often it happens; once when not given. */
  readonly times?: number | undefined;
}

export interface ChaosOptions {
  /** The same seed and the same requests give the same faults; the control plane's own, which is printed, when not given. */
  readonly seed?: number | undefined;
  /** Between 0 and 1: how many of the requests fail. */
  readonly probability: number;
  /** What may happen; refusals that clients must survive when not given. */
  readonly faults?: readonly Fault[] | undefined;
}

/** Lost answers are not among them: not every client can know what became of its request. */
const USUAL: readonly Fault[] = [
  { type: "status", code: 409, reason: "Conflict" },
  { type: "status", code: 429, reason: "TooManyRequests" },
  { type: "status", code: 500, reason: "InternalError" },
  { type: "status", code: 503, reason: "ServiceUnavailable" },
];

export class Faults {
  #rules: { readonly rule: FaultRule; left: number }[] = [];
  #chaos: (ChaosOptions & { readonly seed: number }) | undefined;
  /** How often each request was seen since chaos began. */
  readonly #seen = new Map<string, number>();
  readonly #usualSeed: () => number;
  #over = newSignal();

  /** The seed is that of chaos which names none. */
  constructor(usualSeed: () => number) {
    this.#usualSeed = usualSeed;
  }

  /** Returns what takes it back. */
  inject(rule: FaultRule): () => void {
    const entry = { rule, left: rule.times ?? 1 };
    this.#rules.push(entry);
    return () => {
      this.#rules = this.#rules.filter((each) => each !== entry);
    };
  }

  /** Some requests fail, by chance that can be repeated. */
  chaos(options: ChaosOptions): void {
    const { seed = this.#usualSeed() } = options;
    if (options.seed === undefined)
      process.stderr.write(`plinth: faults by chance, PLINTH_SEED=${seed} repeats them\n`);
    this.#seen.clear();
    this.#chaos = { ...options, seed };
  }

  /** What comes late comes now. */
  clear(): void {
    this.#rules = [];
    this.#chaos = undefined;
    this.#over.abort();
    this.#over = newSignal();
  }

  /** Aborted when those there are now are cleared. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** The fault of this request, which is used up by it. */
  take(request: SeenRequest): Fault | undefined {
    const entry = this.#rules.find(({ rule, left }) => left > 0 && matches(rule, request));
    if (entry !== undefined) {
      entry.left -= 1;
      return entry.rule.fault;
    }
    if (this.#chaos === undefined || request.resource === "") return undefined;
    const { seed, probability, faults = USUAL } = this.#chaos;
    // By what it is and how often it came, not by when: who else asks meanwhile differs from run to run.
    const { userAgent, verb, resource, namespace } = request;
    // Names of events carry the time.
    const name = resource === "events" ? "" : request.name;
    const words = `${userAgent} ${verb} ${resource} ${namespace}/${name}`;
    const times = (this.#seen.get(words) ?? 0) + 1;
    this.#seen.set(words, times);
    const random = new SeededRandom(hashOf(`${seed} ${times} ${words}`));
    return random.next() < probability ? faults[random.below(faults.length)] : undefined;
  }
}

/** Every late answer listens to it. */
function newSignal(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

function matches(rule: FaultRule, request: SeenRequest): boolean {
  const { verb, resource, namespace, name, userAgent } = rule;
  return (
    (verb === undefined || verb === request.verb) &&
    (resource === undefined || resource === request.resource) &&
    (namespace === undefined || namespace === request.namespace) &&
    (name === undefined || name === request.name) &&
    (userAgent === undefined || userAgent.test(request.userAgent))
  );
}

const REASONS: Readonly<Record<number, string>> = {
  404: "NotFound",
  409: "Conflict",
  410: "Expired",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

export function statusAnswer({ code, reason, message }: Fault & { type: "status" }): Response {
  const text = message ?? `injected fault: ${code}`;
  const details = code === 429 ? { retryAfterSeconds: 1 } : {};
  const status = new StatusError(code, (reason ?? REASONS[code] ?? "Unknown") as never, text, details);
  return {
    status: code,
    headers: { "content-type": "application/json", ...(code === 429 ? { "retry-after": "1" } : {}) },
    body: Buffer.from(JSON.stringify(status.toBody())),
  };
}

/** The answer with a stream that ends, or falls silent, too early. */
export function brokenStream(response: Response, fault: Fault & { type: "cut-watch" | "stalled-watch" }): Response {
  const { body } = response;
  if (body === undefined || !isStreamBody(body)) return response;
  const broken: StreamBody = {
    async stream(writer) {
      const cut = new AbortController();
      let pieces = 0;
      await body.stream({
        ...writer,
        get queuedBytes() {
          return writer.queuedBytes;
        },
        get chunkBytes() {
          return writer.chunkBytes;
        },
        signal: AbortSignal.any([writer.signal, cut.signal]),
        drained: () => writer.drained(),
        // As with a real connection, who writes is not told by an error: the signal says that the reader has gone.
        write(chunk) {
          pieces += 1;
          if (pieces <= fault.afterPieces) return writer.write(chunk);
          if (fault.type === "cut-watch") cut.abort();
          return true;
        },
      });
      if (cut.signal.aborted) throw new Error("injected fault: the connection is cut");
    },
  };
  return { ...response, body: broken };
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
