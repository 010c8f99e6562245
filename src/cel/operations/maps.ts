// Maps that expressions build. Numeric keys that count the same are the same key, whatever their type.

import { CelError } from "../errors.ts";
import { CelDouble, CelMap, CelUint, type CelValue, typeOf } from "../values.ts";

type Key = string | number | bigint | boolean;

export class LiteralMap extends CelMap {
  readonly #entries: Map<Key, { readonly key: CelValue; readonly value: CelValue }>;

  constructor() {
    super();
    this.#entries = new Map();
  }

  static of(entries: Iterable<readonly [CelValue, CelValue]>): LiteralMap {
    const map = new LiteralMap();
    for (const [key, value] of entries) map.insert(key, value);
    return map;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: CelValue): CelValue | undefined {
    const normal = mapKey(key);
    return normal === undefined ? undefined : this.#entries.get(normal)?.value;
  }

  *keys(): Iterable<CelValue> {
    for (const entry of this.#entries.values()) yield entry.key;
  }

  /** Only while the map is being built. Gives an error for a key that exists or cannot be one. */
  insert(key: CelValue, value: CelValue): CelError | undefined {
    const normal = mapKey(key);
    if (normal === undefined || key instanceof CelDouble) {
      return new CelError(`unsupported key type: ${typeOf(key).name}`);
    }
    if (this.#entries.has(normal)) return new CelError(`Failed with repeated key: ${String(normal)}`);
    this.#entries.set(normal, { key, value });
    return undefined;
  }

  copy(): LiteralMap {
    const copy = new LiteralMap();
    for (const [normal, entry] of this.#entries) copy.#entries.set(normal, entry);
    return copy;
  }
}

function mapKey(key: CelValue): Key | undefined {
  if (typeof key === "string" || typeof key === "number" || typeof key === "bigint" || typeof key === "boolean")
    return key;
  if (key instanceof CelUint) return key.value;
  if (key instanceof CelDouble) return wholeKey(key.value);
  return undefined;
}

/** A double finds the int that it equals; beyond the safe integers that int is a bigint. */
function wholeKey(value: number): Key | undefined {
  if (!Number.isInteger(value)) return undefined;
  return Number.isSafeInteger(value) ? value + 0 : BigInt(value);
}
