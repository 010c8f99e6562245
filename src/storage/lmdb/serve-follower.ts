// The owner's side of a follower: does its writes, and says how far the store has come.

import type { Duplex } from "node:stream";
import { afterThisTurn } from "../../base/next-turn.ts";
import { BY_PEER, type Revision } from "../engine.ts";
import type { LmdbEngine } from "./engine.ts";
import {
  encodeFrame,
  type FollowerRequest,
  FrameReader,
  type OwnerNotice,
  problemOf,
  type RequestResult,
} from "./follower-messages.ts";

/** Serves until the stream ends. */
export function serveFollower(engine: LmdbEngine, stream: Duplex): void {
  const gone = new AbortController();
  const outbox = new Outbox(stream, engine.currentRevision());
  const reader = new FrameReader<FollowerRequest>((request, value) => {
    perform(engine, request, value).then(
      (revision) => outbox.answer({ id: request.id, revision }),
      (error: unknown) => outbox.answer({ id: request.id, error: problemOf(error) }, engine.failure),
    );
  });
  stream.on("data", (chunk: Buffer) => reader.push(chunk));
  // A follower that dies takes its line along.
  stream.on("error", () => gone.abort());
  stream.on("close", () => gone.abort());
  engine
    .watch("", engine.currentRevision(), { change: ({ revision }) => outbox.published(revision) }, gone.signal)
    .catch((error: unknown) => outbox.fail(error));
}

async function perform(engine: LmdbEngine, request: FollowerRequest, bytes: Buffer): Promise<Revision> {
  if (request.type === "compact") {
    await engine.compact(request.revision);
    return request.revision;
  }
  const { key, expected, isDelete, ttlSeconds, guard } = request;
  const options = { attachment: BY_PEER, guard, ...(ttlSeconds === undefined ? {} : { ttlSeconds }) };
  if (isDelete === true) return engine.delete(key, expected!, options);
  return expected === undefined ? engine.create(key, bytes, options) : engine.update(key, bytes, expected, options);
}

/** One notice for all that happens in one turn: the changes of a commit and the answers to its writers travel together. */
class Outbox {
  readonly #stream: Duplex;
  #revision: Revision;
  #results: RequestResult[] = [];
  #failure: OwnerNotice["failure"];
  #scheduled = false;

  constructor(stream: Duplex, revision: Revision) {
    this.#stream = stream;
    this.#revision = revision;
    this.#schedule();
  }

  published(revision: Revision): void {
    this.#revision = revision;
    this.#schedule();
  }

  answer(result: RequestResult, failure?: unknown): void {
    this.#results.push(result);
    if (failure !== undefined) this.#failure = problemOf(failure);
    this.#schedule();
  }

  fail(error: unknown): void {
    this.#failure = problemOf(error);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    afterThisTurn(() => this.#send());
  }

  #send(): void {
    this.#scheduled = false;
    if (this.#stream.destroyed) return;
    if (this.#stream.writableNeedDrain) {
      // A follower that does not read is told once it does: notices for it must not fill the memory of the owner.
      this.#scheduled = true;
      this.#stream.once("drain", () => this.#send());
      return;
    }
    const results = this.#results;
    this.#results = [];
    const failure = this.#failure;
    this.#stream.write(
      encodeFrame({ revision: this.#revision, results, ...(failure === undefined ? {} : { failure }) }),
    );
  }
}
