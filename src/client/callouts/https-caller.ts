// Calls other servers over TLS, or without it where the target says so: one whole answer in a bounded time and of a bounded
// size, over kept connections. Redirects are never followed, proxies never used. What every call-out goes through: reviews,
// webhooks, keys of issuers, checks of servers behind, extenders of the scheduler.

import { Agent, type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from "node:http";
import { request } from "node:https";
import { refuseNoAnswer } from "../../http/refuse-no-answer.ts";
import { callErrorText } from "../call-error.ts";
import type { HttpsTarget } from "../tls-target.ts";
import { type Egress, EgressHttpAgent } from "./egress.ts";
import { type HeldConnections, HttpsPool, type HttpsPoolLimits } from "./https-pool.ts";

interface HttpsCall {
  readonly method: "GET" | "POST";
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
  readonly signal?: AbortSignal;
}

export interface HttpsAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface HttpsCallerLimits extends HttpsPoolLimits {
  /** Calls under way at once; more are refused. */
  readonly maxCalls: number;
}

/** There was no whole answer in time. */
export class CallTimedOut extends Error {
  constructor(timeoutMs: number, cause: unknown) {
    super(`no answer within ${timeoutMs} ms`, { cause });
  }
}

export class TooManyCalls extends Error {}

/** The connection ended before the whole answer was there: whether the server has done what it was asked is not known. */
export class ConnectionLost extends Error {}

export class HttpsCaller {
  readonly #limits: HttpsCallerLimits;
  readonly #pool: HttpsPool;
  /** Of targets without TLS, by the way there; made for the first one. */
  readonly #plain = new Map<Egress | undefined, Agent>();
  #calls = 0;

  constructor(limits: HttpsCallerLimits) {
    this.#limits = limits;
    this.#pool = new HttpsPool(limits);
  }

  /**
   * Any status is an answer. Fails with CallTimedOut, TooManyCalls, ConnectionLost, or what went wrong on the way, in upstream's words.
   * A call may reach the server twice when a kept connection turns out to be closed.
   */
  async call(target: HttpsTarget, call: HttpsCall): Promise<HttpsAnswer> {
    if (this.#calls >= this.#limits.maxCalls) throw new TooManyCalls("too many calls are under way");
    this.#calls += 1;
    const deadline = AbortSignal.timeout(call.timeoutMs);
    const signal = call.signal === undefined ? deadline : AbortSignal.any([call.signal, deadline]);
    let held: HeldConnections<Agent> | undefined;
    try {
      held = target.isPlain === true ? this.#holdPlain(target.egress) : await this.#pool.hold(target);
      for (let attempt = 0; ; attempt += 1) {
        const outcome = await once(target, { ...call, signal, agent: held.agent });
        if ("answer" in outcome) return outcome.answer;
        if (deadline.aborted) throw new CallTimedOut(call.timeoutMs, outcome.error);
        if (!outcome.stale || attempt >= MAX_STALE_ATTEMPTS) throw failure(outcome.error);
      }
    } finally {
      held?.release();
      this.#calls -= 1;
    }
  }

  close(): void {
    this.#pool.close();
    for (const agent of this.#plain.values()) agent.destroy();
  }

  #holdPlain(egress: Egress | undefined): HeldConnections<Agent> {
    let agent = this.#plain.get(egress);
    if (agent === undefined) {
      const options = { keepAlive: true, maxSockets: this.#limits.maxSocketsPerTarget };
      agent = egress === undefined ? new Agent(options) : new EgressHttpAgent(egress, options);
      this.#plain.set(egress, agent);
    }
    return { agent, release: () => undefined };
  }
}

function failure(error: NodeJS.ErrnoException): Error {
  const text = callErrorText(error);
  return isLoss(error) ? new ConnectionLost(text, { cause: error }) : new Error(text, { cause: error });
}

const isLoss = ({ code }: NodeJS.ErrnoException): boolean => code === "ECONNRESET" || code === "EPIPE";

/** Each attempt may meet another kept connection that the server has closed meanwhile. */
const MAX_STALE_ATTEMPTS = 3;

type Outcome =
  | { readonly answer: HttpsAnswer }
  | {
      readonly error: Error;
      /** The connection had been kept, and was closed before a word of the answer came. */
      readonly stale: boolean;
    };

function once(
  { host, port, isPlain }: HttpsTarget,
  { method, path, headers, body, agent, signal, maxAnswerBytes }: HttpsCall & { readonly agent: Agent },
): Promise<Outcome> {
  return new Promise((resolve) => {
    const ask = isPlain === true ? plainRequest : request;
    const sent = ask(
      {
        method,
        host,
        port,
        path,
        agent,
        ...(signal === undefined ? {} : { signal }),
        headers: {
          "user-agent": "plinth",
          ...headers,
          ...(body === undefined ? {} : { "content-length": String(body.length) }),
        },
      },
      (answer) => {
        readWhole(answer, maxAnswerBytes).then(
          (bytes) => resolve({ answer: { status: answer.statusCode ?? 0, headers: answer.headers, body: bytes } }),
          (error: Error) => resolve({ error, stale: false }),
        );
      },
    );
    refuseNoAnswer(sent, (error) => resolve({ error, stale: false }));
    sent.on("error", (error: NodeJS.ErrnoException) => resolve({ error, stale: sent.reusedSocket && isLoss(error) }));
    sent.end(body);
  });
}

function readWhole(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    answer.on("data", (piece: Buffer) => {
      size += piece.length;
      pieces.push(piece);
      if (size > maxBytes) answer.destroy(new Error(`the answer is larger than ${maxBytes} bytes`));
    });
    answer.on("error", reject);
    answer.on("end", () => resolve(Buffer.concat(pieces)));
    answer.on("close", () => reject(new Error("the connection ended before the answer did")));
  });
}
