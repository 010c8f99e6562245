// The texts around the expressions of a custom resource's schema (x-kubernetes-validations), and field paths in it.

import { type FieldError, invalid, notSupported, required } from "../meta/field-error.ts";
import { additionalOf, hasProperties, type Props, type PropsRule, propertyOf } from "./crd-props.ts";

export function* expressionTextErrors(each: PropsRule, props: Props, path: string): Generator<FieldError> {
  const rule = (each.rule ?? "").trim();
  const message = (each.message ?? "").trim();
  if (rule === "") yield required(`${path}.rule`, "rule is not specified");
  else if (each.message && message === "") {
    yield invalid(`${path}.message`, each.message, "must be non-empty if specified");
  } else if (hasLineBreak(message)) yield invalid(`${path}.message`, each.message, "must not contain line breaks");
  else if (hasLineBreak(rule) && message === "") {
    yield required(`${path}.message`, "message must be specified if rule contains line breaks");
  }
  if (each.messageExpression && each.messageExpression.trim() === "") {
    yield required(`${path}.messageExpression`, "messageExpression must be non-empty if specified");
  }
  if (each.reason !== undefined && !REASONS.includes(each.reason)) {
    yield notSupported(`${path}.reason`, each.reason, REASONS);
  }
  if (each.fieldPath) yield* fieldPathErrors(each.fieldPath, props, `${path}.fieldPath`);
}

const REASONS = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

function* fieldPathErrors(fieldPath: string, props: Props, path: string): Generator<FieldError> {
  if (fieldPath.trim() === "") yield invalid(path, fieldPath, "must be non-empty if specified");
  if (hasLineBreak(fieldPath)) yield invalid(path, fieldPath, "must not contain line breaks");
  if (typeof resolveFieldPath(fieldPath, props) === "string") yield invalid(path, fieldPath, "must be a valid path");
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text);
}

/** The schema at a path like .spec.parts['a.b'] and the path as errors write it; a sentence when there is none. */
export function resolveFieldPath(text: string, root: Props): { props: Props | undefined; path: string } | string {
  let props: Props | undefined = root;
  let path = "";
  let rest = text;
  while (rest !== "") {
    const step = FIELD_STEP.exec(rest);
    if (step === null) return stepProblem(rest);
    rest = rest.slice(step[0].length);
    const name = step[1] ?? unescapeQuoted(step[2] ?? "");
    if (name === undefined) return "invalid string literal";
    if (props !== undefined && hasProperties(props)) {
      props = propertyOf(props, name);
      if (props === undefined) return "does not refer to a valid field";
      path += `.${name}`;
    } else if (props?.additionalProperties !== undefined) {
      props = additionalOf(props);
      path += `[${name}]`;
    } else return "does not refer to a valid field";
  }
  return { props, path: path.startsWith(".") ? path.slice(1) : path };
}

function stepProblem(rest: string): string {
  if (rest === "." || rest.startsWith("[")) return "unexpected end of JSON path";
  if (rest.startsWith(".")) return "does not refer to a valid field";
  return `expected [ or . but got: ${/^[^.[\]]+|^\]/.exec(rest)?.[0]}`;
}

const FIELD_STEP = /^(?:\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\])/;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["a", "\u0007"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["'", "'"],
  ["\\", "\\"],
]);

function unescapeQuoted(text: string): string | undefined {
  let good = true;
  const plain = text.replace(/\\(.)/gs, (_whole, letter: string) => {
    const character = ESCAPES.get(letter);
    if (character === undefined) good = false;
    return character ?? "";
  });
  return good ? plain : undefined;
}
