// The endpoints of OpenAPI: /openapi/v2, the index /openapi/v3, and its documents by group and version.
// Requirements: document 1, "Merge strategy markers", "Versioning".

import { inTurns, Pace, type Steps } from "../../base/steps.ts";
import { acceptsGzip, GZIP_HEADERS, MIN_COMPRESSED_BYTES } from "../../codec/compress.ts";
import type { Response } from "../../http/message.ts";
import { ALL_KINDS } from "../../kinds/all-kinds.ts";
import { methodNotAllowed } from "../../meta/status-error.ts";
import type { Catalog } from "../../registry/catalog.ts";
import type { AuthorizedRequest } from "../../registry/request.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { acceptedForm, contentTypeOf } from "./accepted-form.ts";
import { DocumentCache, hashOf, type StoredDocument, uncompressed } from "./document-cache.ts";
import type { OtherDocuments, OtherVersion3 } from "./other-documents.ts";
import { type Section, sectionMaker } from "./sections.ts";
import { type DocumentForm, writeDocument, writeMade } from "./write-document.ts";

interface OpenApiDeps {
  readonly catalog: Catalog;
  readonly gateEnabled: (gate: string) => boolean;
  readonly nowMs: () => number;
  /** Whether the paths of the service account issuer are served. */
  readonly issuer: () => boolean;
  /** What servers behind this one publish. */
  readonly otherDocuments?: OtherDocuments;
}

const V3 = "/openapi/v3";
const YEAR_MS = 365 * 24 * 3600 * 1000;

