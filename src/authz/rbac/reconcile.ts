// A default role or binding and what is stored of it -> what should be stored: missing permissions and subjects come back,
// what others have added stays. Pure. Requirements: document 2, "Default roles and bindings".

import { equalJson } from "../../base/json.ts";
import { selectorsOf } from "../../kinds/rbac/aggregate.ts";
import { ruleObject, rulesOf } from "../../meta/access-rule.ts";
import type { LabelSelectorObject } from "../../meta/label-selector.ts";
import type { Names } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import { singleThings, uncoveredRules } from "./rule-cover.ts";

/** The object to store; undefined when nothing has to change. */
export function reconcileRole(names: Names, stored: ApiObject, wanted: ApiObject): ApiObject | undefined {
  if (isProtected(names, stored)) return undefined;
  const metadata = reconcileMetadata(stored, wanted);
  const rules = missingRules(stored, wanted);
  const selectors = missingSelectors(stored, wanted);
  if (metadata === undefined && rules.length === 0 && selectors.length === 0) return undefined;
  return {
    ...stored,
    metadata: metadata ?? stored.metadata,
    ...(rules.length === 0 ? {} : { rules: [...((stored["rules"] as unknown[] | null) ?? []), ...rules] }),
    ...(selectors.length === 0
      ? {}
      : { aggregationRule: { clusterRoleSelectors: [...selectorsOf(stored), ...selectors] } }),
  };
}

type BindingChange = { readonly type: "update" | "replace"; readonly object: ApiObject };

/** A binding to another role cannot be changed: it is replaced. */
export function reconcileBinding(names: Names, stored: ApiObject, wanted: ApiObject): BindingChange | undefined {
  if (isProtected(names, stored)) return undefined;
  if (!equalJson(stored["roleRef"], wanted["roleRef"])) {
    return { type: "replace", object: { ...wanted, metadata: reconcileMetadata(stored, wanted) ?? wanted.metadata } };
  }
  const metadata = reconcileMetadata(stored, wanted);
  const subjects = subjectsOf(wanted).filter(
    (subject) => !subjectsOf(stored).some((known) => equalJson(known, subject)),
  );
  if (metadata === undefined && subjects.length === 0) return undefined;
  return {
    type: "update",
    object: {
      ...stored,
      metadata: metadata ?? stored.metadata,
      ...(subjects.length === 0 ? {} : { subjects: [...subjectsOf(stored), ...subjects] }),
    },
  };
}

function isProtected(names: Names, { metadata }: ApiObject): boolean {
  return metadata.annotations?.[names.autoupdateAnnotation] === "false";
}

/** Labels and annotations that were taken away come back; those that were changed stay. */
function reconcileMetadata(
  { metadata: stored }: ApiObject,
  { metadata: wanted }: ApiObject,
): ApiObject["metadata"] | undefined {
  const labels = { ...wanted.labels, ...stored.labels };
  const annotations = { ...wanted.annotations, ...stored.annotations };
  if (equalJson(labels, stored.labels ?? {}) && equalJson(annotations, stored.annotations ?? {})) return undefined;
  return { ...stored, labels, annotations };
}

function missingRules(stored: ApiObject, wanted: ApiObject): Record<string, string[]>[] {
  // The rules of a role that collects others are made by aggregation.
  if (wanted["aggregationRule"] !== undefined || equalJson(stored["rules"], wanted["rules"])) return [];
  return singleThings(uncoveredRules(rulesOf(stored), rulesOf(wanted))).map(ruleObject);
}

function missingSelectors(stored: ApiObject, wanted: ApiObject): LabelSelectorObject[] {
  const known = selectorsOf(stored);
  return selectorsOf(wanted).filter((selector) => !known.some((one) => equalJson(one, selector)));
}

const subjectsOf = (binding: ApiObject): readonly unknown[] =>
  (binding["subjects"] as unknown[] | null | undefined) ?? [];
