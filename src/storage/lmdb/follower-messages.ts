// What a follower and the owner of a store say to each other over a stream: frames of a JSON head and, for writes, a value.
//
//   follower: {"id":7,"type":"write","key":"/registry/...","expected":41} + value      owner: {"revision":42,"results":[{"id":7,"revision":42}]}
//
// What has changed is not sent: a follower reads it from the tables that both have mapped.

import type { Revision } from "../engine.ts";
import { StorageError, type StorageErrorCode } from "../storage-error.ts";

export type FollowerRequest =
  | {
      readonly id: number;
      readonly type: "write";
      readonly key: string;
      /** The revision that the key must have; without one it must not exist. */
      readonly expected?: Revision;
      readonly ttlSeconds?: number;
      /** A key that must be there. */
      readonly guard?: string;
      readonly isDelete?: true;
    }
  | { readonly id: number; readonly type: "compact"; readonly revision: Revision };

export interface OwnerNotice {
  /** Every change up to here is durable and may be shown. */
  readonly revision: Revision;
  /** Answers to this follower's requests, to be given once that revision is shown. */
  readonly results: readonly RequestResult[];
  /** Why nothing is written any more. */
  readonly failure?: StorageProblem;
}

export type RequestResult = { readonly id: number } & (
  | { readonly revision: Revision }
  | { readonly error: StorageProblem }
);

export interface StorageProblem {
  readonly code: StorageErrorCode;
  readonly message: string;
  readonly revision?: Revision;
}

export function problemOf(error: unknown): StorageProblem {
  if (!(error instanceof StorageError)) return { code: "Unavailable", message: String(error) };
  const { code, message, details } = error;
  return { code, message, ...(details.revision === undefined ? {} : { revision: details.revision }) };
}

const LENGTH_BYTES = 4;

export function encodeFrame(head: FollowerRequest | OwnerNotice, value?: Uint8Array): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const frame = Buffer.allocUnsafe(2 * LENGTH_BYTES + text.length + (value?.length ?? 0));
  frame.writeUInt32BE(frame.length - LENGTH_BYTES, 0);
  frame.writeUInt32BE(text.length, LENGTH_BYTES);
  text.copy(frame, 2 * LENGTH_BYTES);
  if (value !== undefined) frame.set(value, 2 * LENGTH_BYTES + text.length);
  return frame;
}

/** Cuts a stream into frames again. */
export class FrameReader<Head> {
  readonly #receive: (head: Head, value: Buffer) => void;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** So many bytes make the next frame whole. */
  #wanted = LENGTH_BYTES;

  constructor(receive: (head: Head, value: Buffer) => void) {
    this.#receive = receive;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#wanted) return;
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    this.#wanted = LENGTH_BYTES;
    while (rest.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + rest.readUInt32BE(0);
      if (rest.length < end) {
        this.#wanted = end;
        break;
      }
      const headEnd = 2 * LENGTH_BYTES + rest.readUInt32BE(LENGTH_BYTES);
      const head = JSON.parse(rest.toString("utf8", 2 * LENGTH_BYTES, headEnd)) as Head;
      this.#receive(head, rest.subarray(headEnd, end));
      rest = rest.subarray(end);
    }
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
  }
}
