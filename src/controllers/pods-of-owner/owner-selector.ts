// The selector of a workload, ready to be matched against many pods.

import { type LabelSelector, type LabelSelectorObject, selectorFromObject } from "../../meta/label-selector.ts";

/** Objects in caches are frozen and shared: what was compiled for one holds as long as it does. */
const compiled = new WeakMap<object, LabelSelector>();

/** Undefined for a selector that cannot be read, and for one that would take every pod of a namespace. */
export function ownerSelector(selector: object | null | undefined): LabelSelector | undefined {
  if (selector === null || selector === undefined) return undefined;
  const known = compiled.get(selector);
  if (known !== undefined) return known;
  try {
    const made = selectorFromObject(selector as LabelSelectorObject);
    if (made.requirements.length === 0) return undefined;
    compiled.set(selector, made);
    return made;
  } catch {
    return undefined;
  }
}
