// Watch events -> frames. JSON frames are cut from cached bytes, once per change for all watchers.

import { inTurns, type Steps } from "../../base/steps.ts";
import { turnIsOver } from "../../base/work-turns.ts";
import type { Output } from "../../codec/negotiate.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { StatusError } from "../../meta/status-error.ts";
import { conform } from "../../schema/conform.ts";
import type { Revision } from "../../storage/engine.ts";
import type { CacheEvent, CacheItem, EventType } from "../../storage/watch-cache.ts";
import { servedFields } from "../list-query.ts";
import {
  decodeAllInSteps,
  decodeStored,
  decodeStoredInSteps,
  encodeAllInSteps,
  encodeObject,
  encodeObjectInSteps,
  metadataPart,
} from "../object-bytes.ts";
import { corruptObject } from "../read-object.ts";
import type { ResourceRequest } from "../resource-request.ts";
import type { ServedResource } from "../served-resource.ts";
import { convertedBytes, LARGE_BYTES, type WriteDeps } from "../write.ts";
import { eventForm } from "./encode-answer.ts";

export interface EventEncoder {
  event(event: CacheEvent, type: EventType): Uint8Array;
  /** Whether others would notice how long event() takes. */
  takesLong(event: CacheEvent, type: EventType): boolean;
  /** Undefined when everything is there that frames are made with, as mostly; to be awaited before eventInSteps(). */
  ready(): Promise<void> | undefined;
  eventInSteps(event: CacheEvent, type: EventType): Steps<Uint8Array>;
  /** An object of the initial state, as ADDED. Fails, as event() does, when what is stored cannot be read. */
  initial(item: CacheItem): Uint8Array;
  /** The same for a large object. */
  initialInSteps(item: CacheItem): Steps<Uint8Array>;
  /**
   * An item whose bytes are of the served version already: a step at least, since there may be many. `event` shows it to all
   * who see it as `type`; their frames are the same.
   */
  converted(type: EventType, item: CacheItem, event?: Pick<CacheEvent, "frameInSteps">): Steps<Uint8Array>;
  bookmark(revision: Revision, annotations: Record<string, string> | undefined): Uint8Array;
  error(error: StatusError): Uint8Array;
}

const TAIL = Buffer.from("}\n");
const METADATA_TAIL = Buffer.from("}}\n");
const HEADS: Record<EventType | "BOOKMARK" | "ERROR", Uint8Array> = {
  ADDED: head("ADDED"),
  MODIFIED: head("MODIFIED"),
  DELETED: head("DELETED"),
  BOOKMARK: head("BOOKMARK"),
  ERROR: head("ERROR"),
};

