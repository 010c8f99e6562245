// Groups that belong to the community need an approval to be defined by users. Pure.

import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import type { Names } from "../../meta/names.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition-schema.ts";

interface ApprovalState {
  readonly state: "approved" | "bypassed" | "missing" | "invalid";
  readonly reason: string;
}

/** Undefined for groups that anybody may define. */
export function approvalState(group: string, approval: string, names: Names): ApprovalState | undefined {
  if (!isProtectedGroup(group, names)) return undefined;
  const annotation = JSON.stringify(names.apiApprovedAnnotation);
  const guide = `see ${names.apiApprovalGuide}`;
  if (approval === "")
    return { state: "missing", reason: `protected groups must have approval annotation ${annotation}, ${guide}` };
  if (approval.startsWith("unapproved"))
    return { state: "bypassed", reason: `not approved: ${JSON.stringify(approval)}` };
  if (isWebAddress(approval)) return { state: "approved", reason: `approved in ${approval}` };
  return {
    state: "invalid",
    reason: `protected groups must have approval annotation ${annotation} with either a URL or a reason starting with "unapproved", ${guide}`,
  };
}

export function approvalErrors(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  names: Names,
): FieldError[] {
  const now = stateOf(definition, names);
  if (now === undefined || (old !== undefined && stateOf(old, names)?.state === now.state)) return [];
  const path = `metadata.annotations[${names.apiApprovedAnnotation}]`;
  if (now.state === "missing") return [required(path, now.reason)];
  return now.state === "invalid"
    ? [invalid(path, definition.metadata.annotations?.[names.apiApprovedAnnotation], now.reason)]
    : [];
}

function stateOf({ metadata, spec }: CustomResourceDefinition, names: Names): ApprovalState | undefined {
  return approvalState(spec.group, metadata.annotations?.[names.apiApprovedAnnotation] ?? "", names);
}

function isProtectedGroup(group: string, names: Names): boolean {
  return [names.protectedDomain, names.protectedLongDomain].some(
    (domain) => group === domain || group.endsWith(`.${domain}`),
  );
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && new URL(text).host !== "";
}
