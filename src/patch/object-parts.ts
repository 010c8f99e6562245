// Small reads and copies of an object's metadata.

import { isObject, type JsonObject, setKey } from "../base/json.ts";

/** A copy that shares everything but metadata, which lacks managedFields: ownership does not own itself. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata) || !Object.hasOwn(metadata, "managedFields")) return object;
  return withMetadata(object, "managedFields", undefined);
}

/** A copy with one member of metadata set, or without it when undefined. */
export function withMetadata(object: JsonObject, name: string, value: JsonObject[string]): JsonObject {
  const metadata: JsonObject = {};
  const before = object["metadata"];
  // Member by member: what a member was deleted from is slow to read, and this is read by every stage that follows.
  if (isObject(before)) {
    for (const key in before) {
      const member = key === name ? value : before[key];
      if (member !== undefined) setKey(metadata, key, member);
    }
  }
  if (value !== undefined) metadata[name] = value;
  return { ...object, metadata };
}

export function annotationOf(object: JsonObject, name: string): string | undefined {
  const { metadata } = object;
  const annotations = isObject(metadata) ? metadata["annotations"] : undefined;
  const value = isObject(annotations) && Object.hasOwn(annotations, name) ? annotations[name] : undefined;
  return typeof value === "string" ? value : undefined;
}
