// Discovery: which groups, versions and resources there are, group by group or all at once.
// Requirements: document 1, "Versioning".

import { createHash } from "node:crypto";
import { nextTurn } from "../../base/next-turn.ts";
import { atOnceWhileShort, type Steps } from "../../base/steps.ts";
import { contentTypeOf, negotiateOutput, type Output, wordsOf } from "../../codec/negotiate.ts";
import type { Response } from "../../http/message.ts";
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "../../kinds/meta/discovery.ts";
import type { Names } from "../../meta/names.ts";
import { methodNotAllowed } from "../../meta/status-error.ts";
import type { Catalog } from "../../registry/catalog.ts";
import { encodeValue, encodeValueInSteps } from "../../registry/encoding/encode-value.ts";
import type { AuthorizedRequest } from "../../registry/request.ts";
import type { StructSchema } from "../../schema/schema.ts";
import { groupDiscoveryList } from "./aggregated.ts";
import { groupDiscoveryListSchema } from "./aggregated-schema.ts";
import { listCoreVersions, listGroups, listResources } from "./api-resources.ts";
import { mergeDiscovery, mergeGroups, type OtherServers } from "./merge-groups.ts";

interface DiscoveryDeps {
  readonly names: Names;
  readonly catalog: Catalog;
  readonly gateEnabled: (gate: string) => boolean;
  /** What servers behind this one serve. */
  readonly otherServers?: OtherServers;
  /** Where clients reach this server: host and port. */
  readonly serverAddress?: () => string;
}

interface Document {
  readonly value: Record<string, unknown>;
  readonly schema: StructSchema;
}

/** The answer to a discovery path; undefined when the path is none, or names a group or version that is not served. */
export function buildDiscovery(deps: DiscoveryDeps): (request: AuthorizedRequest) => Promise<Response> | undefined {
  const cache = new DocumentCache(deps.catalog);
  return (request) => {
    const parts = request.path.split("/").filter((part) => part !== "");
    if ((parts[0] !== "api" && parts[0] !== "apis") || parts.length > 3) return undefined;
    // The address is known only once the server listens.
    const key = parts.length === 1 ? `${parts[0]} ${deps.serverAddress?.() ?? ""}` : parts.join("/");
    const document = cache.get(key, () => plainDocument(deps, parts));
    if (document === undefined) return undefined;
    // Groups are answered whatever the method is, as upstream does.
    if (!isGroup(parts) && request.method !== "GET") throw methodNotAllowed();
    return Promise.resolve(answer(deps, cache, request, parts, document));
  };
}

/** `/apis` and `/apis/GROUP`, which upstream serves in another way than all around them. */
const isGroup = (parts: readonly string[]): boolean => parts[0] === "apis" && parts.length <= 2;

/** What a version has is listed as its objects are, in all encodings. */
const isVersion = (parts: readonly string[]): boolean => parts.length === (parts[0] === "api" ? 2 : 3);

function answer(
  deps: DiscoveryDeps,
  cache: DocumentCache,
  request: AuthorizedRequest,
  parts: readonly string[],
  plain: Document,
): Response | Promise<Response> {
  const { names } = deps;
  const whole = parts.length === 1;
  const wishes = {
    accept: request.headers.first("accept"),
    userAgent: request.headers.first("user-agent"),
    pretty: request.query.get("pretty") ?? undefined,
  };
  const output = negotiateOutput(wishes, names, {
    type: whole ? "discovery" : "plain",
    anyType: isGroup(parts),
    cbor: isVersion(parts) && deps.gateEnabled("CBORServingAndStorage"),
  });
  if (output.as !== "APIGroupDiscoveryList") {
    return {
      status: 200,
      headers: { "content-type": contentTypeOf(output, names) },
      body: encodeValue(plain.value, plain.schema, output),
    };
  }
  return aggregated(deps, cache, request, parts[0] === "api", output);
}

