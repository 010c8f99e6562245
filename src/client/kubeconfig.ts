// Files in kubeconfig format: where servers are and how to show who one is. Used by clients and for webhook call-outs.
// Requirements: document 2, "Webhook token authentication", "Webhook authorization", "Client credential plugin".

import { dirname, resolve } from "node:path";
import { getKey, isObject, type Json, type JsonObject } from "../base/json.ts";
import { readSmallFileSync } from "../base/read-small-file.ts";
import type { ReadFile } from "../base/start-files.ts";
import { decodeYaml } from "../codec/yaml.ts";

export interface Kubeconfig {
  readonly currentContext: string;
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
}

export interface ClusterEntry {
  readonly server: string;
  readonly tlsServerName?: string | undefined;
  readonly insecureSkipTlsVerify: boolean;
  readonly certificateAuthority?: PemSource | undefined;
  readonly proxyUrl?: string | undefined;
  readonly disableCompression: boolean;
  /** Settings of others, by name. */
  readonly extensions: ReadonlyMap<string, Json>;
}

export interface UserEntry {
  readonly clientCertificate?: PemSource | undefined;
  readonly clientKey?: PemSource | undefined;
  readonly token?: string | undefined;
  /** Absolute. Wins over the token. */
  readonly tokenFile?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly impersonate?: Impersonation | undefined;
  /** The settings of a credential plug-in; judged when the user is the one to act as. */
  readonly exec?: ExecEntry | undefined;
}

