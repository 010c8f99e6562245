// Objects as bytes. At rest an object is its JSON without a resourceVersion (only the commit knows it); what readers get
// is the same bytes with the version spliced in behind the uid, so that no read parses or serializes.
//
//   at rest:  {"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","namespace":"a","uid":"6f...","creationTimestamp":...
//   served:   {"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","namespace":"a","uid":"6f...","resourceVersion":"7","creationTimestamp":...
//
// Everything before the uid is either ours or validated (names hold no quotes), so its first occurrence is the right one.

import { type Json, setKey } from "../base/json.ts";
import { Pace, type Steps } from "../base/steps.ts";
import { decodeJsonCountingInSteps, decodeOwnJson, encodeJsonPlain, encodeJsonPlainInSteps } from "../codec/json.ts";
import type { ApiObject, ObjectMeta } from "../meta/object.ts";
import type { Revision } from "../storage/engine.ts";

const UID_MARK = Buffer.from('"uid":"');
const VERSION_MARK = Buffer.from('"resourceVersion":"');
const QUOTE = 0x22;

/** The bytes to commit. */
export function encodeStored(object: ApiObject): Uint8Array {
  return encodeJsonPlain(ordered(object, false));
}

/** The same for large objects. */
export function encodeStoredInSteps(object: ApiObject): Steps<Uint8Array> {
  return encodeJsonPlainInSteps(ordered(object, false));
}

/** The bytes to send, for an object that is at hand decoded. */
export function encodeObject(object: ApiObject): Uint8Array {
  return encodeJsonPlain(ordered(object, true));
}

/** The same for large objects. */
export function encodeObjectInSteps(object: ApiObject): Steps<Uint8Array> {
  return encodeJsonPlainInSteps(ordered(object, true));
}

const METADATA_MARK = Buffer.from('"metadata":');
const [OPENING, CLOSING, BACKSLASH, COLON] = [0x7b, 0x7d, 0x5c, 0x3a];

/** Whether both are of one kind and version. Type comes before metadata, as `encodeStored` writes it. */
export function sameStoredType(one: Uint8Array, other: Uint8Array): boolean {
  // Every update asks: most are the same up to there and beyond.
  for (let at = 0; at < one.length && one[at] === other[at]; at += 1) {
    if (one[at] === COLON && endsWithMark(one, at + 1)) return true;
  }
  return !hasMetadata(one) || !hasMetadata(other);
}

function endsWithMark(bytes: Uint8Array, end: number): boolean {
  const start = end - METADATA_MARK.length;
  return start >= 0 && METADATA_MARK.every((byte, index) => bytes[start + index] === byte);
}

const hasMetadata = (stored: Uint8Array): boolean =>
  Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength).includes(METADATA_MARK);

/** The metadata in served bytes, without parsing them; undefined where they are not as `encodeObject` writes. */
export function metadataPart(served: Uint8Array): Uint8Array | undefined {
  const buffer = Buffer.from(served.buffer, served.byteOffset, served.byteLength);
  const mark = buffer.indexOf(METADATA_MARK);
  const start = mark + METADATA_MARK.length;
  if (mark < 0 || buffer[start] !== OPENING) return undefined;
  let depth = 0;
  for (let at = start; at < buffer.length; at += 1) {
    const byte = buffer[at];
    if (byte === QUOTE) {
      at += 1;
      while (at < buffer.length && buffer[at] !== QUOTE) at += buffer[at] === BACKSLASH ? 2 : 1;
    } else if (byte === OPENING) depth += 1;
    else if (byte === CLOSING) {
      depth -= 1;
      if (depth === 0) return buffer.subarray(start, at + 1);
    }
  }
  return undefined;
}

/** Memory of one's own for every object takes a seventh of the time of an update; they share pieces among themselves. */
const KEPT_PIECE_BYTES = 8 * 1024;
let piece = Buffer.alloc(0);
let used = 0;

function keptMemory(sizeBytes: number): Buffer {
  if (sizeBytes > KEPT_PIECE_BYTES / 2) return Buffer.allocUnsafeSlow(sizeBytes);
  if (used + sizeBytes > piece.length) {
    piece = Buffer.allocUnsafeSlow(KEPT_PIECE_BYTES);
    used = 0;
  }
  used += sizeBytes;
  return piece.subarray(used - sizeBytes, used);
}

/**
 * Committed bytes with their resourceVersion. What is kept for long stands apart: a part of the pool that short texts
 * share would keep all of it.
 */
export function withResourceVersion(
  stored: Uint8Array,
  revision: Revision,
  life: "kept" | "short" = "short",
): Uint8Array {
  const buffer = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  const mark = buffer.indexOf(UID_MARK);
  if (mark < 0) return slowWithResourceVersion(stored, revision);
  const at = buffer.indexOf(QUOTE, mark + UID_MARK.length) + 1;
  const version = `,"resourceVersion":"${revision}"`;
  const sizeBytes = buffer.length + version.length;
  const out = life === "kept" ? keptMemory(sizeBytes) : Buffer.allocUnsafe(sizeBytes);
  buffer.copy(out, 0, 0, at);
  out.write(version, at, "latin1");
  buffer.copy(out, at + version.length, at);
  return out;
}

