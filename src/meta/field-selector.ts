// Field selectors as text: `metadata.name=x,spec.nodeName!=y`, values with backslash escapes.

import { MAX_TERMS, SelectorSyntaxError, tooManyTerms } from "./label-selector.ts";
import { cutText } from "./quoted.ts";

interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  matches(fields: Readonly<Record<string, string>>): boolean;
  readonly text: string;
  /** The value that `field` must have, when the selector demands exactly one. */
  exact(field: string): string | undefined;
}

/** The fields that every object may be selected by. */
export function metadataFields(
  scope: "Namespaced" | "Cluster",
  { name = "", namespace = "" }: { readonly name?: string; readonly namespace?: string },
): Record<string, string> {
  return scope === "Namespaced"
    ? { "metadata.name": name, "metadata.namespace": namespace }
    : { "metadata.name": name };
}

/** Fails with SelectorSyntaxError. Which fields may be selected is the kind's to say. */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = splitTerms(text).filter((term) => term !== "");
  if (terms.length > MAX_TERMS) throw tooManyTerms();
  const requirements = terms
    // As upstream, which tells of the first that is wrong in this order.
    .sort()
    .map((term) => parseTerm(term, text))
    // Nothing equal to nothing asks for nothing.
    .filter(({ field, value }) => field !== "" || value !== "");
  return fieldSelectorOf(requirements);
}

export function fieldSelectorOf(requirements: readonly FieldRequirement[]): FieldSelector {
  const exact = new Map<string, string>();
  for (const { field, operator, value } of requirements) {
    if (operator === "=" && !exact.has(field)) exact.set(field, value);
  }
  return {
    requirements,
    text: requirements.map(({ field, operator, value }) => `${field}${operator}${escapeValue(value)}`).join(","),
    matches: matcherOf(requirements),
    exact: (field) => exact.get(field),
  };
}

/** As text: objects may have names with what selectors are made of. */
export function whereField(field: string, value: string): string {
  return fieldSelectorOf([{ field, operator: "=", value }]).text;
}

/** Gathered by field once: a selector may have very many terms and is asked about every object. */
function matcherOf(requirements: readonly FieldRequirement[]): FieldSelector["matches"] {
  const demands = new Map<string, { wanted: Set<string>; denied: Set<string> }>();
  for (const { field, operator, value } of requirements) {
    let demand = demands.get(field);
    if (demand === undefined) {
      demand = { wanted: new Set(), denied: new Set() };
      demands.set(field, demand);
    }
    (operator === "=" ? demand.wanted : demand.denied).add(value);
  }
  return (fields) => {
    for (const [field, { wanted, denied }] of demands) {
      const value = Object.hasOwn(fields, field) ? fields[field]! : "";
      if (denied.has(value) || wanted.size > 1 || (wanted.size === 1 && !wanted.has(value))) return false;
    }
    return true;
  };
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === ",") {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function parseTerm(term: string, selector: string): FieldRequirement {
  for (let at = 0; at < term.length; at += 1) {
    for (const symbol of ["!=", "==", "="] as const) {
      if (term.startsWith(symbol, at)) {
        return {
          field: term.slice(0, at),
          operator: symbol === "!=" ? "!=" : "=",
          value: unescapeValue(term.slice(at + symbol.length)),
        };
      }
    }
  }
  throw new SelectorSyntaxError(`invalid selector: '${cutText(selector)}'; can't understand '${cutText(term)}'`);
}

function unescapeValue(text: string): string {
  let value = "";
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]!;
    if (char === "\\") {
      const next = text[at + 1];
      if (next !== "\\" && next !== "," && next !== "=")
        throw new SelectorSyntaxError(`invalid field selector: invalid escape sequence: ${char}${next ?? ""}`);
      value += next;
      at += 1;
    } else if (char === "=") {
      throw new SelectorSyntaxError(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`);
    } else value += char;
  }
  return value;
}

const escapeValue = (value: string): string => value.replace(/[\\,=]/g, (char) => `\\${char}`);
