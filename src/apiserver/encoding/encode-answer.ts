// Objects in the encodings and representations other than plain JSON.

import { encodeJson, encodeJsonPretty } from "../../codec/json.ts";
import type { Output } from "../../codec/negotiate.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { EventType } from "../../storage/watch-cache.ts";
import type { HandlerContext, ResourceRequest } from "../handlers/handler-context.ts";
import type { ListMeta } from "./json-answer.ts";

export function encodeOne(_context: HandlerContext, _asked: ResourceRequest, output: Output, object: ApiObject): Uint8Array {
  return output.pretty ? encodeJsonPretty(object) : encodeJson(object);
}

export async function encodeList(
  _context: HandlerContext,
  { resource }: ResourceRequest,
  output: Output,
  metadata: ListMeta,
  objects: readonly ApiObject[],
): Promise<Uint8Array> {
  const items = resource.custom ? objects : objects.map(({ kind: _kind, apiVersion: _apiVersion, ...rest }) => rest);
  const list = { kind: resource.kind.listKind, apiVersion: resource.apiVersion, metadata, items };
  return output.pretty ? encodeJsonPretty(list) : encodeJson(list);
}

export interface OtherRepresentation {
  /** Frames are the same for all watchers with this key; undefined where they depend on the watcher. */
  readonly shared: string | undefined;
}

export function otherRepresentation(_context: HandlerContext, _asked: ResourceRequest, _output: Output): OtherRepresentation {
  return { shared: undefined };
}

export function encodeOtherEvent(_other: OtherRepresentation, type: EventType | "BOOKMARK" | "ERROR", object: ApiObject): Uint8Array {
  return encodeJson({ type, object });
}