/** The answer to a path below /openapi; undefined when nothing is there. */
export function buildOpenApi(deps: OpenApiDeps): (request: AuthorizedRequest) => Promise<Response> | undefined {
  const documents = new Documents(deps);
  return (request) => {
    const { path } = request;
    if (!path.startsWith("/openapi/v")) return undefined;
    const answer =
      path === "/openapi/v2"
        ? () => answerV2(documents, request)
        : path === V3 || path === `${V3}/`
          ? () => answerIndex(documents, request)
          : path.startsWith(`${V3}/`)
            ? () => answerV3(deps, documents, request, path.slice(V3.length + 1))
            : undefined;
    if (answer === undefined) return undefined;
    // The older document is answered whatever the method is, as upstream does.
    if (path !== "/openapi/v2" && request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed();
    return documents.ready().then(answer);
  };
}

class Documents {
  readonly #deps: OpenApiDeps;
  readonly #cache = new DocumentCache();
  readonly #makeSections: ReturnType<typeof sectionMaker>;
  #sections: readonly Section[] | undefined;

  constructor(deps: OpenApiDeps) {
    this.#deps = deps;
    this.#makeSections = sectionMaker({
      kinds: deps.catalog.kinds,
      issuer: deps.issuer,
      cbor: deps.gateEnabled("CBORServingAndStorage"),
      bodies: ALL_KINDS.filter(({ resource }) => resource === ""),
    });
    deps.catalog.onChange(() => {
      this.#sections = undefined;
    });
  }

  /** What is served of very many definitions takes long to make, and is made for the first who asks for all of it. */
  async ready(): Promise<void> {
    if (this.#sections === undefined) await inTurns(goThrough(this.#deps.catalog.each()));
  }

  sections(): readonly Section[] {
    this.#sections ??= this.#makeSections(this.#deps.catalog.all());
    return this.#sections;
  }

  whole(form: DocumentForm): Promise<StoredDocument> {
    const { catalog, otherDocuments } = this.#deps;
    const sections = this.sections();
    const others = otherDocuments?.v2() ?? [];
    const sources = [...sections.flatMap((section) => section.resources), ...others];
    return this.#cache.get(`v2 ${form}`, sources, () =>
      writeDocument(catalog.kinds.names, "v2", form, sections, others),
    );
  }

  one(section: Section, form: DocumentForm): Promise<StoredDocument> {
    const { names } = this.#deps.catalog.kinds;
    return this.#cache.get(`v3 ${form} ${section.name}`, section.resources, () =>
      writeDocument(names, "v3", form, [section]),
    );
  }

  /** One that was made of another server's version 2. */
  made(name: string, made: NonNullable<OtherVersion3["made"]>, form: DocumentForm): Promise<StoredDocument> {
    const { names } = this.#deps.catalog.kinds;
    return this.#cache.get(`made ${form} ${name}`, [made], () => writeMade(names, form, made));
  }

  /** Of other servers, without what we have ourselves. */
  others(): [string, OtherVersion3][] {
    const own = new Set(this.sections().map(({ name }) => name));
    return [...(this.#deps.otherDocuments?.v3() ?? [])].filter(([name]) => !own.has(name));
  }
}

function* goThrough(resources: Iterable<ServedResource>): Steps<void> {
  const pace = new Pace(RESOURCES_PER_STEP);
  for (const _ of resources) if (pace.due()) yield;
}

const RESOURCES_PER_STEP = 100;

async function answerV2(documents: Documents, request: AuthorizedRequest): Promise<Response> {
  const form = acceptedForm(request.headers.first("accept"), "v2");
  if (form === undefined) return NOT_ACCEPTABLE;
  return answerDocument(request, await documents.whole(form), contentTypeOf(form, "v2"), {});
}

async function answerIndex(documents: Documents, request: AuthorizedRequest): Promise<Response> {
  const paths: Record<string, { serverRelativeURL: string }> = {};
  let hashes = "";
  for (const section of documents.sections()) {
    const { hash } = await documents.one(section, "json");
    hashes += `${section.name} ${hash}\n`;
    paths[section.name] = { serverRelativeURL: urlOf(section.name, hash) };
  }
  for (const [name, other] of documents.others()) {
    const hash = other.made === undefined ? other.hash : (await documents.made(name, other.made, "json")).hash;
    hashes += `${name} ${hash}\n`;
    paths[name] = { serverRelativeURL: urlOf(name, hash) };
  }
  const etag = `"${hashOf(Buffer.from(hashes))}"`;
  const headers = { "content-type": "application/json", etag, vary: "Accept" };
  if (request.headers.first("if-none-match") === etag) return { status: 304, headers };
  return { status: 200, headers, body: Buffer.from(JSON.stringify({ paths })) };
}

async function answerV3(
  deps: OpenApiDeps,
  documents: Documents,
  request: AuthorizedRequest,
  name: string,
): Promise<Response> {
  const make = makerOf(deps, documents, name);
  if (make === undefined) return deps.otherDocuments?.forward(request, name) ?? NOT_FOUND;
  const form = acceptedForm(request.headers.first("accept"), "v3");
  if (form === undefined) return NOT_ACCEPTABLE;
  const { hash } = await make("json");
  const wanted = request.query.get("hash");
  if (wanted !== null && wanted !== "" && wanted !== hash) {
    return { status: 301, headers: { location: urlOf(name, hash) } };
  }
  // The address holds the hash: what it names never changes.
  const lasting =
    wanted === hash
      ? { "cache-control": "public, immutable", expires: new Date(deps.nowMs() + YEAR_MS).toUTCString() }
      : {};
  return answerDocument(request, await make(form), contentTypeOf(form, "v3"), lasting);
}

/** Undefined for what is not made here. */
function makerOf(
  { otherDocuments }: OpenApiDeps,
  documents: Documents,
  name: string,
): ((form: DocumentForm) => Promise<StoredDocument>) | undefined {
  const section = documents.sections().find((one) => one.name === name);
  if (section !== undefined) return (form) => documents.one(section, form);
  const made = otherDocuments?.v3().get(name)?.made;
  return made === undefined ? undefined : (form) => documents.made(name, made, form);
}

async function answerDocument(
  request: AuthorizedRequest,
  document: StoredDocument,
  contentType: string,
  more: Readonly<Record<string, string>>,
): Promise<Response> {
  const etag = `"${document.hash}"`;
  const headers = { "content-type": contentType, etag, vary: "Accept", ...more };
  if (request.headers.first("if-none-match") === etag) return { status: 304, headers };
  if (
    document.compressed.length < MIN_COMPRESSED_BYTES / 10 ||
    !acceptsGzip(request.headers.first("accept-encoding"))
  ) {
    return { status: 200, headers, body: await uncompressed(document) };
  }
  return {
    status: 200,
    headers: { ...headers, ...GZIP_HEADERS, vary: "Accept, Accept-Encoding" },
    body: document.compressed,
  };
}

const urlOf = (name: string, hash: string): string =>
  `${V3}/${name}${hash === "" ? "" : `?hash=${encodeURIComponent(hash)}`}`;

const NOT_ACCEPTABLE: Response = { status: 406, headers: {} };

const NOT_FOUND: Response = { status: 404, headers: {} };
