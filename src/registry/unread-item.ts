// An item of the cache that was written and checked elsewhere, as its bytes: what it is selected by is read when somebody asks
// for that, and of a large object nothing else.

import { type FieldPath, FieldPicker } from "../codec/field-picker.ts";
import { decodeOwnJson } from "../codec/json.ts";
import type { ApiObject } from "../meta/object.ts";
import type { Revision } from "../storage/engine.ts";
import type { CacheItem } from "../storage/watch-cache.ts";
import { decodeStored } from "./object-bytes.ts";

/** What was written and checked elsewhere: read when somebody selects by it. */
export class UnreadItem implements CacheItem {
  readonly key: string;
  readonly revision: Revision;
  readonly bytes: Uint8Array;
  readonly #of: Selectable;
  #selectable: Pick<CacheItem, "labels" | "fields"> | undefined;
  /** Of a large object, of which nothing else is decoded. */
  #labels: Pick<CacheItem, "labels"> | undefined;

  constructor(key: string, revision: Revision, bytes: Uint8Array, of: Selectable) {
    this.key = key;
    this.revision = revision;
    this.bytes = bytes;
    this.#of = of;
  }

  /** The same at another revision. */
  with(revision: Revision, bytes: Uint8Array): UnreadItem {
    const same = new UnreadItem(this.key, revision, bytes, this.#of);
    same.#selectable = this.#selectable;
    same.#labels = this.#labels;
    return same;
  }

  get labels(): CacheItem["labels"] {
    if (this.#selectable === undefined) this.#labels ??= this.#of.labelsOf(this);
    return (this.#labels ?? this.#read()).labels;
  }

  get fields(): CacheItem["fields"] {
    return this.#read().fields;
  }

  #read(): Pick<CacheItem, "labels" | "fields"> {
    this.#selectable ??= this.#of.of(this);
    return this.#selectable;
  }
}

export interface FieldRules {
  /** The selectable fields of a stored object, metadata.name and metadata.namespace included. */
  readonly fieldsOf: (object: ApiObject) => Record<string, string>;
  /** All that `fieldsOf` looks at: of large objects nothing else is decoded for it. Undefined where that is not known. */
  readonly fieldPaths?: () => readonly FieldPath[] | undefined;
}

/** What objects of one kind are selected by. */
export class Selectable {
  readonly #options: FieldRules;
  #picker: FieldPicker | "none" | undefined;

  constructor(options: FieldRules) {
    this.#options = options;
  }

  of(item: UnreadItem): Pick<CacheItem, "labels" | "fields"> {
    const isLarge = item.bytes.length > LARGE_ITEM_BYTES;
    const object =
      (isLarge ? partOf(item.bytes, this.#fieldPicker()) : undefined) ?? decodeStored(item.bytes, item.revision);
    return { labels: object.metadata.labels, fields: this.#options.fieldsOf(object) };
  }

  /** Undefined for an object that is not large, and where they cannot be told without decoding it. */
  labelsOf(item: UnreadItem): Pick<CacheItem, "labels"> | undefined {
    const part = partOf(item.bytes, LABELS);
    return part && { labels: part.metadata.labels };
  }

  /** Made for the first large object that somebody selects by its fields. */
  #fieldPicker(): FieldPicker | undefined {
    if (this.#picker === undefined) {
      const paths = this.#options.fieldPaths?.();
      this.#picker = paths === undefined ? "none" : new FieldPicker([...SELECTABLE, ...paths]);
    }
    return this.#picker === "none" ? undefined : this.#picker;
  }
}

/**
 * Larger ones take long enough to read for others to notice, and to decode one takes several times as long as to look for
 * some of its fields.
 */
export const LARGE_ITEM_BYTES = 64 * 1024;
const SELECTABLE: readonly FieldPath[] = [
  ["metadata", "labels"],
  ["metadata", "name"],
  ["metadata", "namespace"],
];
const LABELS = new FieldPicker([["metadata", "labels"]]);

/** What is wanted of a large object; undefined of others, and where it cannot be told without decoding the object. */
export function partOf(bytes: Uint8Array, wanted: FieldPicker | undefined): ApiObject | undefined {
  if (wanted === undefined || bytes.length <= LARGE_ITEM_BYTES) return undefined;
  const picked = wanted.pick(bytes);
  wanted.forget();
  return picked === undefined ? undefined : (decodeOwnJson(picked.bytes) as unknown as ApiObject);
}
