// The annotation in which clients that apply on their side keep their last intent, and the way from there to here.

import { isObject, type Json, type JsonObject, setKey } from "../base/json.ts";
import { compareByBytes } from "../schema/sorted-keys.ts";
import { type FieldSet, hasPath, subtractSets } from "./field-set.ts";
import { goJsonString } from "./go-text.ts";
import { annotationOf, withMetadata } from "./object-parts.ts";
import type { FieldPath } from "./path-element.ts";
import type { Atom } from "./typed/atom.ts";
import { compareTyped } from "./typed/compare.ts";
import { extractFieldSet } from "./typed/extract.ts";
import { TypedError } from "./typed/typed-error.ts";
import { validateTyped } from "./typed/validate.ts";

/** All annotations of an object together, names and values. */
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/**
 * Whether a field still has the value that the client applied on its side: then it was the client's, and taking it is
 * no conflict. Undefined when the annotation says nothing.
 */
export function appliedBefore(
  live: JsonObject,
  annotation: string,
  apiVersion: string,
  atom: Atom,
): ((path: FieldPath) => boolean) | undefined {
  const text = annotationOf(live, annotation);
  if (text === undefined || text === "") return undefined;
  const set = unchangedSince(text, live, apiVersion, atom);
  return set && ((path) => hasPath(set, path));
}

function unchangedSince(text: string, live: JsonObject, apiVersion: string, atom: Atom): FieldSet | undefined {
  try {
    const last = JSON.parse(text) as Json;
    if (!isObject(last) || last["apiVersion"] !== apiVersion) return undefined;
    validateTyped(last, atom);
    const { added, modified, removed } = compareTyped(last, live, atom);
    const set = extractFieldSet(last, atom);
    return subtractSets(subtractSets(subtractSets(set, modified), added), removed);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypedError) return undefined;
    throw error;
  }
}

/** Brings an annotation that exists up to date, so that a client that falls back to its side finds its last intent. */
export function syncLastApplied(object: JsonObject, intent: JsonObject, annotation: string): JsonObject {
  if (!annotationOf(object, annotation)) return object;
  const metadata = object["metadata"] as JsonObject;
  const annotations: JsonObject = {};
  let sizeBytes = 0;
  const current = metadata["annotations"] as JsonObject;
  for (const key of Object.keys(current)) {
    const value = key === annotation ? `${canonicalJson(withoutAnnotation(intent, annotation))}\n` : current[key];
    setKey(annotations, key, value);
    sizeBytes += Buffer.byteLength(key) + Buffer.byteLength(String(value));
  }
  if (sizeBytes > MAX_ANNOTATIONS_BYTES) delete annotations[annotation];
  return withMetadata(object, "annotations", annotations);
}

function withoutAnnotation(intent: JsonObject, annotation: string): JsonObject {
  if (annotationOf(intent, annotation) === undefined) return intent;
  const metadata = intent["metadata"] as JsonObject;
  const { [annotation]: _dropped, ...annotations } = metadata["annotations"] as JsonObject;
  return withMetadata(intent, "annotations", annotations);
}

/** Keys sorted, as upstream writes it. */
function canonicalJson(value: Json): string {
  if (typeof value === "string") return goJsonString(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isObject(value)) return String(value);
  const keys = Object.keys(value).sort(compareByBytes);
  return `{${keys.map((key) => `${goJsonString(key)}:${canonicalJson(value[key] ?? null)}`).join(",")}}`;
}
