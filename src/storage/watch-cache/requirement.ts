// What everything selected has in common: a label or field with one of some values. Whoever keeps items or watchers by such
// values finds what a selector concerns without asking all of them.

import type { CacheItem } from "./cache-event.ts";

/** A promise of a selector: it holds only for items whose label or field `name` has one of `values`. */
export interface Requirement {
  readonly of: "label" | "field";
  readonly name: string;
  readonly values: readonly string[];
}

/** Names what a requirement looks at. */
export function attributeKey({ of, name }: Pick<Requirement, "of" | "name">): string {
  return `${of}:${name}`;
}

/** Undefined when the item has no such label or field. */
export function attributeOf(item: CacheItem, { of, name }: Pick<Requirement, "of" | "name">): string | undefined {
  const attributes = of === "label" ? item.labels : item.fields;
  return attributes !== undefined && Object.hasOwn(attributes, name) ? attributes[name] : undefined;
}
