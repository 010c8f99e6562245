// The body of an answer that nobody receives: its client has gone, has been answered otherwise, or wants the head alone. Those
// who make it, count it and record it do what they do at its end all the same; an audit log must not lack a write because its
// client did not wait.

import { type BodyWriter, isStreamBody, type Response } from "./message.ts";

const CHUNK_BYTES = 16 * 1024;

/** Fails with what the body fails with. */
export function dropBody({ body }: Response): void | Promise<void> {
  if (body !== undefined && isStreamBody(body)) return body.stream(nobody());
}

/** The writer of a client that has gone before the first byte. One for each: who listens to its signal is not told to stop. */
function nobody(): BodyWriter {
  return {
    write: () => false,
    drained: () => Promise.resolve(),
    queuedBytes: 0,
    chunkBytes: CHUNK_BYTES,
    signal: AbortSignal.abort(),
  };
}
