// The OpenAPI of the servers behind: read when they are first reached and again and again, kept as it was last seen when they
// cannot be, and never trusted to be sound.

import { createHash } from "node:crypto";
import type { Background } from "../../../base/background.ts";
import type { BackgroundLoop, Outcome } from "../../../base/background-loop.ts";
import { isObject, type JsonObject } from "../../../base/json.ts";
import type { Log } from "../../../base/log.ts";
import type { Response } from "../../../http/message.ts";
import type { AuthorizedRequest } from "../../../registry/request.ts";
import { convertToV3 } from "../../openapi/convert-v2.ts";
import type { OtherDocument, OtherDocuments, OtherVersion3 } from "../../openapi/other-documents.ts";
import { selectPaths } from "../../openapi/references.ts";
import type { Backends } from "./backend.ts";
import { type RegisteredApi, type RemoteApi, sameRegistration } from "./remote-api.ts";
import { decodeDocument, readDocument } from "./remote-document.ts";

const TIMEOUT_MS = 60_000;
const MAX_V2_BYTES = 8 * 1024 * 1024;
const MAX_INDEX_BYTES = 1024 * 1024;
const MAX_INDEX_ENTRIES = 1_000;
/** Of all documents together, as they were sent. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
const REFRESH_EVERY_MS = 60_000;
/** After failures the time doubles. */
const RETRY_MS = { first: 2 * REFRESH_EVERY_MS, max: 3_600_000 };
/** Servers may be slow to answer: the others are read meanwhile. */
const MAX_AT_ONCE = 16;
const USER = { name: "system:aggregator", groups: [] };
/** Names that an index may have: paths without anything that a URL would read differently. */
const INDEX_NAME = /^\w[\w.-]*(?:\/\w[\w.-]*)*$/;
const MAX_NAME_LENGTH = 512;

interface Entry {
  api: RemoteApi;
  /** What the last document of version 2 was known by. */
  etag: string | undefined;
  digest: string | undefined;
  sizeBytes: number;
  document: OtherDocument | undefined;
  /** Version 3, where it is known. */
  index: ReadonlyMap<string, OtherVersion3> | undefined;
  /** The document that the index was made of, for a server that knows version 2 alone. */
  indexOf: OtherDocument | undefined;
}

interface RemoteOpenApiParts {
  readonly backends: Backends;
  readonly background: Background;
  readonly log: Log;
  readonly forward: (request: AuthorizedRequest, api: RemoteApi) => Promise<Response>;
}

export class RemoteOpenApi implements OtherDocuments {
  readonly #parts: RemoteOpenApiParts;
  /** By the name of the APIService. */
  readonly #entries = new Map<string, Entry>();
  readonly #loop: BackgroundLoop;

