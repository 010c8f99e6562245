// What was applied last, as clients that apply by themselves keep it: in an annotation of the object.

import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { decodeJson, jsonText } from "../codec/json.ts";
import { namesFor } from "../meta/names.ts";
import type { Flag, Flags } from "./command.ts";
import { memberOf, textAt } from "./json-members.ts";
import { inOrder } from "./printing/object-text.ts";
import type { Session } from "./session.ts";

export const SAVE_CONFIG_FLAG: Flag = {
  name: "save-config",
  summary: "keep what is written in an annotation, for clients that apply by themselves",
};

export async function lastAppliedAnnotation(session: Session): Promise<string> {
  return namesFor((await session.discovery()).dialect).lastAppliedAnnotation;
}

export const annotationsOf = (object: Json): JsonObject => memberOf(memberOf(object, "metadata"), "annotations");

/** Undefined where nothing readable is kept. */
export function keptIn(object: Json, annotation: string): JsonObject | undefined {
  try {
    const { value } = decodeJson(Buffer.from(textAt(annotationsOf(object), annotation)));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** As clients keep it: without itself, the same text for the same object. */
export function keptText(object: JsonObject, annotation: string): string {
  const { [annotation]: _, ...annotations } = annotationsOf(object);
  const metadata = { ...memberOf(object, "metadata"), annotations };
  return `${jsonText(inOrder({ ...object, metadata }))}\n`;
}

/** The object that keeps itself: where --save-config says so, and where it has kept an older one. */
export async function withLastApplied(session: Session, object: JsonObject, flags: Flags): Promise<JsonObject> {
  const annotation = await lastAppliedAnnotation(session);
  const before = annotationsOf(object);
  if (!flags.switch(SAVE_CONFIG_FLAG.name) && before[annotation] === undefined) return object;
  const annotations = { ...before, [annotation]: keptText(object, annotation) };
  return { ...object, metadata: { ...memberOf(object, "metadata"), annotations } };
}
