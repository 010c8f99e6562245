// Documents on demand: made once for each state of what is served, by one at a time, and kept compressed, because they are
// long, repeat themselves and are asked for rarely.

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { createGunzip, gunzip, gzip } from "node:zlib";
import { BoundedCache } from "../../base/bounded-cache.ts";
import { nextWorkTurn, turnIsOver } from "../../base/work-turns.ts";
import type { StreamBody } from "../../http/message.ts";

/** Fast, and still a tenth of the size. */
const COMPRESSION_LEVEL = 1;
/** How many documents are kept; those beyond are made again when somebody asks. */
const MAX_DOCUMENTS = 1_000;
const MAX_BYTES = 64 * 1024 * 1024;

export interface StoredDocument {
  /** Upper-case hexadecimal SHA-512 of the bytes. */
  readonly hash: string;
  readonly compressed: Uint8Array;
  /** Uncompressed. */
  readonly sizeBytes: number;
}

interface Entry {
  readonly madeFrom: readonly object[];
  readonly document: Promise<StoredDocument>;
  /** 0 while it is being made. */
  readonly sizeBytes: number;
}

export class DocumentCache {
  readonly #entries = new BoundedCache<string, Entry>({
    maxEntries: MAX_DOCUMENTS,
    maxBytes: MAX_BYTES,
    sizeBytes: (_, { sizeBytes }) => sizeBytes,
  });

  /** `madeFrom`, compared one by one, decides whether a document that was made before is still good. */
  get(key: string, madeFrom: readonly object[], make: () => Promise<Uint8Array>): Promise<StoredDocument> {
    const known = this.#entries.get(key);
    if (known !== undefined && sameSources(known.madeFrom, madeFrom)) return known.document;
    const document = make().then(store);
    const entry = { madeFrom: [...madeFrom], document, sizeBytes: 0 };
    const ifStillThere = (then: () => void) => {
      if (this.#entries.get(key) === entry) then();
    };
    this.#entries.set(key, entry);
    document.then(
      // Only now it is known how large it is.
      ({ compressed }) => ifStillThere(() => this.#entries.set(key, { ...entry, sizeBytes: compressed.length })),
      // A failure is not remembered.
      () => ifStillThere(() => this.#entries.delete(key)),
    );
    return document;
  }
}

/** As a body: a large one piece by piece, which is never there as a whole. */
export async function uncompressed({ compressed, sizeBytes }: StoredDocument): Promise<Uint8Array | StreamBody> {
  if (sizeBytes <= MAX_WHOLE_BYTES) return unzip(compressed);
  return {
    async stream(writer) {
      const pieces = createGunzip({ chunkSize: PIECE_BYTES });
      pieces.end(compressed);
      for await (const piece of pieces) {
        if (writer.signal.aborted) return;
        if (!writer.write(piece as Buffer)) await writer.drained();
      }
    },
  };
}

const MAX_WHOLE_BYTES = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha512").update(bytes).digest("hex").toUpperCase();
}

/** The same of what may be long. */
async function hashInTurns(bytes: Uint8Array): Promise<string> {
  const hash = createHash("sha512");
  for (let at = 0; at < bytes.length; at += HASHED_AT_ONCE) {
    if (turnIsOver()) await nextWorkTurn();
    hash.update(bytes.subarray(at, at + HASHED_AT_ONCE));
  }
  return hash.digest("hex").toUpperCase();
}

const HASHED_AT_ONCE = 512 * 1024;

const zip = promisify<Uint8Array, { level: number }, Buffer>(gzip);
const unzip = promisify<Uint8Array, Buffer>(gunzip);

async function store(bytes: Uint8Array): Promise<StoredDocument> {
  return {
    hash: await hashInTurns(bytes),
    compressed: await zip(bytes, { level: COMPRESSION_LEVEL }),
    sizeBytes: bytes.length,
  };
}

function sameSources(a: readonly object[], b: readonly object[]): boolean {
  return a.length === b.length && a.every((source, index) => source === b[index]);
}
