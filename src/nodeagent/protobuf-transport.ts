// A client that speaks protobuf with the API server, while everything above it sees JSON (`contentType`).

import { isObject } from "../base/json.ts";
import type { ApiConnectRequest, ApiRequest, ApiResponse, ApiSocket, Transport } from "../client/transport.ts";
import { DecodeError } from "../codec/decode-error.ts";
import { decodeJson, jsonText } from "../codec/json.ts";
import { decodeProtobuf, encodeProtobuf, readEnvelope } from "../codec/protobuf.ts";
import { readProtobufFrames, readProtobufWatchEvent } from "../codec/protobuf-stream.ts";
import { ALL_KINDS } from "../kinds/all-kinds.ts";
import { KindRegistry } from "../kinds/kind-registry.ts";
import { listSchemaOf } from "../kinds/meta/object-schema.ts";
import { statusSchema } from "../kinds/meta/status.ts";
import type { Names } from "../meta/names.ts";
import { parseApiVersion } from "../meta/object.ts";

type Schema = ReturnType<typeof listSchemaOf>;

const JSON_TYPE = "application/json";

export class ProtobufTransport implements Transport {
  readonly #inner: Transport;
  readonly #kinds: KindRegistry;
  readonly #mediaType: string;

  constructor(inner: Transport, names: Names) {
    this.#inner = inner;
    this.#kinds = new KindRegistry(names, ALL_KINDS);
    this.#mediaType = names.protobufMediaType;
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    const response = await this.#inner.request(this.#encoded(request));
    const answered = response.headers.get("content-type") ?? "";
    return answered.startsWith(this.#mediaType) ? this.#decoded(response) : response;
  }

  connect(request: ApiConnectRequest): Promise<ApiSocket> {
    return this.#inner.connect(request);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** Patches are JSON by nature, and so is what has no schema: options of deletions, say. */
  #encoded(request: ApiRequest): ApiRequest {
    const { accept = JSON_TYPE, "content-type": type = JSON_TYPE, ...others } = request.headers ?? {};
    const headers = { ...others, accept: accept === JSON_TYPE ? `${this.#mediaType}, ${JSON_TYPE}` : accept };
    const isObjectSent = request.body !== undefined && type === JSON_TYPE;
    const sent = isObjectSent && request.method !== "DELETE" ? this.#encodedBody(request.body) : undefined;
    if (sent !== undefined) return { ...request, body: sent, headers: { ...headers, "content-type": this.#mediaType } };
    return { ...request, headers: request.body === undefined ? headers : { ...headers, "content-type": type } };
  }

  #encodedBody(body: Uint8Array | string): Uint8Array | undefined {
    const { value } = decodeJson(typeof body === "string" ? Buffer.from(body) : body);
    if (!isObject(value)) return undefined;
    const schema = this.#schemaOf(String(value["apiVersion"] ?? ""), String(value["kind"] ?? ""));
    return schema === undefined ? undefined : encodeProtobuf(value, schema);
  }

  #decoded(response: ApiResponse): ApiResponse {
    const { status, warnings, attempts, findsDeadConnection } = response;
    const isWatch = response.headers.get("content-type")?.includes("stream=watch") ?? false;
    const text = (bytes: Uint8Array) => jsonText(this.#read(bytes));
    return {
      ...{ status, warnings },
      ...(attempts === undefined ? {} : { attempts }),
      ...(findsDeadConnection === undefined ? {} : { findsDeadConnection }),
      headers: new Map([...response.headers, ["content-type", JSON_TYPE]]),
      bytes: async () => Buffer.from(text(await response.bytes())),
      stream: async function* () {
        // Who does not want the whole at once may still get it.
        if (!isWatch) return yield Buffer.from(text(await response.bytes()));
        for await (const frame of readProtobufFrames(response.stream())) {
          const { type, object } = readProtobufWatchEvent(frame);
          yield Buffer.from(`{"type":${JSON.stringify(type)},"object":${text(object)}}\n`);
        }
      },
    };
  }

  #read(bytes: Uint8Array): Record<string, unknown> {
    const { apiVersion, kind } = readEnvelope(bytes);
    const schema = this.#schemaOf(apiVersion, kind);
    if (schema === undefined)
      throw new DecodeError(`the server answered with ${apiVersion} ${kind}, which is unknown here`);
    return decodeProtobuf(bytes, schema);
  }

  #schemaOf(apiVersion: string, kind: string): Schema | undefined {
    const { group = "", version = "" } = parseApiVersion(apiVersion) ?? {};
    if (kind === "Status" && apiVersion === "v1") return statusSchema;
    const own = this.#kinds.byKind(group, version, kind);
    if (own !== undefined) return own.schema;
    const listed = kind.endsWith("List")
      ? this.#kinds.byKind(group, version, kind.slice(0, -"List".length))
      : undefined;
    return listed === undefined ? undefined : listSchemaOf(listed);
  }
}
