// Objects in the encodings and representations other than plain JSON: one, a list, a watch event.

import { atOnce, type Steps } from "../../base/steps.ts";
import { encodeCbor, encodeCborEvent, encodeCborInSteps } from "../../codec/cbor.ts";
import { encodeJson, encodeJsonInSteps } from "../../codec/json.ts";
import type { Output } from "../../codec/negotiate.ts";
import { encodeProtobuf, encodeProtobufInSteps, encodeProtobufItem } from "../../codec/protobuf.ts";
import { encodeProtobufList, encodeProtobufWatchEvent, type ListMeta } from "../../codec/protobuf-stream.ts";
import { statusSchema } from "../../kinds/meta/status.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { StructSchema } from "../../schema/schema.ts";
import type { EventType } from "../../storage/watch-cache.ts";
import type { ResourceRequest } from "../resource-request.ts";
import type { WriteDeps } from "../write.ts";
import { encodeValue, encodeValueInSteps } from "./encode-value.ts";
import { representation } from "./representation.ts";

export function encodeOne(
  context: WriteDeps,
  resourceRequest: ResourceRequest,
  output: Output,
  object: ApiObject,
): Uint8Array {
  const form = representation(context, resourceRequest, output);
  return encodeValue(form.one(object), form.oneSchema, output);
}

/** The same for a large object. */
export function* encodeOneInSteps(
  context: WriteDeps,
  resourceRequest: ResourceRequest,
  output: Output,
  object: ApiObject,
): Steps<Uint8Array> {
  const form = representation(context, resourceRequest, output);
  const value = form.one(object);
  yield;
  return yield* encodeValueInSteps(value, form.oneSchema, output);
}

export function encodeList(
  context: WriteDeps,
  resourceRequest: ResourceRequest,
  output: Output,
  metadata: ListMeta,
  objects: readonly ApiObject[],
): Uint8Array {
  return atOnce(encodeListInSteps(context, resourceRequest, output, metadata, objects));
}

/** The same for lists that hold much. */
export function* encodeListInSteps(
  context: WriteDeps,
  resourceRequest: ResourceRequest,
  output: Output,
  metadata: ListMeta,
  objects: readonly ApiObject[],
): Steps<Uint8Array> {
  const form = representation(context, resourceRequest, output);
  if (output.mediaType === "protobuf" && form.itemSchema !== undefined) {
    const items: Uint8Array[] = [];
    let sizeBytes = 0;
    for (const object of objects) {
      const item = encodeProtobufItem(form.item(object), form.itemSchema, form.listNumbers);
      items.push(item);
      sizeBytes += item.length;
      if (sizeBytes < ENCODED_BYTES_PER_STEP) continue;
      sizeBytes = 0;
      yield;
    }
    return Buffer.concat([...encodeProtobufList(form.listType, metadata, items, form.listNumbers).chunks()]);
  }
  return yield* encodeValueInSteps(form.list(objects, metadata), form.listSchema, output);
}

const ENCODED_BYTES_PER_STEP = 16 * 1024;

/** Encodes the events of one watch. */
interface EventForm {
  /** Frames are the same for all watchers with this key; undefined where they depend on the watcher. */
  readonly shared: string | undefined;
  /** What stands before the metadata of an object, where JSON events show nothing else of it. */
  readonly metadataHead: string | undefined;
  event(type: EventType | "BOOKMARK", object: ApiObject): Uint8Array;
  /** The same for a large object. */
  eventInSteps(type: EventType, object: ApiObject): Steps<Uint8Array>;
  error(status: Readonly<Record<string, unknown>>): Uint8Array;
}

export function eventForm(context: WriteDeps, resourceRequest: ResourceRequest, output: Output): EventForm {
  const form = representation(context, resourceRequest, output);
  return {
    shared: form.shared && `${output.mediaType} ${form.shared}`,
    metadataHead: output.mediaType === "json" ? form.metadataHead : undefined,
    event: (type, object) => frame(output, type, form.event(object), form.oneSchema),
    eventInSteps: (type, object) => frameInSteps(output, type, form.event(object), form.oneSchema),
    error: (status) => frame(output, "ERROR", status, statusSchema),
  };
}

function frame(
  output: Output,
  type: string,
  object: Readonly<Record<string, unknown>>,
  schema: StructSchema,
): Uint8Array {
  switch (output.mediaType) {
    case "protobuf":
      return encodeProtobufWatchEvent(type, encodeProtobuf(object, schema));
    case "cbor":
      return encodeCborEvent(type, encodeCbor(object, schema));
    default:
      return encodeJson({ type, object });
  }
}

function* frameInSteps(
  output: Output,
  type: string,
  object: Readonly<Record<string, unknown>>,
  schema: StructSchema,
): Steps<Uint8Array> {
  yield;
  if (output.mediaType === "protobuf")
    return encodeProtobufWatchEvent(type, yield* encodeProtobufInSteps(object, schema));
  if (output.mediaType === "cbor") return encodeCborEvent(type, yield* encodeCborInSteps(object, schema));
  return yield* encodeJsonInSteps({ type, object });
}
