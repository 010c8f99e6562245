// Objects -> answers, in the representation that was negotiated. JSON in the stored version goes out as the bytes at hand.

import { append } from "../../base/append.ts";
import { inTurns } from "../../base/steps.ts";
import { turnIsOver } from "../../base/work-turns.ts";
import { acceptsGzip, GZIP_HEADERS, gzipStream, MIN_COMPRESSED_BYTES } from "../../codec/compress.ts";
import { contentTypeOf, type Output } from "../../codec/negotiate.ts";
import { type BodyWriter, isStreamBody, type Response, type StreamBody } from "../../http/message.ts";
import type { Answer } from "../../http/pipeline.ts";
import type { ApiObject } from "../../meta/object.ts";
import { internalError } from "../../meta/status-error.ts";
import type { WaitingFor } from "../../registry/admission.ts";
import { encodeList, encodeListInSteps, encodeOne, encodeOneInSteps } from "../../registry/encoding/encode-answer.ts";
import { JsonListBody, lineBody, MAX_COPIED_BYTES } from "../../registry/encoding/json-answer.ts";
import { JsonTable } from "../../registry/encoding/json-table.ts";
import { LONG_YAML_BYTES } from "../../registry/encoding/long-yaml.ts";
import { protobufList } from "../../registry/encoding/protobuf-list.ts";
import { representation } from "../../registry/encoding/representation.ts";
import { yamlListPieces } from "../../registry/encoding/yaml-list.ts";
import type { CacheItem } from "../../registry/items.ts";
import type { ListedObjects } from "../../registry/list-objects.ts";
import { decodeStored, decodeStoredInSteps, encodeObject, encodeObjectInSteps } from "../../registry/object-bytes.ts";
import type { AuthorizedRequest } from "../../registry/request.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { convertedBytes, LARGE_BYTES, turnOf, type Written } from "../../registry/write.ts";
import type { HandlerContext } from "./handler-context.ts";
import { HeldAnswers } from "./held-answers.ts";

/** Longer lists are sent piece by piece, as fast as the client takes them: a thousand that nobody reads stay small. */
const MAX_ONE_PIECE_BYTES = 32 * 1024;
/** Longer Tables too. */
const MAX_ROWS_AT_ONCE = 100;

const held = new HeldAnswers();

/**
 * To be asked before a write, with the size of what was sent: once it is done it is answered, whatever waits, since a
 * client that is told to come again would do it twice. Fails with 429.
 */
export function refuseLargeWrite(output: Output, resourceRequest: ResourceRequest, sentBytes = 0): void {
  if (isPlainJson(output) || !held.isAboveLimit) return;
  if (Math.max(sentBytes, storedBytes(resourceRequest)) > LARGE_BYTES) held.refuseAboveLimit();
}

function storedBytes({ resource: { kind, store }, target }: ResourceRequest): number {
  const cache = store?.cacheInUse;
  if (store === undefined || !cache?.isReady) return 0;
  const namespace = kind.scope === "Namespaced" ? target.namespace : "";
  return cache.get(store.keyOf(namespace, target.name))?.bytes.length ?? 0;
}

export function answerItem(
  context: HandlerContext,
  resourceRequest: ResourceRequest,
  output: Output,
  item: CacheItem,
  status: number,
): Answer {
  const { resource, request } = resourceRequest;
  if (isPlainJson(output) && resource.storedForm) return lineAnswer(context, request, output, item.bytes, status);
  held.refuseAboveLimit();
  if (isPlainYaml(output) && resource.storedForm && item.bytes.length > LONG_YAML_BYTES)
    return longYamlAnswer(context, resourceRequest, output, item.bytes, status);
  return decodeItems(resource, [item], request).then(([object]) => {
    const sizeBytes = convertedBytes(resource, object!, item.bytes.length);
    return answerDecoded(context, resourceRequest, output, object!, status, sizeBytes);
  });
}

