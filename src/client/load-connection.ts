// Where to connect and as whom: kubeconfig files put together, flags over them, the files of a pod where there is nothing
// else.

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { inClusterConnection } from "./in-cluster.ts";
import {
  type ClusterEntry,
  type Connection,
  type ContextEntry,
  checkConnection,
  type Impersonation,
  type Kubeconfig,
  KubeconfigError,
  readKubeconfig,
  type UserEntry,
} from "./kubeconfig.ts";

/** What flags say. Everything given here wins over the files. */
export interface ConnectionOptions {
  /** A file that must exist, instead of those that the environment and the home folder have. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** Names of entries, instead of those of the context. */
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly namespace?: string | undefined;
  readonly server?: string | undefined;
  readonly tlsServerName?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** Paths, relative to the working directory. */
  readonly certificateAuthority?: string | undefined;
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly token?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly disableCompression?: boolean | undefined;
  readonly impersonate?: Impersonation | undefined;
  /** The process's own when not given. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly homeFolder?: string | undefined;
  /** See in-cluster. */
  readonly root?: string | undefined;
}

/** Fails with KubeconfigError. */
export function loadConnection(options: ConnectionOptions = {}): Connection {
  const { env = process.env, root } = options;
  const config = mergeKubeconfigs(readFiles(options, env));
  const chosen =
    chosenConnection(config, options) ?? inClusterConnection({ env, ...(root === undefined ? {} : { root }) });
  if (chosen === undefined) throw new KubeconfigError(`no server is configured: ${whatToDo(options, env)}`);
  const connection = withFlags(chosen, options);
  if (connection.cluster.server === "") {
    throw new KubeconfigError(`clusters: cluster ${JSON.stringify(connection.clusterName)} has no server`);
  }
  checkConnection(connection);
  return connection;
}

/** A path of KUBECONFIG that does not begin at the root leads to another file in every folder. */
function whatToDo({ kubeconfig }: ConnectionOptions, env: NodeJS.ProcessEnv): string {
  const listed = kubeconfig === undefined ? listedFiles(env) : [];
  if (listed.length > 0 && !listed.some((path) => existsSync(path)))
    return `KUBECONFIG names ${listed.map((path) => JSON.stringify(path)).join(", ")}, and no such file is there`;
  return "name a kubeconfig file with --kubeconfig or KUBECONFIG, or a server with --server";
}

/** The first file that has a context, or an entry of a name, is the one that counts, with all of the entry. */
function mergeKubeconfigs(files: readonly Kubeconfig[]): Kubeconfig {
  const inReverse = files.toReversed();
  return {
    currentContext: files.find(({ currentContext }) => currentContext !== "")?.currentContext ?? "",
    clusters: new Map(inReverse.flatMap(({ clusters }) => [...clusters])),
    users: new Map(inReverse.flatMap(({ users }) => [...users])),
    contexts: new Map(inReverse.flatMap(({ contexts }) => [...contexts])),
  };
}

function readFiles({ kubeconfig, homeFolder = homedir() }: ConnectionOptions, env: NodeJS.ProcessEnv): Kubeconfig[] {
  if (kubeconfig !== undefined) return [readNamed(kubeconfig)];
  const listed = listedFiles(env);
  const paths = listed.length > 0 ? listed : [join(homeFolder, ".kube/config")];
  // Lists may name files that do not exist yet.
  return [...new Set(paths)].filter((path) => existsSync(path)).map(readNamed);
}

const listedFiles = (env: NodeJS.ProcessEnv): string[] =>
  (env["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");

function readNamed(path: string): Kubeconfig {
  try {
    return readKubeconfig(path);
  } catch (error) {
    if (error instanceof KubeconfigError) throw new KubeconfigError(`${path}: ${error.message}`, { cause: error });
    throw error;
  }
}

const NO_CLUSTER: ClusterEntry = {
  server: "",
  insecureSkipTlsVerify: false,
  disableCompression: false,
  extensions: new Map(),
};

/** Undefined when neither files nor flags choose anything. */
function chosenConnection(config: Kubeconfig, options: ConnectionOptions): Connection | undefined {
  const contextName = options.context ?? config.currentContext;
  if (contextName === "" && options.cluster === undefined && options.server === undefined) return undefined;
  const context = contextName === "" ? NO_CONTEXT : found(config.contexts, contextName, "context");
  const clusterName = options.cluster ?? context.cluster;
  const userName = options.user ?? context.user;
  // A server of the command line needs no entry.
  const needsCluster = options.cluster !== undefined || options.server === undefined;
  const cluster = needsCluster
    ? found(config.clusters, clusterName, "cluster")
    : (config.clusters.get(clusterName) ?? NO_CLUSTER);
  const user: UserEntry = userName === "" ? {} : found(config.users, userName, "user");
  const { namespace } = context;
  return { clusterName, userName, cluster, user, ...(namespace === undefined ? {} : { namespace }) };
}

const NO_CONTEXT: ContextEntry = { cluster: "", user: "" };

function found<T>(entries: ReadonlyMap<string, T>, name: string, what: string): T {
  const entry = entries.get(name);
  if (entry === undefined) throw new KubeconfigError(`${what}s: there is no ${what} ${JSON.stringify(name)}`);
  return entry;
}

function withFlags(connection: Connection, options: ConnectionOptions): Connection {
  const { namespace = connection.namespace } = options;
  return {
    ...connection,
    cluster: clusterWithFlags(connection.cluster, options),
    user: userWithFlags(connection.user, options),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

function clusterWithFlags(cluster: ClusterEntry, options: ConnectionOptions): ClusterEntry {
  const { server, tlsServerName, insecureSkipTlsVerify, certificateAuthority, disableCompression } = options;
  const { certificateAuthority: ofFile, ...rest } = cluster;
  const authority =
    certificateAuthority !== undefined
      ? { at: "--certificate-authority", file: resolve(certificateAuthority) }
      : // Asking to trust anybody on the command line wins over the authority in a file.
        insecureSkipTlsVerify === true
        ? undefined
        : ofFile;
  return {
    ...rest,
    ...(authority === undefined ? {} : { certificateAuthority: authority }),
    ...(server === undefined ? {} : { server: server.includes("://") ? server : `https://${server}` }),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(insecureSkipTlsVerify === undefined ? {} : { insecureSkipTlsVerify }),
    ...(disableCompression === undefined ? {} : { disableCompression }),
  };
}

function userWithFlags(user: UserEntry, options: ConnectionOptions): UserEntry {
  const { clientCertificate, clientKey, impersonate } = options;
  return {
    ...userShowing(user, options),
    ...(clientCertificate === undefined
      ? {}
      : { clientCertificate: { at: "--client-certificate", file: resolve(clientCertificate) } }),
    ...(clientKey === undefined ? {} : { clientKey: { at: "--client-key", file: resolve(clientKey) } }),
    ...(impersonate === undefined ? {} : { impersonate }),
  };
}

/** A token or a name of the command line is the only one that is shown, and no plug-in is asked for another. */
function userShowing(user: UserEntry, { token, username, password }: ConnectionOptions): UserEntry {
  if (token !== undefined && username !== undefined)
    throw new KubeconfigError("--token and --username exclude each other: one says who asks");
  const { tokenFile, exec, token: _, username: ownName, password: ownPassword, ...rest } = user;
  if (token !== undefined) return { ...rest, token };
  if (username === undefined) return password === undefined ? user : { ...user, password };
  return { ...rest, username, ...(password === undefined ? {} : { password }) };
}
