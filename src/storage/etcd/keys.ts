// How the contract's string keys stand in etcd: UTF-8 bytes below the engine's prefix; ranges are half-open.

/** Every key of the store, whoever wrote it: etcd's spelling of "from the first key, without end". */
export const ALL_KEYS = { key: Uint8Array.of(0), rangeEnd: Uint8Array.of(0) } as const;

interface KeyRange {
  readonly key: Uint8Array;
  readonly rangeEnd: Uint8Array;
}

export class KeySpace {
  readonly #prefix: string;
  readonly #prefixBytes: Buffer;

  constructor(prefix: string) {
    this.#prefix = prefix;
    this.#prefixBytes = Buffer.from(prefix);
  }

  toBytes(key: string): Buffer {
    return Buffer.from(this.#prefix + key);
  }

  /** The key without the engine's prefix; undefined for a key of somebody else. */
  fromBytes(bytes: Uint8Array): string | undefined {
    const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const length = this.#prefixBytes.length;
    if (length > 0 && key.compare(this.#prefixBytes, 0, length, 0, Math.min(length, key.length)) !== 0)
      return undefined;
    return key.toString("utf8", length);
  }

  /** The keys that start with `prefix`, from just after `after` where that lies inside. */
  range(prefix: string, after: string | undefined): KeyRange {
    const start = this.toBytes(prefix);
    const rangeEnd = endOfPrefix(start);
    const next = after === undefined ? undefined : this.toBytes(`${after}\0`);
    if (next !== undefined && next.compare(start) > 0) return { key: next, rangeEnd };
    return start.length === 0 ? ALL_KEYS : { key: start, rangeEnd };
  }
}

/** The first key after all that start with the prefix; etcd reads a single zero byte as "no end". */
function endOfPrefix(prefix: Buffer): Uint8Array {
  for (let index = prefix.length - 1; index >= 0; index--) {
    const byte = prefix[index]!;
    if (byte < 0xff) return Buffer.concat([prefix.subarray(0, index), Uint8Array.of(byte + 1)]);
  }
  return ALL_KEYS.rangeEnd;
}
