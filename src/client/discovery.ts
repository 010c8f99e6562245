// What a server serves, learnt from the server: its resources and the dialect of its names, from aggregated discovery.
// Requirements: document 1, "Discovery".

import { getKey, isObject, type JsonObject } from "../base/json.ts";
import { DIALECTS, type Dialect, namesFor } from "../meta/names.ts";
import { readApiError } from "./api-error.ts";
import { checkName } from "./resources/resource-path.ts";
import { type Transport, TransportError } from "./transport.ts";

export interface Discovery {
  /** Whose names the server speaks. */
  readonly dialect: Dialect;
  /** Groups in the server's order, the core group first; in a group the preferred version first. */
  readonly resources: readonly DiscoveredResource[];
  /** Versions of which the server cannot say at present what is in them: the servers behind them do not answer. */
  readonly unknown: readonly GroupVersion[];
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

export interface DiscoveredResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
}

/** Where documents are kept between processes. The server is always asked whether they still hold. */
export interface DocumentCache {
  read(name: string): CachedDocument | undefined;
  write(name: string, document: CachedDocument): void;
}

export interface CachedDocument {
  readonly etag: string;
  readonly body: string;
}

interface DiscoverOptions {
  readonly cache?: DocumentCache | undefined;
  /** What the cache has is good, however old: the server is asked for the rest. */
  readonly mayBeOld?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Fails with ApiError or TransportError. */
export async function discover(transport: Transport, options: DiscoverOptions = {}): Promise<Discovery> {
  const [core, groups] = await Promise.all([
    readDocument(transport, "/api", options),
    readDocument(transport, "/apis", options),
  ]);
  return {
    dialect: groups.dialect,
    resources: [...core.resources, ...groups.resources],
    unknown: [...core.unknown, ...groups.unknown],
  };
}

/** By apiVersion and kind, as objects have them. */
export function findKind({ resources }: Discovery, apiVersion: string, kind: string): DiscoveredResource | undefined {
  return resources.find((resource) => apiVersionOf(resource) === apiVersion && resource.kind === kind);
}

/**
 * By a word as people write it, in any case: plural, singular, short name or kind, perhaps with the group
 * (`deployments.apps`) or version and group (`deployments.v1.apps`). Of several the first of the server's order, so that
 * the core group wins.
 */
export function findResource({ resources }: Discovery, word: string): DiscoveredResource | undefined {
  const [name = "", ...rest] = word.toLowerCase().split(".");
  if (name === "") return undefined;
  const suffix = rest.join(".");
  const named = resources.filter(
    ({ resource, singular, kind, shortNames }) =>
      name === resource || name === singular || name === kind.toLowerCase() || shortNames.includes(name),
  );
  // The whole word may be a plural with dots in nobody's group; a group is matched before a version and group.
  return (
    named.find(({ group }) => suffix === "" || suffix === group) ??
    named.find(({ version, group }) => suffix === `${version}.${group}`)
  );
}

export function apiVersionOf({ group, version }: Pick<DiscoveredResource, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}

/** The path of a collection, or of an object in it. Fails for a name that is none: an empty one is the whole collection. */
export function pathOf(
  { group, version, resource, namespaced }: Pick<DiscoveredResource, "group" | "version" | "resource" | "namespaced">,
  namespace?: string,
  name?: string,
): string {
  if (name !== undefined) checkName(name);
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const inNamespace = namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${root}${inNamespace}/${resource}${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;
}

const ACCEPT = [
  ...DIALECTS.map(
    (dialect) => `application/json;g=${namesFor(dialect).group("apidiscovery")};v=v2;as=APIGroupDiscoveryList`,
  ),
  "application/json",
].join(",");

async function readDocument(
  transport: Transport,
  path: string,
  { cache, mayBeOld = false, signal }: DiscoverOptions,
): Promise<Discovery> {
  const known = cache?.read(path);
  if (known !== undefined && mayBeOld) return parseDiscovery(known.body, path);
  const request = {
    method: "GET",
    path,
    headers: { accept: ACCEPT, ...(known === undefined ? {} : { "if-none-match": known.etag }) },
    ...(signal === undefined ? {} : { signal }),
  } as const;
  const response = await transport.request(request);
  if (response.status === 304 && known !== undefined) {
    await response.bytes();
    return parseDiscovery(known.body, path);
  }
  if (response.status !== 200) throw await readApiError(request, response);
  const body = Buffer.from(await response.bytes()).toString("utf8");
  const parsed = parseDiscovery(body, path);
  const etag = response.headers.get("etag");
  if (etag !== undefined) cache?.write(path, { etag, body });
  return parsed;
}

/** The last document of each path: the parts of one process ask for the same, one after the other. */
const lastRead = new Map<string, { readonly text: string; readonly discovery: Discovery }>();

function parseDiscovery(text: string, path: string): Discovery {
  const last = lastRead.get(path);
  if (last?.text === text) return last.discovery;
  const discovery = readDiscovery(text, path);
  lastRead.set(path, { text, discovery });
  return discovery;
}

function readDiscovery(text: string, path: string): Discovery {
  const refuse = (): never => {
    throw new TransportError("protocol", `GET ${path}: the server does not serve aggregated discovery`);
  };
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return refuse();
  }
  if (!isObject(document) || document["kind"] !== "APIGroupDiscoveryList") return refuse();
  const { apiVersion } = document;
  const dialect = DIALECTS.find((one) => apiVersion === `${namesFor(one).group("apidiscovery")}/v2`) ?? refuse();
  const resources: DiscoveredResource[] = [];
  const unknown: GroupVersion[] = [];
  for (const item of objects(document, "items")) {
    const metadata = getKey(item, "metadata");
    const group = isObject(metadata) ? textOf(metadata, "name") : "";
    for (const entry of objects(item, "versions")) {
      const version = textOf(entry, "version");
      if (textOf(entry, "freshness") === "Stale") unknown.push({ group, version });
      for (const resource of objects(entry, "resources")) resources.push(servedResource(resource, group, version));
    }
  }
  return { dialect, resources, unknown };
}

function servedResource(resource: JsonObject, group: string, version: string): DiscoveredResource {
  const kind = getKey(resource, "responseKind");
  return {
    group,
    version,
    resource: textOf(resource, "resource"),
    kind: isObject(kind) ? textOf(kind, "kind") : "",
    namespaced: textOf(resource, "scope") === "Namespaced",
    singular: textOf(resource, "singularResource"),
    shortNames: texts(resource, "shortNames"),
    categories: texts(resource, "categories"),
    verbs: texts(resource, "verbs"),
  };
}

function objects(value: JsonObject, field: string): JsonObject[] {
  const list = getKey(value, field);
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function textOf(value: JsonObject, field: string): string {
  const found = getKey(value, field);
  return typeof found === "string" ? found : "";
}

function texts(value: JsonObject, field: string): string[] {
  const list = getKey(value, field);
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
}
