// What the status of a definition should say. Pure.

import { equalJson } from "../../../base/json.ts";
import { approvalState } from "../../../kinds/apiextensions/api-approval-validation.ts";
import type { Names } from "../../../meta/names.ts";
import {
  type DefinitionCondition,
  type DefinitionNames,
  type DefinitionSummary,
  isEstablished,
  NON_STRUCTURAL,
} from "./definition.ts";
import type { NamingOutcome } from "./naming.ts";

interface WantedStatus {
  readonly acceptedNames: DefinitionNames;
  readonly conditions: readonly DefinitionCondition[];
}

/** What was found out about a definition. */
interface Findings {
  readonly naming: NamingOutcome;
  /** Why its schemas are not structural; empty when they are. */
  readonly violations: string;
}

/** Undefined when the status says all that already. */
export function wantedStatus(
  definition: DefinitionSummary,
  findings: Findings,
  names: Names,
  now: string,
): WantedStatus | undefined {
  const { naming } = findings;
  let conditions = withoutSettled(definition, findings);
  for (const condition of verdicts(definition, findings, names))
    conditions = withDefinitionCondition(conditions, condition, now);
  if (conditions === definition.conditions && equalJson(naming.accepted, definition.acceptedNames)) return undefined;
  return { acceptedNames: naming.accepted, conditions };
}

/** A schema that has become structural is no longer talked about. */
function withoutSettled({ conditions }: DefinitionSummary, { violations }: Findings): readonly DefinitionCondition[] {
  const settled = violations === "" && conditions.some(({ type }) => type === NON_STRUCTURAL);
  return settled ? conditions.filter(({ type }) => type !== NON_STRUCTURAL) : conditions;
}

/** The conditions with one changed; the same list when it says so already. */
export function withDefinitionCondition(
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
  { naming: { conflict }, violations }: Findings,
  names: Names,
): Generator<Omit<DefinitionCondition, "lastTransitionTime">> {
  if (conflict === undefined)
    yield { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" };
  else yield { type: "NamesAccepted", status: "False", ...conflict };
  if (isEstablished(definition)) {
    // What was established once stays so.
  } else if (conflict === undefined && definition.badAuthority) {
    yield {
      type: "Established",
      status: "False",
      reason: "InvalidCABundle",
      message: "The conversion webhook CABundle is invalid",
    };
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
  if (approval !== undefined) yield { type: names.apiApprovalCondition, ...approval };
  if (violations !== "") {
    yield { type: NON_STRUCTURAL, status: "True", reason: "Violations", message: violations };
  }
}

/** What the condition about the approval of a protected group says; undefined for groups that anybody may define. */
function approvalOf({ group, approval }: Pick<DefinitionSummary, "group" | "approval">, names: Names) {
  const found = approvalState(group, approval, names);
  if (found === undefined) return undefined;
  const status = found.state === "approved" ? "True" : "False";
  return { status, reason: APPROVAL_REASONS[found.state], message: found.reason };
}

const APPROVAL_REASONS = {
  approved: "ApprovedAnnotation",
  bypassed: "UnapprovedAnnotation",
  missing: "MissingAnnotation",
  invalid: "InvalidAnnotation",
} as const;