async function aggregated(
  deps: DiscoveryDeps,
  cache: DocumentCache,
  request: AuthorizedRequest,
  core: boolean,
  output: Output,
): Promise<Response> {
  const { names } = deps;
  const version = output.asVersion ?? "v2";
  const { mediaType, pretty } = output;
  const group = wordsOf(output, names).group("apidiscovery");
  const { body, etag } = await cache.getInTurns(`aggregated ${core} ${group} ${version} ${mediaType} ${pretty}`, () =>
    aggregatedDocument(deps, core, group, version, output),
  );
  const headers = {
    "content-type": `${contentTypeOf(output, names)};g=${group};v=${version};as=APIGroupDiscoveryList`,
    etag,
    vary: "Accept",
    "cache-control": "public",
  };
  if (request.headers.first("if-none-match") === etag) return { status: 304, headers };
  return { status: 200, headers, body };
}

function* aggregatedDocument(
  { names, catalog, otherServers }: DiscoveryDeps,
  core: boolean,
  group: string,
  version: string,
  output: Output,
): Steps<{ readonly body: Uint8Array; readonly etag: string }> {
  const own = yield* groupDiscoveryList(names, catalog.each(), core, version);
  const list = withOthers({ ...own, apiVersion: `${group}/${version}` }, core, otherServers);
  otherServers?.onAggregated?.();
  yield;
  const body =
    output.mediaType === "json" && !output.pretty
      ? Buffer.from(JSON.stringify(list))
      : yield* encodeValueInSteps(list, groupDiscoveryListSchema, output);
  yield;
  return { body, etag: `"${createHash("sha512").update(body).digest("hex").toUpperCase()}"` };
}

function withOthers(
  list: Record<string, unknown>,
  core: boolean,
  others: OtherServers | undefined,
): Record<string, unknown> {
  if (core) return list;
  return { ...list, items: mergeDiscovery(list["items"] as Parameters<typeof mergeDiscovery>[0], others) };
}

function plainDocument(deps: DiscoveryDeps, parts: readonly string[]): Document | undefined {
  const { catalog } = deps;
  const [root, first = "", second = ""] = parts;
  const allGroups = () => mergeGroups(listGroups(catalog.groupVersions()), deps.otherServers);
  if (root === "api" && parts.length === 1) {
    const address = { clientCIDR: "0.0.0.0/0", serverAddress: deps.serverAddress?.() ?? "" };
    const versions = listCoreVersions(catalog.groupVersions());
    return { value: { kind: "APIVersions", versions, serverAddressByClientCIDRs: [address] }, schema: apiVersions };
  }
  if (root === "api") return parts.length === 2 ? resourceList(deps, "", first) : undefined;
  if (parts.length === 1)
    return { value: { kind: "APIGroupList", apiVersion: "v1", groups: allGroups() }, schema: apiGroupList };
  if (parts.length === 2) {
    const group = allGroups().find(({ name }) => name === first);
    return group && { value: { kind: "APIGroup", apiVersion: "v1", ...group }, schema: apiGroup };
  }
  return resourceList(deps, first, second);
}

function resourceList({ names, catalog }: DiscoveryDeps, group: string, version: string): Document | undefined {
  const resources = listResources(names, catalog.eachIn(group, version));
  if (resources.length === 0) return undefined;
  // Upstream's core list, the oldest of all, goes without apiVersion.
  const type = group === "" ? { kind: "APIResourceList" } : { kind: "APIResourceList", apiVersion: "v1" };
  return {
    value: { ...type, groupVersion: group === "" ? version : `${group}/${version}`, resources },
    schema: apiResourceList,
  };
}

/** Documents made once per state of the catalog. */
class DocumentCache {
  readonly #documents = new Map<string, unknown>();

  constructor(catalog: Catalog) {
    catalog.onChange(() => this.#documents.clear());
  }

  get<T>(key: string, make: () => T | undefined): T | undefined {
    const known = this.#documents.get(key) as T | undefined;
    if (known !== undefined) return known;
    const made = make();
    // Only what exists is remembered: paths are user text.
    if (made !== undefined) this.#documents.set(key, made);
    return made;
  }

  /** The same for what takes long; all who wait for it wait for the same work, until the catalog changes. */
  getInTurns<T>(key: string, make: () => Steps<T>): T | Promise<T> {
    const known = this.#documents.get(key) as T | Promise<T> | undefined;
    if (known !== undefined) return known;
    const made = atOnceWhileShort(make(), nextTurn);
    this.#documents.set(key, made);
    if (made instanceof Promise)
      made.catch(() => {
        if (this.#documents.get(key) === made) this.#documents.delete(key);
      });
    return made;
  }
}
