// The data directory: what belongs to the store, how a new one is made, and how a foreign or damaged one is recognized
// before anything in it is touched.
//
//   store.json       the marker: format, version, identity, state ("creating" until the first open has succeeded)
//   store.mdb        LMDB's data      store.mdb-lock   LMDB's readers and write mutex      owner-*.sock   see owner-lock.ts

import { randomUUID } from "node:crypto";
import { link, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeDirectory } from "../../base/make-directory.ts";
import { readSmallFile } from "../../base/read-small-file.ts";
import { StorageError } from "../storage-error.ts";
import { findFileFault } from "./file-check.ts";
import { hasLivingOwner, refuseLivingOwner } from "./owner-lock.ts";

const FORMAT = "plinth-lmdb";
const VERSION = 1;
const MARKER = "store.json";
const DATA = "store.mdb";

/** What the server keeps beside its store, and what file systems put there by themselves. */
const NEIGHBOURS: ReadonlySet<string> = new Set(["pki", "kubeconfig", "lost+found"]);

export interface Marker {
  readonly identity: string;
  readonly state: "creating" | "ready";
}

export const dataFile = (dir: string): string => join(dir, DATA);

/**
 * Finds the store of this identity in `dir`, or makes room for a new one. Fails with Corrupt for what is not a store or
 * is damaged, and with Unavailable for a store of another identity; nothing is changed then.
 */
export async function prepareDirectory(dir: string, identity: string): Promise<Marker> {
  const marker = (await readMarker(dir)) ?? (await createMarker(dir, identity));
  await refuseLivingOwner(dir);
  requireIdentity(dir, marker, identity);
  if (marker.state === "ready") await checkData(dir);
  return marker;
}

/** Whether `prepareDirectory` would find a store of this identity, or room for one: fails as it does. Makes only the directory. */
export async function requireOwnOrNone(dir: string, identity: string): Promise<void> {
  const marker = await readMarker(dir);
  if (marker === undefined) return makeRoom(dir);
  await refuseLivingOwner(dir);
  requireIdentity(dir, marker, identity);
}

function requireIdentity(dir: string, marker: Marker, identity: string): void {
  if (marker.identity !== identity) {
    const message =
      `data directory ${dir} was created with --dialect=${marker.identity}, not ${identity}: start with ` +
      `--dialect=${marker.identity}, or give --dialect=${identity} a directory of its own with --data-dir`;
    throw new StorageError("Unavailable", message);
  }
}

/** The marker of a complete store, for readers of another process. Fails with Corrupt. */
export async function requireStore(dir: string): Promise<Marker> {
  const marker = await readMarker(dir);
  if (marker?.state !== "ready") throw corrupt(dir, "it holds no store");
  // A file that is being written to cannot be judged from outside, and need not be.
  if (!(await hasLivingOwner(dir))) await checkData(dir);
  return marker;
}

/** Fails with Corrupt unless the directory is empty or does not exist. */
export async function requireEmpty(dir: string): Promise<void> {
  const names = await namesIn(dir);
  if (names.length > 0) throw corrupt(dir, `it is not empty (${names.slice(0, 3).join(", ")})`);
}

export async function writeMarker(dir: string, marker: Marker): Promise<void> {
  const written = await writeMarkerAside(dir, marker);
  await rename(written, join(dir, MARKER));
  await syncDirectory(dir);
}

async function makeRoom(dir: string): Promise<void> {
  await refuseForeignFiles(dir);
  try {
    await makeDirectory(dir, 0o700);
  } catch (error) {
    throw new StorageError("Unavailable", `the directory cannot be made: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

async function createMarker(dir: string, identity: string): Promise<Marker> {
  await makeRoom(dir);
  const marker: Marker = { identity, state: "creating" };
  const written = await writeMarkerAside(dir, marker);
  try {
    // Unlike rename, link does not replace the marker of a process that was faster.
    await link(written, join(dir, MARKER));
    await syncDirectory(dir);
    return marker;
  } catch (error) {
    const other = await readMarker(dir);
    if (other === undefined) throw error;
    return other;
  } finally {
    await rm(written, { force: true });
  }
}

async function writeMarkerAside(dir: string, marker: Marker): Promise<string> {
  const path = join(dir, `${MARKER}.${randomUUID()}.new`);
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(`${JSON.stringify({ format: FORMAT, version: VERSION, ...marker })}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return path;
}

/** Makes names in a directory durable. */
export async function syncDirectory(dir: string): Promise<void> {
  const directory = await open(dir, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

async function readMarker(dir: string): Promise<Marker | undefined> {
  let text: string;
  try {
    text = (await readSmallFile(join(dir, MARKER))).toString("utf8");
  } catch (error) {
    if (isNotFound(error)) return undefined;
    const file = await fileInTheWay(dir);
    throw corrupt(dir, file === undefined ? `${MARKER} cannot be read: ${String(error)}` : `${file} is a file`);
  }
  const parsed = parseObject(text);
  if (parsed?.["format"] !== FORMAT) throw corrupt(dir, `${MARKER} is not the marker of a store`);
  if (parsed["version"] !== VERSION) {
    throw corrupt(dir, `the store has format version ${String(parsed["version"])}; this program reads ${VERSION}`);
  }
  const { identity, state } = parsed;
  if (typeof identity !== "string" || (state !== "creating" && state !== "ready")) {
    throw corrupt(dir, `${MARKER} is damaged`);
  }
  return { identity, state };
}

/** The directory itself, or the one above it, that is none; undefined when all of them are. */
async function fileInTheWay(dir: string): Promise<string | undefined> {
  const found = await stat(dir).catch(() => undefined);
  if (found !== undefined) return found.isDirectory() ? undefined : dir;
  const parent = dirname(dir);
  return parent === dir ? undefined : fileInTheWay(parent);
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

async function refuseForeignFiles(dir: string): Promise<void> {
  const foreign = (await namesIn(dir)).filter((name) => !NEIGHBOURS.has(name) && !name.startsWith(`${MARKER}.`));
  // Another process may be creating the store this very moment: then there is a marker now.
  if (foreign.length === 0 || (await readMarker(dir)) !== undefined) return;
  throw corrupt(dir, `it holds files that are not a store's (${foreign.slice(0, 3).join(", ")})`);
}

async function namesIn(dir: string): Promise<string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (isNotFound(error)) return [];
    throw corrupt(dir, String(error instanceof Error ? error.message : error));
  }
}

async function checkData(dir: string): Promise<void> {
  const fault = await findFileFault(dataFile(dir));
  if (fault !== undefined) throw corrupt(dir, `${DATA} ${fault}`);
}

const isNotFound = (error: unknown) => error instanceof Error && "code" in error && error.code === "ENOENT";

function corrupt(dir: string, reason: string): StorageError {
  return new StorageError("Corrupt", `data directory ${dir}: ${reason}`);
}
