// References inside OpenAPI documents: which definitions are used, and other names for them.

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { OtherDocument } from "./other-documents.ts";

/** Changes the text of every `$ref`; parts without one stay the same values. */
export function mapReferences<T extends Json>(value: T, change: (reference: string) => string): T;
export function mapReferences(value: Json, change: (reference: string) => string): Json {
  if (Array.isArray(value)) {
    const items = value.map((item) => mapReferences(item, change));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isObject(value)) return value;
  let changed = false;
  const entries = Object.entries(value).map(([key, part]): [string, Json | undefined] => {
    if (part === undefined) return [key, part];
    // A schema may have a property of this name, which is no text.
    const next = key === "$ref" && typeof part === "string" ? change(part) : mapReferences(part, change);
    changed ||= next !== part;
    return [key, next];
  });
  return changed ? (Object.fromEntries(entries) as JsonObject) : value;
}

/** The part of a document with these paths, and without the definitions that only others needed. */
export function selectPaths(document: OtherDocument, keep: (path: string) => boolean): OtherDocument {
  const { paths, definitions, parameters } = document;
  const kept = Object.entries(paths).filter(([path, item]) => keep(path) && isObject(item));
  if (kept.length === Object.keys(paths).length) return document;
  const selected = Object.fromEntries(kept) as JsonObject;
  const usedBefore = usedDefinitions([paths, parameters], definitions);
  const used = usedDefinitions([selected, parameters], definitions);
  return {
    paths: selected,
    // What nobody has ever referred to was meant to stand on its own.
    definitions: Object.fromEntries(
      Object.entries(definitions).filter(([name]) => used.has(name) || !usedBefore.has(name)),
    ) as JsonObject,
    parameters,
  };
}

const DEFINITION = "#/definitions/";

function usedDefinitions(from: readonly Json[], definitions: JsonObject): Set<string> {
  const used = new Set<string>();
  const waiting: Json[] = [...from];
  const note = (reference: string): string => {
    const name = reference.startsWith(DEFINITION) ? reference.slice(DEFINITION.length) : undefined;
    if (name !== undefined && !used.has(name) && Object.hasOwn(definitions, name)) {
      used.add(name);
      waiting.push(definitions[name]!);
    }
    return reference;
  };
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) mapReferences(part, note);
  return used;
}
