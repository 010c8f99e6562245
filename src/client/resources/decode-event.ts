// Events of a watch from their bytes. Who owns which field of an object (metadata.managedFields) is often more than half of
// it, and hardly any reader of a watch asks for that: it is decoded when somebody does.

import { isAscii } from "node:buffer";
import { isObject } from "../../base/json.ts";
import { decodeObject, hasLongNumber } from "./decode-object.ts";

/**
 * One JSON document, as decodeObject reads it. `object.metadata.managedFields` stays text until it is read, and is then an
 * ordinary member; broken JSON inside of it fails only then. Who does not want it may get objects without it.
 */
export function decodeEventBytes(line: Uint8Array, owners: "kept" | "unwanted" = "kept"): unknown {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  return decodeWithoutOwners(bytes, owners) ?? decodeObject(bytes);
}

const MEMBER = "managedFields";
const OPENING = `"${MEMBER}":[{`;
const CLOSING = "}]";

/** Undefined where the text does not look as servers write it. */
function decodeWithoutOwners(bytes: Buffer, owners: "kept" | "unwanted"): unknown {
  const member = bytes.indexOf(OPENING, 0, "latin1");
  if (member < 0 || !isAscii(bytes) || hasLongNumber(bytes)) return undefined;
  const start = member + OPENING.length - "[{".length;
  const end = bytes.indexOf(CLOSING, start, "latin1") + CLOSING.length;
  if (end < start) return undefined;
  // What is cut out at the wrong place leaves an odd number of quotes or brackets behind, which is no JSON: looking at
  // every byte in between would cost as much as decoding it.
  const event = tryParse(`${bytes.toString("latin1", 0, start)}null${bytes.toString("latin1", end)}`);
  const object = isObject(event) ? event["object"] : undefined;
  const metadata = isObject(object) ? object["metadata"] : undefined;
  // A member of this name may stand elsewhere too, in a template or in a custom object.
  if (!isObject(object) || !isObject(metadata) || metadata[MEMBER] !== null) return undefined;
  if (owners === "kept") {
    postpone(metadata, bytes.toString("latin1", start, end));
  } else {
    // A copy without the member is faster to read than an object from which it was deleted.
    const { [MEMBER]: _, ...rest } = metadata;
    object["metadata"] = rest;
  }
  return event;
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Where the text waits: not enumerable, so that copies and encodings do not see it. */
const TEXT = Symbol("managedFields as text");

interface Postponed {
  readonly [TEXT]: string;
}

/** One pair of functions for all objects keeps them of one shape, and fast to read. */
const accessor: PropertyDescriptor & ThisType<Postponed> = {
  get() {
    const value = decodeObject(Buffer.from(this[TEXT]));
    if (!Object.isFrozen(this)) settle(this, value);
    return value;
  },
  set(value) {
    settle(this, value);
  },
  enumerable: true,
  configurable: true,
};

function postpone(metadata: object, text: string): void {
  Reflect.deleteProperty(metadata, MEMBER);
  Object.defineProperty(metadata, TEXT, { value: text, configurable: true });
  Object.defineProperty(metadata, MEMBER, accessor);
}

function settle(metadata: object, value: unknown): void {
  Reflect.deleteProperty(metadata, TEXT);
  Object.defineProperty(metadata, MEMBER, { value, writable: true, enumerable: true, configurable: true });
}
