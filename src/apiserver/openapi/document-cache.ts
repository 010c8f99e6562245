// Documents on demand: made once for each state of what is served, by one at a time, and kept compressed, because they are
// long, repeat themselves and are asked for rarely.

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";

/** Fast, and still a tenth of the size. */
const COMPRESSION_LEVEL = 1;
/** How many documents are kept; those beyond are made again when somebody asks. */
const MAX_DOCUMENTS = 1_000;

export interface StoredDocument {
  /** Upper-case hexadecimal SHA-512 of the bytes. */
  readonly hash: string;
  readonly compressed: Uint8Array;
}

interface Entry {
  readonly madeFrom: readonly object[];
  readonly document: Promise<StoredDocument>;
}

export class DocumentCache {
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();

  /** `madeFrom`, compared one by one, decides whether a document that was made before is still good. */
  get(key: string, madeFrom: readonly object[], make: () => Promise<Uint8Array>): Promise<StoredDocument> {
    const known = this.#entries.get(key);
    if (known !== undefined && sameSources(known.madeFrom, madeFrom)) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known.document;
    }
    const document = make().then(store);
    const entry = { madeFrom: [...madeFrom], document };
    this.#entries.set(key, entry);
    // A failure is not remembered.
    document.catch(() => this.#entries.get(key) === entry && this.#entries.delete(key));
    if (this.#entries.size > MAX_DOCUMENTS) this.#entries.delete(this.#entries.keys().next().value!);
    return document;
  }
}

export function uncompressed(document: StoredDocument): Promise<Uint8Array> {
  return unzip(document.compressed);
}

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha512").update(bytes).digest("hex").toUpperCase();
}

const zip = promisify<Uint8Array, { level: number }, Buffer>(gzip);
const unzip = promisify<Uint8Array, Buffer>(gunzip);

async function store(bytes: Uint8Array): Promise<StoredDocument> {
  return {
    hash: hashOf(bytes),
    compressed: await zip(bytes, { level: COMPRESSION_LEVEL }),
  };
}

function sameSources(a: readonly object[], b: readonly object[]): boolean {
  return a.length === b.length && a.every((source, index) => source === b[index]);
}