  constructor(parts: RemoteOpenApiParts) {
    this.#parts = parts;
    this.#loop = parts.background.loop({
      name: "remote-openapi",
      failure: "the OpenAPI of a server behind cannot be read",
      keyField: "apiService",
      log: parts.log,
      everyMs: REFRESH_EVERY_MS,
      retryMs: RETRY_MS,
      maxAtOnce: MAX_AT_ONCE,
      reconcile: (name) => this.#refresh(name),
    });
  }

  changed(now: RegisteredApi | undefined, before: RegisteredApi | undefined): void {
    const [api, old] = [now?.remote, before?.remote];
    if (api === undefined) {
      if (old !== undefined) this.#forget(old.name);
      return;
    }
    const entry = this.#entries.get(api.name) ?? newEntry(api);
    this.#entries.set(api.name, entry);
    entry.api = api;
    const reached = api.available && !(old?.available === true && sameRegistration(api, old));
    if (reached) this.#loop.enqueue(api.name);
  }

  close(): void {
    this.#loop.close();
    this.#entries.clear();
  }

  v2(): readonly OtherDocument[] {
    const known = [...this.#entries.values()].filter(({ document }) => document !== undefined);
    return known.sort(byImportance).map(({ document }) => document!);
  }

  v3(): ReadonlyMap<string, OtherVersion3> {
    const all = new Map<string, OtherVersion3>();
    for (const { index } of [...this.#entries.values()].sort(byImportance))
      for (const [name, one] of index ?? []) if (!all.has(name)) all.set(name, one);
    return all;
  }

  forward(request: AuthorizedRequest, name: string): Promise<Response> | undefined {
    const entry = [...this.#entries.values()].sort(byImportance).find(({ index }) => index?.has(name));
    return entry === undefined ? undefined : this.#parts.forward(request, entry.api);
  }

  #forget(name: string): void {
    this.#loop.forget(name);
    this.#entries.delete(name);
  }

  async #refresh(name: string): Promise<Outcome> {
    const entry = this.#entries.get(name);
    // One that cannot be reached is read when it can be again.
    if (entry?.api.available !== true) return "done";
    await this.#readV2(entry);
    await this.#readIndex(entry);
    return "done";
  }

  async #readV2(entry: Entry): Promise<void> {
    const { api, etag } = entry;
    const wish = { path: "/openapi/v2", user: USER, timeoutMs: TIMEOUT_MS, maxBytes: MAX_V2_BYTES, etag };
    const { status, body, headers } = await readDocument(this.#parts.backends, api, wish);
    if (status === 304 && etag !== undefined) return;
    if (status === 404) {
      Object.assign(entry, { etag: undefined, digest: undefined, document: undefined, sizeBytes: 0 });
      return;
    }
    if (status !== 200) throw new Error(`/openapi/v2: status ${status}`);
    const digest = createHash("sha256").update(body).digest("hex");
    entry.etag = headers.etag;
    if (digest === entry.digest) return;
    const others = [...this.#entries.values()].filter((one) => one !== entry);
    const totalBytes = others.reduce((sum, { sizeBytes }) => sum + sizeBytes, body.length);
    if (totalBytes > MAX_TOTAL_BYTES)
      throw new Error(`all documents together are larger than ${MAX_TOTAL_BYTES} bytes`);
    const prefix = `/apis/${api.group}/${api.version}/`;
    entry.document = selectPaths(readSwagger(body), (path) => path.startsWith(prefix));
    entry.digest = digest;
    entry.sizeBytes = body.length;
  }

  async #readIndex(entry: Entry): Promise<void> {
    const { api } = entry;
    const wish = { path: "/openapi/v3", user: USER, timeoutMs: TIMEOUT_MS, maxBytes: MAX_INDEX_BYTES };
    const { status, body } = await readDocument(this.#parts.backends, api, wish);
    if (status === 404) makeIndex(entry);
    else if (status === 200) Object.assign(entry, { index: readIndex(body), indexOf: undefined });
    else throw new Error(`/openapi/v3: status ${status}`);
  }
}

function newEntry(api: RemoteApi): Entry {
  return {
    api,
    etag: undefined,
    digest: undefined,
    sizeBytes: 0,
    document: undefined,
    index: undefined,
    indexOf: undefined,
  };
}

function byImportance({ api: a }: Entry, { api: b }: Entry): number {
  return b.priorities[0] - a.priorities[0] || (a.name < b.name ? -1 : 1);
}

/** Fails when it is no JSON object. */
function readSwagger(body: Uint8Array): OtherDocument {
  const value = decodeDocument(body);
  if (!isObject(value)) throw new Error("/openapi/v2: not a JSON object");
  const part = (name: string): JsonObject => {
    const found = value[name];
    return isObject(found) ? found : {};
  };
  return { paths: part("paths"), definitions: part("definitions"), parameters: part("parameters") };
}

function readIndex(body: Uint8Array): ReadonlyMap<string, OtherVersion3> {
  const value = decodeDocument(body);
  const paths = isObject(value) && isObject(value["paths"]) ? value["paths"] : {};
  const index = new Map<string, OtherVersion3>();
  for (const [name, entry] of Object.entries(paths).slice(0, MAX_INDEX_ENTRIES)) {
    if (name.length > MAX_NAME_LENGTH || !INDEX_NAME.test(name) || !isObject(entry)) continue;
    const url = String(entry["serverRelativeURL"] ?? "");
    // Only the hash is theirs to say: clients are not to be sent elsewhere.
    index.set(name, { hash: new URLSearchParams(url.split("?")[1] ?? "").get("hash") ?? "" });
  }
  return index;
}

/** What was made of the same document stays the same value: what others make of it need not be made again. */
function makeIndex(entry: Entry): void {
  const { api, document } = entry;
  if (document !== undefined && document === entry.indexOf) return;
  entry.indexOf = document;
  entry.index = document && new Map([[`apis/${api.group}/${api.version}`, { made: convertToV3(document) }]]);
}
