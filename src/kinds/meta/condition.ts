// Conditions: the one that newer kinds share, and what the older ones of single kinds have in common.

import { duplicate, type FieldError } from "../../meta/field-error.ts";
import { patternMessage, qualifiedNameProblems } from "../../meta/name-formats.ts";
import { type Members, type ObjectOf, opt, s, shown } from "../../schema/builder.ts";
import { checkFields, FILLED } from "../../schema/check-fields.ts";

type Condition = ObjectOf<typeof condition>;

export const condition = s.struct("meta.v1.Condition", "One aspect of the state of an object.", () => ({
  type: s.string(
    1,
    "The aspect that is reported, in CamelCase, optionally with a domain and a slash before it; unique in its list.",
    { must: { strict: true, form: qualifiedNameProblems } },
  ),
  status: s.named("ConditionStatus", 2, "Whether the condition holds: True, False or Unknown.", {
    must: { listed: CONDITION_STATUSES },
  }),
  observedGeneration: opt.int64(
    3,
    "The metadata.generation that was judged; when it is lower than the current one, the condition is out of date.",
    { must: { amount: (generation) => (generation < 0 ? ["must be greater than or equal to zero"] : []) } },
  ),
  lastTransitionTime: s.time(
    4,
    "When the status last became what it is; a new reason or message alone does not move it.",
    { must: FILLED },
  ),
  reason: s.string(5, "One CamelCase word for programs: why the status is what it is. May not be empty.", {
    must: CONDITION_REASON,
  }),
  message: s.string(6, "Details for people; may be empty.", { must: CONDITION_MESSAGE }),
}));

export const CONDITION_STATUSES = ["False", "True", "Unknown"] as const;
export const CONDITION_REASON = { filled: true, form: reasonProblems, after: { maxBytes: 1024 } } as const;
export const CONDITION_MESSAGE = { maxBytes: 32 * 1024 } as const;

/** Are the conditions in a status well-formed? */
export function validateConditions(conditions: readonly Condition[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  conditions.forEach((each, index) => {
    const at = `${field}[${index}]`;
    if (seen.has(each.type)) errors.push(duplicate(`${at}.type`, each.type));
    seen.add(each.type);
    checkFields(each, condition, at, errors);
  });
  return errors;
}

function reasonProblems(reason: string): string[] {
  if (/^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(reason)) return [];
  return [
    patternMessage(
      "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
      "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?",
      "my_name",
      "MY_NAME",
      "MyName",
      "ReasonA,ReasonB",
      "ReasonA:ReasonB",
    ),
  ];
}

interface Wording {
  readonly status: string;
  readonly time: string;
  readonly reason: string;
  readonly message: string;
}

/**
 * The members of a condition, its type under the alias that upstream has for it. `first` is the number of
 * lastTransitionTime, before which `extra` members stand; reason and message follow it.
 */
function conditionMembers(wording: Wording) {
  return <const M extends Members = Record<never, never>>(
    alias: string,
    text: string,
    first = 3,
    extra: M = NONE as M,
  ) => ({
    type: s.named(alias, 1, text),
    status: s.named("ConditionStatus", 2, wording.status),
    ...extra,
    lastTransitionTime: shown.time(first, wording.time),
    reason: opt.string(first + 1, wording.reason),
    message: opt.string(first + 2, wording.message),
  });
}

const NONE = {};

/** One aspect of the state of an object. */
export const aspectMembers = conditionMembers({
  status: "Whether the condition holds: True, False or Unknown.",
  time: "When the status last became what it is.",
  reason: "One word for programs: why it became so.",
  message: "Details for people.",
});

/** One observation of the server about an object. */
export const observationMembers = conditionMembers({
  status: "True, False or Unknown.",
  time: "When the status last became another one.",
  reason: "Why the status is what it is, as one CamelCase word for programs.",
  message: "What was observed, for people.",
});

/** One thing that is told about an object of the core group. */
export const reportMembers = conditionMembers({
  status: "`True`, `False` or `Unknown`.",
  time: "When the status last changed.",
  reason: "Why, in one word for programs.",
  message: "Why, for people.",
});