/** Served bytes with another resourceVersion. */
export function replaceResourceVersion(served: Uint8Array, revision: Revision): Uint8Array {
  const buffer = Buffer.from(served.buffer, served.byteOffset, served.byteLength);
  const from = buffer.indexOf(VERSION_MARK, Math.max(0, buffer.indexOf(UID_MARK))) + VERSION_MARK.length;
  const to = buffer.indexOf(QUOTE, from);
  return Buffer.concat([buffer.subarray(0, from), Buffer.from(String(revision)), buffer.subarray(to)]);
}

/** Decodes committed bytes. Fails when they are not an object. */
export function decodeStored(stored: Uint8Array, revision: Revision): ApiObject {
  return asObject(decodeOwnJson(stored), revision);
}

/** The same for large objects. */
export function* decodeStoredInSteps(stored: Uint8Array, revision: Revision): Steps<ApiObject> {
  return asObject((yield* decodeJsonCountingInSteps(stored)).value, revision);
}

/** The same for many, of which some may be large. */
export function* decodeAllInSteps(
  items: readonly { readonly bytes: Uint8Array; readonly revision: Revision }[],
): Steps<ApiObject[]> {
  const objects: ApiObject[] = [];
  const pace = new Pace(BYTES_PER_STEP);
  for (const { bytes, revision } of items) {
    if (pace.due(bytes.length)) yield;
    const large = bytes.length > BYTES_PER_STEP;
    objects.push(large ? yield* decodeStoredInSteps(bytes, revision) : decodeStored(bytes, revision));
  }
  return objects;
}

/** `encodeObject` of each, with the same in mind. `sizesBytes`: about how long they are. */
export function* encodeAllInSteps(objects: readonly ApiObject[], sizesBytes: readonly number[]): Steps<Uint8Array[]> {
  const encoded: Uint8Array[] = [];
  const pace = new Pace(BYTES_PER_STEP);
  for (const [index, object] of objects.entries()) {
    const sizeBytes = sizesBytes[index] ?? 0;
    if (pace.due(sizeBytes)) yield;
    encoded.push(sizeBytes > BYTES_PER_STEP ? yield* encodeObjectInSteps(object) : encodeObject(object));
  }
  return encoded;
}

const BYTES_PER_STEP = 32 * 1024;

function asObject(value: Json, revision: Revision): ApiObject {
  const object = value as unknown as ApiObject;
  if (
    typeof object !== "object" ||
    object === null ||
    typeof object.metadata !== "object" ||
    object.metadata === null
  ) {
    throw new Error("the stored bytes are not an object");
  }
  object.metadata.resourceVersion = String(revision);
  return object;
}

const BEFORE_UID: ReadonlySet<string> = new Set(["name", "generateName", "namespace", "selfLink"]);

/**
 * Whether decoded bytes have the order in which `encodeStored` writes: then the first uid in the text is the object's own.
 * Another program that has put objects into the store may write them in any order, a resourceVersion among them.
 */
export function hasStoredOrder(object: ApiObject): boolean {
  const [first, second, third] = Object.keys(object);
  if (first !== "kind" || second !== "apiVersion" || third !== "metadata") return false;
  const keys = Object.keys(object.metadata);
  const uid = keys.indexOf("uid");
  // decodeStored has added the version last, unless the text had one.
  return uid >= 0 && keys.at(-1) === "resourceVersion" && keys.slice(0, uid).every((key) => BEFORE_UID.has(key));
}

function slowWithResourceVersion(stored: Uint8Array, revision: Revision): Uint8Array {
  return encodeObject(decodeStored(stored, revision));
}

const FIRST_MEMBERS: ReadonlySet<string> = new Set(["kind", "apiVersion", "metadata"]);

function ordered(object: ApiObject, withVersion: boolean): ApiObject {
  const { kind, apiVersion, metadata } = object;
  const result = { kind, apiVersion, metadata: orderedMetadata(metadata, withVersion) } as ApiObject;
  // One by one: an object that is spread without some of its members takes several times as long.
  for (const key in object) if (!FIRST_MEMBERS.has(key)) setKey(result, key, object[key]);
  return result;
}

/** In the order in which upstream writes it. Written out: all objects have one shape then; JSON leaves out what is undefined. */
function orderedMetadata(metadata: ObjectMeta, withVersion: boolean): Record<keyof ObjectMeta, unknown> {
  return {
    name: metadata.name,
    generateName: metadata.generateName,
    namespace: metadata.namespace,
    selfLink: metadata.selfLink,
    uid: metadata.uid,
    resourceVersion: withVersion ? metadata.resourceVersion : undefined,
    generation: metadata.generation,
    creationTimestamp: metadata.creationTimestamp,
    deletionTimestamp: metadata.deletionTimestamp,
    deletionGracePeriodSeconds: metadata.deletionGracePeriodSeconds,
    labels: metadata.labels,
    annotations: metadata.annotations,
    ownerReferences: metadata.ownerReferences,
    finalizers: metadata.finalizers,
    managedFields: metadata.managedFields,
  };
}
