// One process owns a data directory. The owner listens on a socket in it: as long as the process lives, however stuck,
// the kernel accepts connections, and the moment it dies, by kill -9 too, it refuses them. Process ids are only named in
// messages, never judged: they are reused, and differ between containers that share a volume.
//
// Taking over is a compare-and-set on the owner row inside LMDB's write transaction, so that of two processes that both
// found the old owner dead, one wins.

import { randomUUID } from "node:crypto";
import { closeSync, openSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { StorageError } from "../storage-error.ts";
import type { Tables } from "./tables.ts";

const OWNER_ROW = "owner";
/** What fits into the address of a UNIX socket, on all systems. */
const MAX_SOCKET_PATH_BYTES = 100;
const MAX_ATTEMPTS = 10;

interface Owner {
  readonly token: string;
  readonly pid: number;
}

export interface OwnerLock {
  release(): Promise<void>;
}

/** Makes this process the owner. Fails with Unavailable, naming the other process, when there is a living one. */
export async function takeOwnership(dir: string, tables: Tables): Promise<OwnerLock> {
  const self: Owner = { token: randomUUID(), pid: process.pid };
  const server = await listen(dir, self);
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const found = readOwner(tables);
      if (found !== undefined && (await isAlive(dir, found))) throw inUse(dir, found);
      if (replaceOwner(tables, found, self)) {
        if (found !== undefined) rmSync(join(dir, socketName(found)), { force: true });
        return { release: () => release(dir, tables, self, server) };
      }
    }
    throw new StorageError("Unavailable", `data directory ${dir}: too many processes try to open it`);
  } catch (error) {
    await closeServer(server);
    throw error;
  }
}

/**
 * Fails with Unavailable when a living process owns the directory, without opening anything in it. Only takeOwnership
 * decides; this keeps a file that is being written to from being judged as damaged.
 */
export async function refuseLivingOwner(dir: string): Promise<void> {
  const owner = await findLivingOwner(dir);
  if (owner !== undefined) throw inUse(dir, owner);
}

export async function hasLivingOwner(dir: string): Promise<boolean> {
  return (await findLivingOwner(dir)) !== undefined;
}

async function findLivingOwner(dir: string): Promise<Owner | undefined> {
  for (const name of await readdir(dir).catch(() => [])) {
    const [, pid, token] = SOCKET_NAME.exec(name) ?? [];
    if (pid === undefined || token === undefined) continue;
    const owner = { pid: Number(pid), token };
    if (await isAlive(dir, owner)) return owner;
  }
  return undefined;
}

async function release(dir: string, tables: Tables, self: Owner, server: Server): Promise<void> {
  try {
    replaceOwner(tables, self, undefined);
  } catch {
    // On a full or failing disk the row stays; nobody listens for it, so the next process takes over.
  }
  await closeServer(server);
  rmSync(join(dir, socketName(self)), { force: true });
}

function readOwner(tables: Tables): Owner | undefined {
  const row = tables.meta.getBinary(OWNER_ROW);
  if (row === undefined || row.length === 0) return undefined;
  const [token, pid] = row.toString("utf8").split(" ");
  return token === undefined ? undefined : { token, pid: Number(pid) };
}

function replaceOwner(tables: Tables, found: Owner | undefined, next: Owner | undefined): boolean {
  return tables.exclusively(() => {
    if (readOwner(tables)?.token !== found?.token) return false;
    tables.meta.put(OWNER_ROW, Buffer.from(next === undefined ? "" : `${next.token} ${next.pid}`));
    return true;
  });
}

function inUse(dir: string, owner: Owner): StorageError {
  return new StorageError("Unavailable", `data directory ${dir} is in use by process ${owner.pid}`);
}

function isAlive(dir: string, owner: Owner): Promise<boolean> {
  return withSocketPath(dir, socketName(owner), (path) => {
    return new Promise<boolean>((resolve) => {
      const socket = connect(path);
      socket.once("connect", () => {
        socket.destroy();
        resolve(true);
      });
      // Only these two say that nobody listens; a full backlog, for example, is a sign of life.
      socket.once("error", (error: NodeJS.ErrnoException) => {
        resolve(error.code !== "ECONNREFUSED" && error.code !== "ENOENT");
      });
    });
  });
}

function listen(dir: string, self: Owner): Promise<Server> {
  return withSocketPath(dir, socketName(self), (path) => {
    return new Promise<Server>((resolve, reject) => {
      const server = createServer((socket) => socket.destroy());
      server.once("error", (error) => {
        reject(new StorageError("Unavailable", `data directory ${dir} cannot be locked: ${error.message}`));
      });
      server.listen(path, () => resolve(server.unref()));
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Long paths go through an open directory, since a socket address is short. */
async function withSocketPath<T>(dir: string, name: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(dir, name);
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES) return use(path);
  const directory = openSync(dir, "r");
  try {
    return await use(`/proc/self/fd/${directory}/${name}`);
  } finally {
    closeSync(directory);
  }
}

const socketName = (owner: Owner) => `owner-${owner.pid}-${owner.token}.sock`;
const SOCKET_NAME = /^owner-(\d+)-([0-9a-f-]+)\.sock$/;
