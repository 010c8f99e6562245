// Checks of single values that many kinds share. Each adds what it finds to the list it is given: validation runs on
// every write, and most objects have nothing to say.

import { append } from "../../base/append.ts";
import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../meta/field-error.ts";
import { validateAnnotations, validateLabels } from "../../meta/metadata-validation.ts";
import { dns1035LabelProblems, dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import type { ObjectMeta } from "../../meta/object.ts";
import type { ValueCheck } from "../../schema/schema.ts";

export function addProblems(errors: FieldError[], field: string, value: unknown, problems: readonly string[]): void {
  for (const problem of problems) errors.push(invalid(field, value, problem));
}

/** A name that must be there and have a form. */
export function checkRequiredName(
  errors: FieldError[],
  field: string,
  value: string | undefined,
  problemsOf: (value: string) => string[],
): void {
  if (!value) errors.push(required(field));
  else addProblems(errors, field, value, problemsOf(value));
}

/** An object whose name follows from what it holds: one that differs, and any prefix for a name, is a mistake. */
export function differentNames(
  { name = "", generateName = "" }: ObjectMeta,
  wanted: string,
  problem: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (generateName !== "" && generateName !== wanted)
    errors.push(invalid("metadata.generateName", generateName, problem));
  if (name !== "" && name !== wanted) errors.push(invalid("metadata.name", name, problem));
  return errors;
}

/** The metadata of a template holds labels and annotations: nothing else may be set. Names are upstream's. */
export function checkTemplateMetadata(metadata: ObjectMeta, field: string, errors: FieldError[]): void {
  append(errors, validateAnnotations(metadata.annotations, `${field}.annotations`));
  append(errors, validateLabels(metadata.labels, `${field}.labels`));
  for (const [member, word = member] of NOT_IN_TEMPLATES) {
    const value = metadata[member];
    if (value !== undefined && value !== null && value !== "" && !(member === "generation" && value === 0))
      errors.push(forbiddenField(`${field}.${word}`, "cannot be set"));
  }
}

const NOT_IN_TEMPLATES: readonly (readonly [member: keyof ObjectMeta, word?: string])[] = [
  ["name"],
  ["generateName"],
  ["namespace"],
  ["selfLink"],
  ["uid", "uID"],
  ["resourceVersion"],
  ["generation"],
  ["creationTimestamp"],
  ["deletionTimestamp"],
  ["deletionGracePeriodSeconds"],
  ["ownerReferences"],
  ["finalizers"],
  ["managedFields"],
];

export function checkRequired(errors: FieldError[], field: string, value: unknown, detail = ""): void {
  if (value === undefined || value === null || value === "") errors.push(required(field, detail));
}

/** One of a closed list of words; none of them where the word is missing. */
export function checkWord(
  errors: FieldError[],
  field: string,
  value: string | undefined,
  words: readonly string[],
  missing = "",
): void {
  if (!value) errors.push(required(field, missing));
  else if (!words.includes(value)) errors.push(notSupported(field, value, words));
}

/** As checkWord, for a word that may be absent; an empty one is a wrong one. */
export function checkOptionalWord(
  errors: FieldError[],
  field: string,
  value: string | undefined,
  words: readonly string[],
): void {
  if (value !== undefined && !words.includes(value)) errors.push(notSupported(field, value, words));
}

export const NOT_NEGATIVE = "must be greater than or equal to 0";

export function checkNotNegative(errors: FieldError[], field: string, value: number | undefined): void {
  if (value !== undefined && value < 0) errors.push(invalid(field, value, NOT_NEGATIVE));
}

/** A form whose problems upstream tells in one sentence. */
export const inOneSentence =
  (problemsOf: (text: string) => readonly string[]) =>
  (text: string): string[] => {
    const problems = problemsOf(text);
    return problems.length === 0 ? [] : [problems.join(",")];
  };

/** The form of a kind. */
export const kindProblems = (kind: string): string[] =>
  inOneSentence(dns1035LabelProblems)(kind.toLowerCase()).map(
    (problems) => `may have mixed case, but should otherwise match: ${problems}`,
  );

/** A star takes everything, and stands alone. */
export const starAlone =
  (others: string) =>
  (list: readonly unknown[]): string[] =>
    list.length > 1 && list.includes("*") ? [`if '*' is present, must not specify other ${others}`] : [];

/** The name of a storage driver. */
export const DRIVER_NAME: ValueCheck = {
  filled: true,
  strict: true,
  maxBytes: 63,
  form: (name) => dns1123SubdomainProblems(name.toLowerCase()),
};

export const IMMUTABLE = "field is immutable";
