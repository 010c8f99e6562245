// Files in kubeconfig format: where a server is and how to show who one is. Used by clients and for webhook call-outs.
// Requirements: document 2, "Webhook token authentication", "Webhook authorization".

import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { getKey, isObject, type JsonObject } from "../base/json.ts";
import { decodeYaml } from "../codec/yaml.ts";

export interface Kubeconfig {
  readonly currentContext: string;
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
}

export interface ClusterEntry {
  readonly server: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify: boolean;
  /** PEM. */
  readonly certificateAuthority?: string;
  readonly proxyUrl?: string;
}

export interface UserEntry {
  /** PEM. */
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  /** The settings of a credential plug-in, as they stand in the file. */
  readonly exec?: JsonObject;
}

export interface ContextEntry {
  readonly cluster: string;
  readonly user: string;
  readonly namespace?: string;
}

/** A cluster and a user to reach it as. */
export interface Connection {
  readonly cluster: ClusterEntry;
  readonly user: UserEntry;
  readonly namespace?: string;
}

/** What is wrong with a file; names the field. */
export class KubeconfigError extends Error {}

/** Files that it names are read too, relative to its folder. Fails with KubeconfigError. */
export function readKubeconfig(path: string): Kubeconfig {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
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
  if (!isObject(value)) throw new KubeconfigError("not a configuration: an object is expected");
  return {
    currentContext: text(value, "current-context", "current-context") ?? "",
    clusters: entries(value, "clusters", "cluster", (entry, at) => readCluster(entry, at, folder)),
    users: entries(value, "users", "user", (entry, at) => readUser(entry, at, folder)),
    contexts: entries(value, "contexts", "context", readContext),
  };
}

/** The connection of a context, the current one when none is named. Fails with KubeconfigError. */
export function connectionOf(config: Kubeconfig, contextName = config.currentContext): Connection {
  if (contextName === "") throw new KubeconfigError("current-context: no context is chosen");
  const context = config.contexts.get(contextName);
  if (context === undefined) throw new KubeconfigError(`contexts: there is no context ${JSON.stringify(contextName)}`);
  const cluster = config.clusters.get(context.cluster);
  if (cluster === undefined)
    throw new KubeconfigError(`clusters: there is no cluster ${JSON.stringify(context.cluster)}`);
  const user = context.user === "" ? {} : config.users.get(context.user);
  if (user === undefined) throw new KubeconfigError(`users: there is no user ${JSON.stringify(context.user)}`);
  return { cluster, user, ...(context.namespace === undefined ? {} : { namespace: context.namespace }) };
}

function readCluster(entry: JsonObject, at: string, folder: string): ClusterEntry {
  const server = text(entry, "server", at) ?? "";
  const authority = pem(entry, "certificate-authority", at, folder);
  const insecure = getKey(entry, "insecure-skip-tls-verify") === true;
  if (insecure && authority !== undefined) {
    throw new KubeconfigError(`${at}: certificate-authority and insecure-skip-tls-verify exclude each other`);
  }
  return {
    server,
    insecureSkipTlsVerify: insecure,
    ...optional("certificateAuthority", authority),
    ...optional("tlsServerName", text(entry, "tls-server-name", at)),
    ...optional("proxyUrl", text(entry, "proxy-url", at)),
  };
}

function readUser(entry: JsonObject, at: string, folder: string): UserEntry {
  const tokenFile = text(entry, "tokenFile", at);
  const exec = getKey(entry, "exec");
  const certificate = pem(entry, "client-certificate", at, folder);
  const key = pem(entry, "client-key", at, folder);
  if ((certificate === undefined) !== (key === undefined)) {
    throw new KubeconfigError(`${at}: client-certificate and client-key belong together`);
  }
  return {
    ...optional("clientCertificate", certificate),
    ...optional("clientKey", key),
    ...optional("token", text(entry, "token", at)),
    ...optional("tokenFile", tokenFile === undefined ? undefined : resolve(folder, tokenFile)),
    ...optional("username", text(entry, "username", at)),
    ...optional("password", text(entry, "password", at)),
    ...(isObject(exec) ? { exec } : {}),
  };
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
  list: string,
  field: string,
  read: (entry: JsonObject, at: string) => T,
): Map<string, T> {
  const items = getKey(config, list) ?? [];
  if (!Array.isArray(items)) throw new KubeconfigError(`${list}: a list is expected`);
  const found = new Map<string, T>();
  items.forEach((item: unknown, index) => {
    const at = `${list}[${index}]`;
    if (!isObject(item)) throw new KubeconfigError(`${at}: an object is expected`);
    const entry = getKey(item, field) ?? {};
    if (!isObject(entry)) throw new KubeconfigError(`${at}.${field}: an object is expected`);
    const name = text(item, "name", at) ?? "";
    // As upstream: the first of two entries with one name counts.
    if (!found.has(name)) found.set(name, read(entry, `${at}.${field}`));
  });
  return found;
}

/** Inline data wins over a file. */
function pem(entry: JsonObject, field: string, at: string, folder: string): string | undefined {
  const data = text(entry, `${field}-data`, at);
  if (data !== undefined) return Buffer.from(data, "base64").toString("utf8");
  const file = text(entry, field, at);
  if (file === undefined) return undefined;
  try {
    return readFileSync(resolve(folder, file), "utf8");
  } catch (error) {
    throw new KubeconfigError(`${at}.${field}: ${(error as Error).message}`);
  }
}

function text(entry: JsonObject, field: string, at: string): string | undefined {
  const value = getKey(entry, field);
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") throw new KubeconfigError(`${at}.${field}: text is expected`);
  return value;
}

function optional<K extends string>(key: K, value: string | undefined): { readonly [P in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: string });
}
