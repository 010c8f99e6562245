// Selectors of objects, ready to be matched against many others.

import type { PodTemplateSpec } from "../../kinds/core/pod/template-schema.ts";
import { type LabelSelector, type LabelSelectorObject, selectorFromObject } from "../../meta/label-selector.ts";

/** Objects in caches are frozen and shared: what was compiled for one holds as long as it does. */
const compiled = new WeakMap<object, LabelSelector>();

/** Undefined for a selector that is not there or cannot be read. An empty one selects everything. */
export function compiledSelector(selector: object | null | undefined): LabelSelector | undefined {
  if (selector === null || selector === undefined) return undefined;
  const known = compiled.get(selector);
  if (known !== undefined) return known;
  try {
    const made = selectorFromObject(selector as LabelSelectorObject);
    compiled.set(selector, made);
    return made;
  } catch {
    return undefined;
  }
}

/** The same for an owner: it must not take every pod of a namespace. */
export function ownerSelector(selector: object | null | undefined): LabelSelector | undefined {
  const made = compiledSelector(selector);
  return made === undefined || made.requirements.length === 0 ? undefined : made;
}

/**
 * Fails where the selector would not find what the template makes: its owner would let go of it at once, and make more without
 * end. The server refuses such owners; a store may hold them.
 */
export function refuseForeignTemplate(selector: LabelSelector, template: PodTemplateSpec): void {
  if (!selector.matches(template.metadata.labels)) throw new TypeError("`selector` does not match template `labels`");
}
