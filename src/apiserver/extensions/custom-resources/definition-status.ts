// What the status of a definition should say. Pure.

import { equalJson } from "../../../base/json.ts";
import type { Names } from "../../../meta/names.ts";
import {
  conditionOf,
  type DefinitionCondition,
  type DefinitionNames,
  type DefinitionSummary,
  isEstablished,
} from "./definition.ts";
import type { NamingOutcome } from "./naming.ts";

export interface WantedStatus {
  readonly acceptedNames: DefinitionNames;
  readonly conditions: readonly DefinitionCondition[];
}

/** Undefined when the status says all that already. */
export function wantedStatus(
  definition: DefinitionSummary,
  naming: NamingOutcome,
  names: Names,
  now: string,
): WantedStatus | undefined {
  let conditions = definition.conditions;
  for (const condition of verdicts(definition, naming, names)) conditions = withCondition(conditions, condition, now);
  if (conditions === definition.conditions && equalJson(naming.accepted, definition.acceptedNames)) return undefined;
  return { acceptedNames: naming.accepted, conditions };
}

/** The conditions with one changed; the same list when it says so already. */
export function withCondition(
  conditions: readonly DefinitionCondition[],
  wanted: Omit<DefinitionCondition, "lastTransitionTime">,
  now: string,
): readonly DefinitionCondition[] {
  const known = conditions.find(({ type }) => type === wanted.type);
  if (known === undefined) return [...conditions, { ...wanted, lastTransitionTime: now }];
  const { status, reason, message } = known;
  if (status === wanted.status && reason === wanted.reason && message === wanted.message) return conditions;
  const lastTransitionTime = status === wanted.status ? (known.lastTransitionTime ?? now) : now;
  return conditions.map((condition) => (condition === known ? { ...wanted, lastTransitionTime } : condition));
}

function* verdicts(
  definition: DefinitionSummary,
  { conflict }: NamingOutcome,
  names: Names,
): Generator<Omit<DefinitionCondition, "lastTransitionTime">> {
  if (conflict === undefined)
    yield { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" };
  else yield { type: "NamesAccepted", status: "False", ...conflict };
  if (isEstablished(definition)) {
    // What was established once stays so.
  } else if (conflict === undefined) {
    yield {
      type: "Established",
      status: "True",
      reason: "InitialNamesAccepted",
      message: "the initial names have been accepted",
    };
  } else {
    yield { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" };
  }
  const approval = approvalOf(definition, names);
  if (approval !== undefined || conditionOf(definition, names.apiApprovalCondition) !== undefined) {
    if (approval !== undefined) yield { type: names.apiApprovalCondition, ...approval };
  }
}

/** Undefined for groups that anybody may define. */
export function approvalOf({ group, approval }: Pick<DefinitionSummary, "group" | "approval">, names: Names) {
  if (!isProtectedGroup(group, names)) return undefined;
  const annotation = JSON.stringify(names.apiApprovedAnnotation);
  const guide = `see ${names.apiApprovalGuide}`;
  if (approval === "") {
    return {
      status: "False",
      reason: "MissingAnnotation",
      message: `protected groups must have approval annotation ${annotation}, ${guide}`,
    };
  }
  if (approval.startsWith("unapproved")) {
    return { status: "False", reason: "UnapprovedAnnotation", message: `not approved: ${JSON.stringify(approval)}` };
  }
  if (isWebAddress(approval))
    return { status: "True", reason: "ApprovedAnnotation", message: `approved in ${approval}` };
  return {
    status: "False",
    reason: "InvalidAnnotation",
    message: `protected groups must have approval annotation ${annotation} with either a URL or a reason starting with "unapproved", ${guide}`,
  };
}

export function isProtectedGroup(group: string, names: Names): boolean {
  return [names.protectedDomain, names.protectedLongDomain].some(
    (domain) => group === domain || group.endsWith(`.${domain}`),
  );
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && new URL(text).host !== "";
}