export function answerObject(
  context: HandlerContext,
  resourceRequest: ResourceRequest,
  output: Output,
  written: Written,
  status: number,
): Answer {
  const { object, bytes, sizeBytes = bytes?.length } = written;
  if (!isPlainJson(output)) return answerDecoded(context, resourceRequest, output, object, status, sizeBytes);
  const { request } = resourceRequest;
  const line = (encoded: Uint8Array): Response => lineAnswer(context, request, output, encoded, status);
  if (bytes !== undefined) return line(bytes);
  if (sizeBytes === undefined || sizeBytes <= LARGE_BYTES) return line(encodeObject(object));
  return inTurns(encodeObjectInSteps(object), () => turnOf(request)).then(line);
}

/** `sizeBytes` is about the size of the object, where it may be large. */
export function answerDecoded(
  context: HandlerContext,
  resourceRequest: ResourceRequest,
  output: Output,
  object: ApiObject,
  status: number,
  sizeBytes = 0,
): Answer {
  if (sizeBytes > LARGE_BYTES) return answerLarge(context, resourceRequest, output, object, status);
  if (output.mediaType === "yaml") {
    const json = encodeOne(context, resourceRequest, asJson(output), object);
    if (json.length > LONG_YAML_BYTES) return longYamlAnswer(context, resourceRequest, output, json, status);
  }
  const bytes = encodeOne(context, resourceRequest, output, object);
  return bytesAnswer(context, resourceRequest.request, output, bytes, status);
}

async function answerLarge(
  context: HandlerContext,
  resourceRequest: ResourceRequest,
  output: Output,
  object: ApiObject,
  status: number,
): Promise<Response> {
  const { request } = resourceRequest;
  const isYaml = output.mediaType === "yaml";
  const steps = encodeOneInSteps(context, resourceRequest, isYaml ? asJson(output) : output, object);
  const bytes = await inTurns(steps, () => turnOf(request));
  if (isYaml) return longYamlAnswer(context, resourceRequest, output, bytes, status);
  refuseRead(resourceRequest);
  return bytesAnswer(context, request, output, bytes, status);
}

/** Lists of custom resources that are shown as they are say also that nothing more comes. */
function continuation(
  { custom }: ServedResource,
  { as }: Output,
  { continueToken }: ListedObjects,
): { continue?: string } {
  if (custom === true && as === undefined) return { continue: continueToken ?? "" };
  return continueToken === undefined ? {} : { continue: continueToken };
}

export async function answerList(
  context: HandlerContext,
  resourceRequest: ResourceRequest,
  output: Output,
  listed: ListedObjects,
): Promise<Response> {
  const { request, resource } = resourceRequest;
  const metadata = {
    resourceVersion: String(listed.revision),
    ...continuation(resource, output, listed),
    ...(listed.remainingItemCount === undefined ? {} : { remainingItemCount: listed.remainingItemCount }),
  };
  const longYaml = isPlainYaml(output) && sizeOf(listed.items) > LONG_YAML_BYTES;
  if (isPlainJson(output) || longYaml) {
    if (longYaml) refuseRead(resourceRequest);
    const items = resource.storedForm ? listed.items : await inServedVersion(resource, listed.items, request);
    const list = new JsonListBody(resource, metadata, items);
    const { sizeBytes } = list;
    if (longYaml) {
      const body = yamlListBody(yamlListPieces(context.yaml, resource, metadata, list));
      return streamAnswer(context, request, output, { body, sizeBytes }, 200);
    }
    if (sizeBytes <= MAX_ONE_PIECE_BYTES) return bytesAnswer(context, request, output, list.toBytes(), 200);
    return streamAnswer(context, request, output, { body: list, sizeBytes }, 200);
  }
  const long = listed.items.length > MAX_ROWS_AT_ONCE || sizeOf(listed.items) > LARGE_BYTES;
  if (output.mediaType === "json" && !output.pretty && resource.storedForm && long) {
    const rows = representation(context, resourceRequest, output).rows?.(metadata);
    if (rows !== undefined)
      return streamAnswer(context, request, output, { body: new JsonTable(rows, listed.items) }, 200);
  }
  refuseRead(resourceRequest);
  if (output.mediaType === "protobuf" && output.as === undefined && resource.storedForm) {
    const { sizeBytes, chunks } = await protobufList(resource, metadata, listed.items, request);
    if (sizeBytes <= MAX_ONE_PIECE_BYTES)
      return bytesAnswer(context, request, output, Buffer.concat([...chunks()]), 200);
    return streamAnswer(context, request, output, { body: held.bodyOfPieces(sizeBytes, chunks), sizeBytes }, 200);
  }
  const objects = await decodeItems(resource, listed.items, request);
  // Others have had their turn meanwhile.
  refuseRead(resourceRequest);
  const encoded = (as: Output): Uint8Array | Promise<Uint8Array> =>
    long
      ? inTurns(encodeListInSteps(context, resourceRequest, as, metadata, objects), () => turnOf(request))
      : encodeList(context, resourceRequest, as, metadata, objects);
  if (output.mediaType === "yaml") {
    const json = await encoded(asJson(output));
    if (json.length > LONG_YAML_BYTES) return longYamlAnswer(context, resourceRequest, output, json, 200);
  }
  const bytes = await encoded(output);
  refuseRead(resourceRequest);
  return bytesAnswer(context, request, output, bytes, 200);
}

