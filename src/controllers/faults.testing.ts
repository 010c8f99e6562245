// A server that fails now and then, as seen by controllers: answers that never come, conflicts, streams that have to begin anew.

import { type ApiRequest, type ApiResponse, type Transport, TransportError } from "../client/transport.ts";

interface FaultOptions {
  /** Between 0 and 1: how many requests fail. */
  readonly share: number;
  /** Between 0 and 1; the same seed gives the same faults for the same requests. */
  readonly random: () => number;
  /** How many watches end with 410; 10 when not given. */
  readonly cuts?: number;
}

/** Pieces of a watch after which it may end with 410. */
const PIECES = 5;

/** Discovery always answers: what it says is waited for before a clock in hand moves. */
export function faultyTransport(inner: Transport, { share, random, cuts = 10 }: FaultOptions): Transport {
  let cutsLeft = cuts;
  const request = async (sent: ApiRequest): Promise<ApiResponse> => {
    if (sent.path === "/api" || sent.path === "/apis") return inner.request(sent);
    if (/[?&]watch=/.test(sent.path)) {
      const answer = await inner.request(sent);
      if (cutsLeft === 0) return answer;
      cutsLeft -= 1;
      return cutWatch(answer, random);
    }
    if (random() >= share) return inner.request(sent);
    const choice = random();
    if (choice < 0.25) throw new TransportError("lost", "the connection broke before the request was sent");
    if (choice < 0.5) return failure(500, "InternalError");
    if (sent.method === "GET" || choice < 0.75) return failure(503, "ServiceUnavailable");
    if (choice < 0.9) return failure(409, "Conflict");
    // Done, but nobody hears of it.
    await (await inner.request(sent)).bytes();
    throw new TransportError("lost", "the connection broke before the answer came");
  };
  return {
    request,
    connect: (sent) => inner.connect(sent),
    close: () => inner.close(),
  };
}

/** A generator of numbers between 0 and 1 from a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const statusBody = (code: number, reason: string) => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "a fault",
  reason,
  code,
});

function failure(code: number, reason: string): ApiResponse {
  const body = Buffer.from(JSON.stringify(statusBody(code, reason)));
  return {
    status: code,
    headers: new Map([["content-type", "application/json"]]),
    warnings: [],
    bytes: async () => body,
    async *stream() {
      yield body;
    },
  };
}

function cutWatch(answer: ApiResponse, random: () => number): ApiResponse {
  const gone = Buffer.from(`${JSON.stringify({ type: "ERROR", object: statusBody(410, "Expired") })}\n`);
  return {
    ...answer,
    async *stream() {
      let left = PIECES + Math.floor(random() * PIECES);
      for await (const piece of answer.stream()) {
        yield piece;
        left -= 1;
        // Only between events: a piece may end in the middle of one.
        if (left <= 0 && piece.at(-1) === 0x0a) {
          yield gone;
          return;
        }
      }
    },
  };
}
