// Whether a value fits its schema as far as merging needs it: forms, known fields, identified list elements.

import { isObject, type Json } from "../../base/json.ts";
import { keysInStep } from "../../base/json-in-steps.ts";
import { atOnce, Pace, type Steps } from "../../base/steps.ts";
import { goType, goValue } from "../go-text.ts";
import { checkNesting, MAX_OWNED_DEPTH } from "../nesting.ts";
import { elementText, fieldElement, type PathElement, pathText } from "../path-element.ts";
import type { Atom, ListAtom, MapAtom, ScalarForm } from "./atom.ts";
import { formOf, treatedAs } from "./form.ts";
import { listElement } from "./list-element.ts";
import { TypedError, type TypedFinding } from "./typed-error.ts";

/** Findings are reported up to this many. */
const MAX_FINDINGS = 100;

/** Throws TypedError when the value does not fit. Repeated elements do not. */
export function validateTyped(value: Json, atom: Atom): void {
  atOnce(validateTypedInSteps(value, atom));
}

/** The same for large values. */
export function* validateTypedInSteps(value: Json, atom: Atom): Steps<void> {
  const visited: Visited = { path: [], findings: [], pace: new Pace(VALUES_PER_STEP) };
  if (!isJudged(value, atom, visited)) yield* visitParts(value, atom, visited);
  if (visited.findings.length > 0) throw new TypedError(visited.findings);
}

/** So many values are gone through in one step. */
const VALUES_PER_STEP = 250;

interface Visited {
  readonly path: PathElement[];
  readonly findings: TypedFinding[];
  readonly pace: Pace;
}

/** Judges what has no parts, or whose parts are not looked at: most values, which need no steps of their own. */
function isJudged(value: Json, atom: Atom, { path, findings }: Visited): boolean {
  if (findings.length >= MAX_FINDINGS || value === null) return true;
  if (isFree(atom, path)) return typeof value !== "object";
  switch (treatedAs(atom, formOf(atom, value))) {
    case "scalar": {
      const message = scalarFinding(atom.scalar!, value);
      if (message !== undefined) findings.push(finding(path, message));
      return true;
    }
    case "list":
      if (Array.isArray(value)) return false;
      findings.push(finding(path, `expected list, got &{${goValue(value)}}`));
      return true;
    case "map":
      if (isObject(value)) return false;
      findings.push(finding(path, `expected map, got &{${goValue(value)}}`));
      return true;
  }
}

/** Where anything goes there is nothing to find but its depth. */
const isFree = (atom: Atom, path: readonly PathElement[]): boolean =>
  atom.only === undefined || path.length >= MAX_OWNED_DEPTH;

function* visitParts(value: Json, atom: Atom, visited: Visited): Steps<void> {
  const { path } = visited;
  if (isFree(atom, path)) yield* checkNesting(value, path.length);
  else if (Array.isArray(value)) yield* visitItems(value, atom.list!, visited);
  else if (isObject(value)) yield* visitMembers(value, atom.map!, visited);
}

function* visitMembers(value: Record<string, Json | undefined>, map: MapAtom, visited: Visited): Steps<void> {
  const { path, findings, pace } = visited;
  for (const key of yield* keysInStep(value)) {
    if (pace.due()) yield;
    const field = map.field(key);
    const inner = field?.atom ?? map.value;
    path.push(field?.element ?? fieldElement(key));
    if (inner !== undefined) {
      const member = value[key] ?? null;
      if (!isJudged(member, inner, visited)) yield* visitParts(member, inner, visited);
    } else findings.push(finding(path, "field not declared in schema"));
    path.pop();
    if (inner === undefined) return;
  }
}

function* visitItems(value: Json[], list: ListAtom, visited: Visited): Steps<void> {
  const { path, findings, pace } = visited;
  const seen = new Set<PathElement>();
  for (let index = 0; index < value.length; index++) {
    if (pace.due()) yield;
    const item = value[index]!;
    let element = `i:${index}`;
    if (!list.atomic) {
      try {
        element = listElement(list, item);
      } catch (error) {
        if (!(error instanceof TypedError)) throw error;
        findings.push(finding(path, `element ${index}: ${error.message}`));
        return;
      }
      if (seen.has(element) && findings.length < MAX_FINDINGS)
        findings.push(finding(path, `duplicate entries for key ${elementText(element)}`));
      seen.add(element);
    }
    path.push(element);
    if (!isJudged(item, list.item, visited)) yield* visitParts(item, list.item, visited);
    path.pop();
  }
}

function scalarFinding(form: ScalarForm, value: Json): string | undefined {
  switch (form) {
    case "numeric":
      if (typeof value === "number" || typeof value === "bigint") return undefined;
      return `expected numeric (int or float), got ${goType(value)}`;
    case "string":
      return typeof value === "string"
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goValue(value)}}`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `expected boolean, got &{${goValue(value)}}`;
    case "untyped":
      return typeof value === "object" ? `expected any scalar, got &{${goValue(value)}}` : undefined;
  }
}

const finding = (path: readonly PathElement[], message: string): TypedFinding => ({
  path: pathText(path),
  message,
});