/** What is only read can be read again. */
const isRead = ({ target }: ResourceRequest): boolean => target.verb === "get" || target.verb === "list";

function refuseRead(resourceRequest: ResourceRequest): void {
  if (isRead(resourceRequest)) held.refuseAboveLimit();
}

const asJson = (output: Output): Output => ({ ...output, mediaType: "json", pretty: false });

const isPlainYaml = ({ mediaType, as }: Output): boolean => mediaType === "yaml" && as === undefined;

export function sizeOf(items: readonly CacheItem[]): number {
  let sizeBytes = 0;
  for (const { bytes } of items) sizeBytes += bytes.length;
  return sizeBytes;
}

async function longYamlAnswer(
  context: HandlerContext,
  resourceRequest: ResourceRequest,
  output: Output,
  json: Uint8Array,
  status: number,
): Promise<Response> {
  const { request } = resourceRequest;
  const bytes = await context.yaml.write(json).catch((error: unknown) => {
    // Whoever is told to come again would do it twice.
    throw isRead(resourceRequest)
      ? error
      : internalError(`the request is done, but not its answer: ${(error as Error).message}`);
  });
  request.goOn();
  refuseRead(resourceRequest);
  return bytesAnswer(context, request, output, bytes, status);
}

/** Made as fast as the client takes it. */
function yamlListBody(pieces: AsyncIterable<Uint8Array>): StreamBody {
  return {
    async stream(writer) {
      for await (const piece of pieces) {
        await held.send(piece, writer);
        if (writer.signal.aborted) return;
      }
    },
  };
}

/** After so much is decoded or encoded the clock is asked whether others are to have their turn. */
const BYTES_PER_STEP = 16 * 1024;

/** Cached items, decoded and in the served version. */
export async function decodeItems(
  resource: ServedResource,
  items: readonly CacheItem[],
  caller: WaitingFor,
): Promise<readonly ApiObject[]> {
  const objects: ApiObject[] = [];
  let stored: ApiObject[] = [];
  let decodedBytes = 0;
  const serve = async () => {
    append(objects, resource.storedForm ? stored : await resource.fromStored(stored, caller));
    stored = [];
  };
  for (const item of items) {
    const { bytes, revision } = item;
    const turn = () => turnOf(caller);
    stored.push(
      bytes.length > LARGE_BYTES
        ? await inTurns(decodeStoredInSteps(bytes, revision), turn)
        : decodeStored(bytes, revision),
    );
    decodedBytes += bytes.length;
    if (decodedBytes < BYTES_PER_STEP) continue;
    decodedBytes = 0;
    if (!turnIsOver()) continue;
    // A webhook is asked once for all of them.
    if (resource.convertsByWebhook !== true) await serve();
    await turn();
  }
  await serve();
  return objects;
}