export function eventEncoder(context: WriteDeps, resourceRequest: ResourceRequest, output: Output): EventEncoder {
  const { resource } = resourceRequest;
  /** Many may change in one turn, and to convert each takes long. */
  const waits = () => !resource.storedForm && turnIsOver();
  const bookmarkOf = (revision: Revision, annotations: Record<string, string> | undefined): ApiObject => ({
    kind: resource.kind.kind,
    apiVersion: resource.apiVersion,
    metadata: {
      resourceVersion: String(revision),
      ...(annotations === undefined ? {} : { annotations }),
    },
  });
  if (output.mediaType !== "json" || output.as !== undefined) {
    const form = eventForm(context, resourceRequest, output);
    // Cells are those of whole objects: the bookmark of a Table has all that its kind has, empty.
    const shown = (bookmark: ApiObject): ApiObject =>
      output.as === "Table"
        ? (conform(bookmark, resource.kind.schema, { unknownFields: "keep" }).value as ApiObject)
        : bookmark;
    const metadataHead =
      form.metadataHead === undefined || !resource.storedForm ? undefined : Buffer.from(form.metadataHead);
    /** Where nothing but metadata is shown, and they can be cut out. */
    const metadataEvent = (type: EventType, item: CacheItem) => {
      const { bytes } = readable(resource, item);
      const metadata = metadataHead === undefined ? undefined : metadataPart(bytes);
      if (metadataHead === undefined || metadata === undefined) return undefined;
      return Buffer.concat([HEADS[type], metadataHead, metadata, METADATA_TAIL]);
    };
    const encodeItem = (type: EventType, item: CacheItem) =>
      metadataEvent(type, item) ?? form.event(type, objectOf(resource, item));
    const encodeItemInSteps = function* (type: EventType, item: CacheItem): Steps<Uint8Array> {
      return metadataEvent(type, item) ?? (yield* form.eventInSteps(type, yield* objectInSteps(resource, item)));
    };
    return {
      event: (event, type) => {
        const encode = () => encodeItem(type, event.shownAs(type));
        return form.shared === undefined ? encode() : event.frame(form.shared, type, encode);
      },
      takesLong: (event, type) =>
        metadataHead === undefined && (isLargeItem(event.shownAs(type)) || waits() || resource.ready?.() !== undefined),
      ready: () => resource.ready?.(),
      eventInSteps: (event, type) => {
        const encode = () => encodeItemInSteps(type, event.shownAs(type));
        return form.shared === undefined ? encode() : event.frameInSteps(form.shared, type, encode);
      },
      initial: (item) => encodeItem("ADDED", item),
      initialInSteps: (item) => encodeItemInSteps("ADDED", item),
      converted: (type, item, event) =>
        sharedFrame(event, form.shared, type, function* () {
          yield;
          const [object] = yield* decodeAllInSteps([item]);
          return isLargeItem(item) ? yield* form.eventInSteps(type, object!) : form.event(type, object!);
        }),
      bookmark: (revision, annotations) => form.event("BOOKMARK", shown(bookmarkOf(revision, annotations))),
      error: (error) => form.error(error.toBody() as unknown as Record<string, unknown>),
    };
  }
  const bytesOf = resource.storedForm
    ? (item: CacheItem) => readable(resource, item).bytes
    : (item: CacheItem) => encodeObject(objectOf(resource, readable(resource, item)));
  const frameInSteps = function* (type: EventType, item: CacheItem): Steps<Uint8Array> {
    if (resource.storedForm) return frame(type, bytesOf(item));
    return frame(type, yield* encodeObjectInSteps(yield* objectInSteps(resource, readable(resource, item))));
  };
  const representation = `json ${resource.apiVersion}`;
  return {
    event: (event, type) => event.frame(representation, type, () => frame(type, bytesOf(event.shownAs(type)))),
    takesLong: (event, type) =>
      !resource.storedForm && (isLargeItem(event.shownAs(type)) || waits() || resource.ready?.() !== undefined),
    ready: () => (resource.storedForm ? undefined : resource.ready?.()),
    eventInSteps: (event, type) =>
      event.frameInSteps(representation, type, () => frameInSteps(type, event.shownAs(type))),
    initial: (item) => frame("ADDED", bytesOf(item)),
    initialInSteps: (item) => frameInSteps("ADDED", item),
    converted: (type, item, event) =>
      sharedFrame(event, representation, type, function* () {
        yield;
        return frame(type, item.bytes);
      }),
    bookmark: (revision, annotations) => frame("BOOKMARK", encodeObject(bookmarkOf(revision, annotations))),
    error: (error) => frame("ERROR", Buffer.from(JSON.stringify(error.toBody()))),
  };
}

/** A frame that all who are sent the event share is made once. */
function sharedFrame(
  event: Pick<CacheEvent, "frameInSteps"> | undefined,
  representation: string | undefined,
  type: EventType,
  encode: () => Steps<Uint8Array>,
): Steps<Uint8Array> {
  if (event === undefined || representation === undefined) return encode();
  return event.frameInSteps(representation, type, encode);
}

const isLargeItem = ({ bytes }: CacheItem): boolean => bytes.length > LARGE_BYTES;

function frame(type: keyof typeof HEADS, object: Uint8Array): Uint8Array {
  return Buffer.concat([HEADS[type], object, TAIL]);
}

function head(type: string): Uint8Array {
  return Buffer.from(`{"type":"${type}","object":`);
}

/** Fails with 500 when what is stored cannot be read: nobody is sent damaged bytes. */
function readable(resource: ServedResource, item: CacheItem): CacheItem {
  if (item.corrupt !== undefined) throw corruptObject(resource, item.key, item.corrupt);
  return item;
}

/** Items with bytes and fields of the served version, for kinds whose conversion asks somebody. */
export async function convertItems(
  resource: ServedResource,
  items: readonly CacheItem[],
): Promise<readonly CacheItem[]> {
  const stored = await inTurns(decodeAllInSteps(items.map((item) => readable(resource, item))));
  const objects = await resource.fromStored(stored);
  const sizesBytes = items.map(({ bytes }, index) => convertedBytes(resource, objects[index]!, bytes.length));
  const encoded = await inTurns(encodeAllInSteps(objects, sizesBytes));
  return items.map((item, index) => ({
    ...item,
    bytes: encoded[index]!,
    fields: servedFields(resource, objects[index]!),
  }));
}

/** In the served version. Conversions that ask somebody cannot run between two events: see convertItems. */
function objectOf(resource: ServedResource, item: CacheItem): ApiObject {
  return served(resource, decodeStored(item.bytes, item.revision));
}

/** The same for a large object. */
function* objectInSteps(resource: ServedResource, item: CacheItem): Steps<ApiObject> {
  const stored = yield* decodeStoredInSteps(item.bytes, item.revision);
  if (resource.storedForm || resource.fromStoredInSteps === undefined) return served(resource, stored);
  return yield* resource.fromStoredInSteps(stored);
}

function served(resource: ServedResource, stored: ApiObject): ApiObject {
  if (resource.storedForm) return stored;
  const converted = resource.fromStored([stored]);
  if (converted instanceof Promise) throw new Error("events of this kind must be converted beforehand");
  return converted[0]!;
}
