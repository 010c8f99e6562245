// Whether a value fits its schema as far as merging needs it: forms, known fields, identified list elements.

import { isObject, type Json } from "../../base/json.ts";
import { goType, goValue } from "../go-text.ts";
import { checkNesting, MAX_OWNED_DEPTH } from "../nesting.ts";
import { elementText, fieldElement, type PathElement } from "../path-element.ts";
import type { Atom, ListAtom, MapAtom, ScalarForm } from "./atom.ts";
import { formOf, treatedAs } from "./form.ts";
import { listElement } from "./list-element.ts";
import { TypedError, type TypedFinding } from "./typed-error.ts";

/** Findings are reported up to this many. */
const MAX_FINDINGS = 100;

/** Throws TypedError when the value does not fit. Repeated elements do not. */
export function validateTyped(value: Json, atom: Atom): void {
  const findings: TypedFinding[] = [];
  visit(value, atom, [], findings);
  if (findings.length > 0) throw new TypedError(findings);
}

function visit(value: Json, atom: Atom, path: PathElement[], findings: TypedFinding[]): void {
  if (findings.length >= MAX_FINDINGS || value === null) return;
  // Where anything goes there is nothing to find but its depth.
  if (atom.only === undefined || path.length >= MAX_OWNED_DEPTH) {
    checkNesting(value, path.length);
    return;
  }
  switch (treatedAs(atom, formOf(atom, value))) {
    case "scalar": {
      const message = scalarFinding(atom.scalar!, value);
      if (message !== undefined) findings.push(finding(path, message));
      return;
    }
    case "list":
      if (Array.isArray(value)) visitItems(value, atom.list!, path, findings);
      else findings.push(finding(path, `expected list, got &{${goValue(value)}}`));
      return;
    case "map":
      if (!isObject(value)) findings.push(finding(path, `expected map, got &{${goValue(value)}}`));
      else visitMembers(value, atom.map!, path, findings);
  }
}

function visitMembers(
  value: Record<string, Json | undefined>,
  map: MapAtom,
  path: PathElement[],
  findings: TypedFinding[],
): void {
  for (const key of Object.keys(value)) {
    const field = map.field(key);
    const inner = field?.atom ?? map.value;
    path.push(field?.element ?? fieldElement(key));
    if (inner !== undefined) visit(value[key] ?? null, inner, path, findings);
    else findings.push(finding(path, "field not declared in schema"));
    path.pop();
    if (inner === undefined) return;
  }
}

function visitItems(value: Json[], list: ListAtom, path: PathElement[], findings: TypedFinding[]): void {
  const seen = new Set<PathElement>();
  for (let index = 0; index < value.length; index++) {
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
      if (seen.has(element)) findings.push(finding(path, `duplicate entries for key ${elementText(element)}`));
      seen.add(element);
    }
    path.push(element);
    visit(item, list.item, path, findings);
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
  path: path.map(elementText).join(""),
  message,
});