/** The bytes of cached items that are stored in another version. */
async function inServedVersion(
  resource: ServedResource,
  items: readonly CacheItem[],
  caller: WaitingFor,
): Promise<readonly { readonly bytes: Uint8Array }[]> {
  const objects = await decodeItems(resource, items, caller);
  const encoded: { readonly bytes: Uint8Array }[] = [];
  let encodedBytes = 0;
  for (const object of objects) {
    const sizeBytes = convertedBytes(resource, object, items[encoded.length]!.bytes.length);
    const turn = () => turnOf(caller);
    const bytes = sizeBytes > LARGE_BYTES ? await inTurns(encodeObjectInSteps(object), turn) : encodeObject(object);
    encoded.push({ bytes });
    encodedBytes += sizeBytes;
    if (encodedBytes < BYTES_PER_STEP) continue;
    encodedBytes = 0;
    if (turnIsOver()) await turn();
  }
  return encoded;
}

const isPlainJson = (output: Output): boolean =>
  output.mediaType === "json" && output.as === undefined && !output.pretty;

/** Get and list may be compressed; writes are not. */
function compresses(context: HandlerContext, request: AuthorizedRequest, sizeBytes: number): boolean {
  return (
    sizeBytes >= MIN_COMPRESSED_BYTES &&
    request.method === "GET" &&
    compressors < MAX_COMPRESSORS &&
    context.gateEnabled("APIResponseCompression") &&
    acceptsGzip(request.headers.first("accept-encoding"))
  );
}

function lineAnswer(
  context: HandlerContext,
  request: AuthorizedRequest,
  output: Output,
  bytes: Uint8Array,
  status: number,
): Response {
  if (bytes.length <= MAX_COPIED_BYTES) {
    const headers = { "content-type": contentTypeOf(output, context.names) };
    return { status, headers, body: bytes, endsLine: true };
  }
  return streamAnswer(context, request, output, { body: lineBody(bytes), sizeBytes: bytes.length }, status);
}

function bytesAnswer(
  context: HandlerContext,
  request: AuthorizedRequest,
  output: Output,
  bytes: Uint8Array,
  status: number,
): Response {
  const headers = { "content-type": contentTypeOf(output, context.names) };
  const body = held.bodyOf(bytes);
  if (!compresses(context, request, bytes.length)) return { status, headers, body };
  const source = isStreamBody(body)
    ? body
    : { stream: async (writer: BodyWriter) => void writer.write(body), whole: () => body };
  return { status, headers: { ...headers, ...GZIP_HEADERS }, body: gzipped(source) };
}

interface SizedBody {
  readonly body: StreamBody;
  /** Undefined for what is long enough for anything. */
  readonly sizeBytes?: number;
}

function streamAnswer(
  context: HandlerContext,
  request: AuthorizedRequest,
  output: Output,
  { body, sizeBytes = MIN_COMPRESSED_BYTES }: SizedBody,
  status: number,
): Response {
  const headers = { "content-type": contentTypeOf(output, context.names) };
  if (!compresses(context, request, sizeBytes)) return { status, headers, body };
  return { status, headers: { ...headers, ...GZIP_HEADERS }, body: gzipped(body) };
}

/** A compressor holds a quarter of a megabyte: more of them at a time are not begun for clients that may not read. */
const MAX_COMPRESSORS = 64;
let compressors = 0;

/** The same body, compressed on its way. Back-pressure goes through: a slow client slows the source. */
function gzipped(source: StreamBody): StreamBody {
  return {
    whole: () => source.whole?.(),
    async stream(writer: BodyWriter) {
      compressors += 1;
      try {
        await compress(source, writer);
      } finally {
        compressors -= 1;
      }
    },
  };
}

async function compress(source: StreamBody, writer: BodyWriter): Promise<void> {
  const gzip = gzipStream();
  const output = (async () => {
    for await (const chunk of gzip) {
      if (!writer.write(chunk as Buffer)) await writer.drained();
    }
  })();
  await source.stream({
    signal: writer.signal,
    get queuedBytes() {
      return gzip.writableLength;
    },
    chunkBytes: writer.chunkBytes,
    write: (chunk, onTaken) => gzip.write(chunk, (error) => error ?? onTaken?.()),
    drained: () => new Promise((resolve) => (gzip.writableNeedDrain ? gzip.once("drain", () => resolve()) : resolve())),
  });
  gzip.end();
  await output;
}
