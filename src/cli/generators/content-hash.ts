// Names of ConfigMaps and Secrets that say what the objects hold: another content has another name. The same names as kubectl's.

import { createHash } from "node:crypto";
import type { JsonObject } from "../../base/json.ts";
import { memberOf, textAt } from "../json-members.ts";
import { inOrder } from "../printing/object-text.ts";

/** The object, its name with the hash of its kind, name and content. */
export function withHash(object: JsonObject): JsonObject {
  const metadata = memberOf(object, "metadata");
  const name = textAt(metadata, "name");
  const { binaryData } = object;
  const hashed: JsonObject = {
    kind: object["kind"]!,
    name,
    data: memberOf(object, "data"),
    ...(object["kind"] === "Secret" ? { type: textAt(object, "type") } : {}),
    ...(binaryData === undefined ? {} : { binaryData }),
  };
  return { ...object, metadata: { ...metadata, name: `${name}-${hashText(hashed)}` } };
}

/** How much of the hash is shown. */
const LENGTH = 10;
/** Digits and letters that make words, or are taken for each other, and what stands for them. */
const REPLACED: ReadonlyMap<string, string> = new Map(Object.entries({ 0: "g", 1: "h", 3: "k", a: "m", e: "t" }));

function hashText(value: JsonObject): string {
  const hash = createHash("sha256").update(safeJson(value)).digest("hex").slice(0, LENGTH);
  return hash.replaceAll(/[013ae]/g, (letter) => REPLACED.get(letter)!);
}

/** Keys in order, and what would end a script in a page escaped. */
const safeJson = (value: JsonObject): string =>
  JSON.stringify(inOrder(value)).replaceAll(
    /[<>&\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