/** Whom to act as. Everything beside the name needs the name. */
export interface Impersonation {
  readonly user?: string | undefined;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/** As it stands in the file, and where it stands. */
export interface ExecEntry {
  readonly settings: JsonObject;
  readonly at: string;
  /** Relative commands are relative to it. */
  readonly folder: string;
}

/** PEM in the file itself, or the absolute path of another file that holds it; and the field that says so. */
export type PemSource =
  | { readonly at: string; readonly pem: string; readonly file?: undefined }
  | { readonly at: string; readonly file: string; readonly pem?: undefined };

export interface ContextEntry {
  readonly cluster: string;
  readonly user: string;
  readonly namespace?: string;
}

/** A cluster and a user to reach it as. */
export interface Connection {
  readonly clusterName: string;
  readonly userName: string;
  readonly cluster: ClusterEntry;
  readonly user: UserEntry;
  readonly namespace?: string | undefined;
}

/** Of hundreds of clusters with their authorities. */
export const MAX_KUBECONFIG_BYTES = 16 * 1024 * 1024;

/** What is wrong with a file; names the field. */
export class KubeconfigError extends Error {}

/** Fails with KubeconfigError. Files that it names are not read yet. */
export function readKubeconfig(path: string, readSmallFile: ReadFile = readSmallFileSync): Kubeconfig {
  let bytes: Uint8Array;
  try {
    bytes = readSmallFile(path, MAX_KUBECONFIG_BYTES);
  } catch (error) {
    throw new KubeconfigError((error as Error).message);
  }
  return parseKubeconfig(bytes, dirname(resolve(path)));
}

/** `folder`: what relative paths in it are relative to. */
export function parseKubeconfig(bytes: Uint8Array, folder: string): Kubeconfig {
  let value: unknown;
  try {
    value = decodeYaml(bytes).value;
  } catch (error) {
    throw new KubeconfigError(`not readable as YAML: ${(error as Error).message}`);
  }
  // An empty file says nothing, as /dev/null does to those who want no configuration.
  value ??= {};
  if (!isObject(value)) throw new KubeconfigError("not a configuration: an object is expected");
  return {
    currentContext: text(value, "current-context", "current-context") ?? "",
    clusters: entries(value, "clusters", "cluster", (entry, at) => readCluster(entry, at, folder)),
    users: entries(value, "users", "user", (entry, at) => readUser(entry, at, folder)),
    contexts: entries(value, "contexts", "context", readContext),
  };
}

/** The connection of a context, the current one when none is named. Fails with KubeconfigError, also for files it names. */
export function connectionOf(
  config: Kubeconfig,
  contextName = config.currentContext,
  readSmallFile?: ReadFile,
): Connection {
  if (contextName === "") throw new KubeconfigError("current-context: no context is chosen");
  const context = config.contexts.get(contextName);
  if (context === undefined) throw new KubeconfigError(`contexts: there is no context ${JSON.stringify(contextName)}`);
  const cluster = config.clusters.get(context.cluster);
  if (cluster === undefined)
    throw new KubeconfigError(`clusters: there is no cluster ${JSON.stringify(context.cluster)}`);
  const user = context.user === "" ? {} : config.users.get(context.user);
  if (user === undefined) throw new KubeconfigError(`users: there is no user ${JSON.stringify(context.user)}`);
  const connection: Connection = {
    clusterName: context.cluster,
    userName: context.user,
    cluster,
    user,
    ...optional("namespace", context.namespace),
  };
  checkConnection(connection, readSmallFile);
  return connection;
}

/** Fails with KubeconfigError when parts exclude each other or files cannot be read. */
export function checkConnection({ cluster, user }: Connection, readSmallFile?: ReadFile): void {
  if (cluster.insecureSkipTlsVerify && cluster.certificateAuthority !== undefined) {
    const at = cluster.certificateAuthority.at;
    throw new KubeconfigError(`${at}: an authority and insecure-skip-tls-verify exclude each other`);
  }
  const { clientCertificate, clientKey, impersonate } = user;
  if ((clientCertificate === undefined) !== (clientKey === undefined)) {
    const at = (clientCertificate ?? clientKey)!.at;
    throw new KubeconfigError(`${at}: client-certificate and client-key belong together`);
  }
  for (const source of [cluster.certificateAuthority, clientCertificate, clientKey]) {
    if (source !== undefined) readPem(source, readSmallFile);
  }
  if (impersonate !== undefined && impersonate.user === undefined) {
    throw new KubeconfigError("impersonation: a uid, groups or extra values need the name of a user to act as");
  }
}

/** Fails with KubeconfigError. */
export function readPem(source: PemSource, readSmallFile: ReadFile = readSmallFileSync): string {
  if (source.pem !== undefined) return source.pem;
  try {
    return readSmallFile(source.file).toString("utf8");
  } catch (error) {
    throw new KubeconfigError(`${source.at}: ${(error as Error).message}`);
  }
}

function readCluster(entry: JsonObject, at: string, folder: string): ClusterEntry {
  return {
    server: text(entry, "server", at) ?? "",
    insecureSkipTlsVerify: getKey(entry, "insecure-skip-tls-verify") === true,
    disableCompression: getKey(entry, "disable-compression") === true,
    extensions: readExtensions(entry, at),
    ...optional("certificateAuthority", pemSource(entry, "certificate-authority", at, folder)),
    ...optional("tlsServerName", text(entry, "tls-server-name", at)),
    ...optional("proxyUrl", text(entry, "proxy-url", at)),
  };
}

function readExtensions(entry: JsonObject, at: string): Map<string, Json> {
  const found = new Map<string, Json>();
  for (const item of list(entry, "extensions", at)) {
    if (!isObject(item)) throw new KubeconfigError(`${at}.extensions: a list of objects is expected`);
    const name = text(item, "name", `${at}.extensions`) ?? "";
    found.set(name, (getKey(item, "extension") ?? null) as Json);
  }
  return found;
}

function readUser(entry: JsonObject, at: string, folder: string): UserEntry {
  const tokenFile = text(entry, "tokenFile", at);
  const exec = getKey(entry, "exec");
  if (exec !== undefined && exec !== null && !isObject(exec)) {
    throw new KubeconfigError(`${at}.exec: an object is expected`);
  }
  return {
    ...optional("clientCertificate", pemSource(entry, "client-certificate", at, folder)),
    ...optional("clientKey", pemSource(entry, "client-key", at, folder)),
    ...optional("token", text(entry, "token", at)),
    ...optional("tokenFile", tokenFile === undefined ? undefined : resolve(folder, tokenFile)),
    ...optional("username", text(entry, "username", at)),
    ...optional("password", text(entry, "password", at)),
    ...optional("impersonate", readImpersonation(entry, at)),
    ...(isObject(exec) ? { exec: { settings: exec, at: `${at}.exec`, folder } } : {}),
  };
}

function readImpersonation(entry: JsonObject, at: string): Impersonation | undefined {
  const extra = getKey(entry, "as-user-extra") ?? {};
  if (!isObject(extra)) throw new KubeconfigError(`${at}.as-user-extra: an object is expected`);
  const read: Impersonation = {
    ...optional("user", text(entry, "as", at)),
    ...optional("uid", text(entry, "as-uid", at)),
    groups: texts(entry, "as-groups", at),
    extra: new Map(Object.keys(extra).map((key) => [key, texts(extra, key, `${at}.as-user-extra`)])),
  };
  const empty = read.user === undefined && read.uid === undefined && read.groups.length === 0 && read.extra.size === 0;
  return empty ? undefined : read;
}

function readContext(entry: JsonObject, at: string): ContextEntry {
  return {
    cluster: text(entry, "cluster", at) ?? "",
    user: text(entry, "user", at) ?? "",
    ...optional("namespace", text(entry, "namespace", at)),
  };
}

function entries<T>(
  config: JsonObject,
  name: string,
  field: string,
  read: (entry: JsonObject, at: string) => T,
): Map<string, T> {
  const found = new Map<string, T>();
  list(config, name, "").forEach((item, index) => {
    const at = `${name}[${index}]`;
    if (!isObject(item)) throw new KubeconfigError(`${at}: an object is expected`);
    const entry = getKey(item, field) ?? {};
    if (!isObject(entry)) throw new KubeconfigError(`${at}.${field}: an object is expected`);
    const key = text(item, "name", at) ?? "";
    // As upstream: the first of two entries with one name counts.
    if (!found.has(key)) found.set(key, read(entry, `${at}.${field}`));
  });
  return found;
}

/** Inline data wins over a file. */
function pemSource(entry: JsonObject, field: string, at: string, folder: string): PemSource | undefined {
  const data = text(entry, `${field}-data`, at);
  if (data !== undefined) return { at: `${at}.${field}-data`, pem: decoded(data, `${at}.${field}-data`) };
  const file = text(entry, field, at);
  return file === undefined ? undefined : { at: `${at}.${field}`, file: resolve(folder, file) };
}

/** Node skips what is not base64, and would hand out a part of a certificate, or none, for the whole. */
function decoded(data: string, at: string): string {
  const digits = data.replaceAll(/[\r\n]/g, "");
  if (digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(digits)) {
    throw new KubeconfigError(`${at}: base64 is expected`);
  }
  return Buffer.from(digits, "base64").toString("utf8");
}

function list(entry: JsonObject, field: string, at: string): readonly unknown[] {
  const items = getKey(entry, field) ?? [];
  if (!Array.isArray(items)) throw new KubeconfigError(`${at === "" ? "" : `${at}.`}${field}: a list is expected`);
  return items;
}

function texts(entry: JsonObject, field: string, at: string): string[] {
  return list(entry, field, at).map((item) => {
    if (typeof item !== "string") throw new KubeconfigError(`${at}.${field}: a list of texts is expected`);
    return item;
  });
}

function text(entry: JsonObject, field: string, at: string): string | undefined {
  const value = getKey(entry, field);
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") throw new KubeconfigError(`${at}.${field}: text is expected`);
  return value;
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: V });
}
