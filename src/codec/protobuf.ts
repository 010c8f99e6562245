// Protobuf bytes to objects and back, from the field numbers of a schema, byte for byte as upstream writes them.
// Requirements: document 1, "Protobuf envelope".

import { Pace, type Steps } from "../base/steps.ts";
import type { StructSchema } from "../schema/schema.ts";
import { CrowdedMap, DecodeError, MessageError } from "./decode-error.ts";
import { readStruct, readStructInSteps } from "./protobuf/decoder.ts";
import { messageWriterOf, writeMessageInSteps } from "./protobuf/encoder.ts";
import { ENVELOPE_TAIL, readEnvelope, type TypeMeta, writeEnvelopeHead } from "./protobuf/envelope.ts";
import { Reader } from "./protobuf/reader.ts";
import { Writer } from "./protobuf/writer.ts";
import { LIST_NUMBERS } from "./protobuf-stream.ts";

export { readEnvelope };

type ObjectValue = Readonly<Record<string, unknown>>;

// One writer serves all: encoding never waits in between.
const writer = new Writer();

/**
 * An object in its envelope, as requests and responses carry it. The type comes from the object's own apiVersion and
 * kind unless it is given.
 */
export function encodeProtobuf(object: ObjectValue, schema: StructSchema, type: TypeMeta = typeOf(object)): Uint8Array {
  writer.reset();
  writer.raw(ENVELOPE_TAIL);
  messageWriterOf(schema)(writer, object);
  writeEnvelopeHead(writer, type, writer.size - ENVELOPE_TAIL.length);
  return writer.finish();
}

/** The same for a large object. */
export function* encodeProtobufInSteps(object: ObjectValue, schema: StructSchema): Steps<Uint8Array> {
  const own = new Writer();
  own.reset();
  own.raw(ENVELOPE_TAIL);
  yield* writeMessageInSteps(own, schema, object, new Pace(VALUES_PER_STEP));
  writeEnvelopeHead(own, typeOf(object), own.size - ENVELOPE_TAIL.length);
  return own.finish();
}

const VALUES_PER_STEP = 500;

/** One item of a list: its message with tag and length in front. */
export function encodeProtobufItem(object: ObjectValue, schema: StructSchema, numbers = LIST_NUMBERS): Uint8Array {
  writer.reset();
  messageWriterOf(schema)(writer, object);
  writer.uint32(writer.size);
  writer.uint32(numbers.items * 8 + 2);
  return writer.finish();
}

/** The same for a large object. */
export function* encodeProtobufItemInSteps(object: ObjectValue, schema: StructSchema): Steps<Uint8Array> {
  const own = new Writer();
  own.reset();
  yield* writeMessageInSteps(own, schema, object, new Pace(VALUES_PER_STEP));
  own.uint32(own.size);
  own.uint32(LIST_NUMBERS.items * 8 + 2);
  return own.finish();
}

/**
 * An object with its apiVersion and kind. Fails with a DecodeError, a MessageError where its type is known; also where its
 * maps have more than `maxKeys`.
 */
export function decodeProtobuf(bytes: Uint8Array, schema: StructSchema, maxKeys?: number): Record<string, unknown> {
  const { raw, ...type } = readEnvelope(bytes);
  try {
    return decodeProtobufMessage(raw, schema, type, maxKeys);
  } catch (error) {
    throw ofMessage(error, type);
  }
}

/** The same for long messages. */
export function* decodeProtobufInSteps(
  bytes: Uint8Array,
  schema: StructSchema,
  maxKeys: number,
  bytesPerStep?: number,
): Steps<Record<string, unknown>> {
  const { raw, ...type } = readEnvelope(bytes);
  try {
    return yield* readStructInSteps(new Reader(raw, maxKeys), schema, typed(type), bytesPerStep);
  } catch (error) {
    throw ofMessage(error, type);
  }
}

function ofMessage(error: unknown, type: TypeMeta): unknown {
  const unread = error instanceof DecodeError && !(error instanceof CrowdedMap);
  return unread ? new MessageError(error.message, type) : error;
}

/** The message alone. With a type, the object carries it in front. Fails with a DecodeError. */
export function decodeProtobufMessage(
  raw: Uint8Array,
  schema: StructSchema,
  type?: TypeMeta,
  maxKeys?: number,
): Record<string, unknown> {
  return readStruct(new Reader(raw, maxKeys), schema, type === undefined ? {} : typed(type));
}

/** An object that says what it is, as far as that is known. */
function typed({ apiVersion, kind }: TypeMeta): Record<string, unknown> {
  const target: Record<string, unknown> = {};
  if (kind !== "") target["kind"] = kind;
  if (apiVersion !== "") target["apiVersion"] = apiVersion;
  return target;
}

function typeOf(object: ObjectValue): TypeMeta {
  const { apiVersion, kind } = object;
  return {
    apiVersion: typeof apiVersion === "string" ? apiVersion : "",
    kind: typeof kind === "string" ? kind : "",
  };
}
