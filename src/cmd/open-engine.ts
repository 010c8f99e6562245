// The store that the flags choose: LMDB in the data directory, or etcd.

import type { Log } from "../base/log.ts";
import { StartError } from "../base/start-error.ts";
import type { ReadFile } from "../base/start-files.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import type { StorageEngine } from "../storage/engine.ts";
import { isStorageError } from "../storage/storage-error.ts";

export async function openEngine(options: ApiServerOptions, log: Log, readStartFile: ReadFile): Promise<StorageEngine> {
  try {
    if (options.etcdServers.length > 0) return await openEtcd(options, log, readStartFile);
    const { openLmdbEngine } = await import("../storage/lmdb-engine.ts");
    return await openLmdbEngine({ dir: options.dataDir, identity: options.dialect });
  } catch (error) {
    throw asStartError(options, error);
  }
}

/**
 * Before anything is written below --data-dir: it holds a store of ours, or nothing, or is there for something else than the
 * store. Fails with StartError.
 */
export async function checkDataDir(options: ApiServerOptions): Promise<void> {
  if (options.etcdServers.length > 0) return;
  try {
    const { requireOwnOrNone } = await import("../storage/lmdb-engine.ts");
    await requireOwnOrNone(options.dataDir, options.dialect);
  } catch (error) {
    throw asStartError(options, error);
  }
}

function asStartError(options: ApiServerOptions, error: unknown): unknown {
  if (!isStorageError(error)) return error;
  const flag =
    options.etcdServers.length > 0
      ? `--etcd-servers ${options.etcdServers.join(",")}`
      : `--data-dir ${options.dataDir}`;
  return new StartError(`${flag}: ${error.message}`, { cause: error });
}

async function openEtcd(options: ApiServerOptions, log: Log, readStartFile: ReadFile): Promise<StorageEngine> {
  const { openEtcdEngine } = await import("../storage/etcd-engine.ts");
  const ca = optionalFile("--etcd-cafile", options.etcdCafile, readStartFile);
  const cert = optionalFile("--etcd-certfile", options.etcdCertfile, readStartFile);
  const key = optionalFile("--etcd-keyfile", options.etcdKeyfile, readStartFile);
  const secure = options.etcdServers.some((server) => server.startsWith("https:"));
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
  return openEtcdEngine({
    endpoints: options.etcdServers,
    prefix: options.etcdPrefix,
    log,
    ...(secure ? { tls } : {}),
  });
}

function optionalFile(flag: string, path: string | undefined, readStartFile: ReadFile): Buffer | undefined {
  if (path === undefined) return undefined;
  try {
    return readStartFile(path);
  } catch (error) {
    throw new StartError(`${flag}: ${(error as Error).message}`);
  }
}
