// Custom resources have no field order of their own: keys are sorted, as upstream writes them. Metadata keeps its order, but
// not its maps.

import { setKey } from "../../../base/json.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { compareByBytes, isSorted } from "../../../schema/sorted-keys.ts";

const LEADING: ReadonlySet<string> = new Set(["kind", "apiVersion", "metadata"]);

/** Changes the object in place; parts that are sorted already stay as they are. */
export function sortKeys(object: ApiObject): void {
  const rest = Object.keys(object).filter((key) => !LEADING.has(key));
  const ordered = isSorted(rest);
  for (const key of ordered ? rest : rest.sort(compareByBytes)) {
    const value = sorted(object[key]);
    if (!ordered) delete object[key];
    setKey(object as unknown as Record<string, unknown>, key, value);
  }
  const { labels, annotations } = object.metadata;
  if (labels) object.metadata.labels = sorted(labels) as Record<string, string>;
  if (annotations) object.metadata.annotations = sorted(annotations) as Record<string, string>;
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i += 1) {
      const item: unknown = value[i];
      const kept = sorted(item);
      if (kept !== item) value[i] = kept;
    }
    return value;
  }
  const source = value as Record<string, unknown>;
  const keys = Object.keys(source);
  if (isSorted(keys)) {
    for (const key of keys) {
      const member = source[key];
      const kept = sorted(member);
      // Writing what is there already costs more than looking at it.
      if (kept !== member) setKey(source, key, kept);
    }
    return source;
  }
  const target: Record<string, unknown> = {};
  for (const key of keys.sort(compareByBytes)) setKey(target, key, sorted(source[key]));
  return target;
}
