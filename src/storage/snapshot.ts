// Backup of the embedded store: `plinth snapshot save|restore`. Saving works while a server of another process writes.
//
// A snapshot file is a compact copy of the LMDB file, then one line of JSON, then a fixed trailer:
//
//   <data bytes> {"identity":"platform","dataBytes":123456}\n <sha256 of all before, 32 bytes> <length of the JSON line, 4 bytes> PLINTHSNAPSHOT01

import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { makeDirectory } from "../base/make-directory.ts";
import { dataFile, requireEmpty, requireStore, syncDirectory, writeMarker } from "./lmdb/data-directory.ts";
import { findFileFault } from "./lmdb/file-check.ts";
import { translateLmdbError } from "./lmdb/lmdb-errors.ts";
import { openTables, putMetaRevision, readMetaRevision } from "./lmdb/tables.ts";
import { StorageError } from "./storage-error.ts";

const MAGIC = Buffer.from("PLINTHSNAPSHOT01", "latin1");
const HASH_BYTES = 32;
const LENGTH_BYTES = 4;
const TRAILER_BYTES = HASH_BYTES + LENGTH_BYTES + MAGIC.length;
const MAX_HEADER_BYTES = 4_096;
/** More than a store writes between its backup and its loss. */
const REVISIONS_SINCE = 1_000_000_000;

/** A store that is open in this process. */
interface SnapshotSource {
  readonly identity: string;
  copyTo(path: string): Promise<void>;
}

interface SnapshotInfo {
  readonly identity: string;
  readonly dataBytes: number;
}

/** Saves a store, given as an engine or as a data directory, into a file that appears only when it is complete. */
export async function saveSnapshot(source: SnapshotSource | string, file: string): Promise<SnapshotInfo> {
  const target = resolve(file);
  const partial = `${target}.${randomUUID()}.partial`;
  try {
    const { identity } = typeof source === "string" ? await copyDirectory(source, partial) : source;
    if (typeof source !== "string") await source.copyTo(partial);
    const info = await appendTrailer(partial, identity);
    await rename(partial, target);
    await syncDirectory(dirname(target));
    return info;
  } finally {
    await rm(partial, { force: true });
  }
}

/**
 * Makes a data directory from a snapshot, verified before and after; its revisions go on far behind those of the snapshot. Fails
 * with Corrupt when the file is not whole or the directory is not empty.
 */
export async function restoreSnapshot(file: string, dataDir: string): Promise<SnapshotInfo> {
  await requireEmpty(dataDir);
  const info = await verifySnapshot(file);
  await makeDirectory(dataDir, 0o700);
  const target = dataFile(dataDir);
  try {
    // An empty range has no last byte, but a store is never empty.
    await pipeline(
      createReadStream(file, { end: info.dataBytes - 1 }),
      createWriteStream(target, { flags: "wx", mode: 0o600, flush: true }),
    );
    await beginAnew(target, file);
    await writeMarker(dataDir, { identity: info.identity, state: "ready" });
    return info;
  } catch (error) {
    for (const path of [target, `${target}-lock`]) await rm(path, { force: true });
    throw error;
  }
}

/** Checks a snapshot file against its own checksum. Fails with Corrupt. */
export async function verifySnapshot(file: string): Promise<SnapshotInfo> {
  const handle = await open(file, "r").catch((error: unknown) => {
    throw damaged(file, error instanceof Error ? error.message : String(error));
  });
  try {
    const { size } = await handle.stat();
    const trailer = await readAt(handle, size - TRAILER_BYTES, TRAILER_BYTES);
    if (!trailer.subarray(HASH_BYTES + LENGTH_BYTES).equals(MAGIC))
      throw damaged(file, "it is not a snapshot, or cut off");
    const headerBytes = trailer.readUInt32BE(HASH_BYTES);
    const dataBytes = size - TRAILER_BYTES - headerBytes;
    if (headerBytes > MAX_HEADER_BYTES || dataBytes <= 0) throw damaged(file, "its trailer is damaged");
    const hash = await hashFile(file, dataBytes + headerBytes);
    if (!hash.equals(trailer.subarray(0, HASH_BYTES))) throw damaged(file, "its checksum does not fit");
    const header: unknown = JSON.parse((await readAt(handle, dataBytes, headerBytes)).toString("utf8"));
    return { identity: readIdentity(header, file), dataBytes };
  } finally {
    await handle.close();
  }
}

async function copyDirectory(dir: string, path: string): Promise<{ readonly identity: string }> {
  const marker = await requireStore(dir);
  const tables = openTables(dataFile(dir), { readOnly: true });
  try {
    await tables.copyTo(path);
  } catch (error) {
    throw translateLmdbError(error);
  } finally {
    await tables.close();
  }
  return marker;
}

async function appendTrailer(path: string, identity: string): Promise<SnapshotInfo> {
  const file = await open(path, "r+");
  try {
    await file.chmod(0o600);
    const { size: dataBytes } = await file.stat();
    const header = Buffer.from(`${JSON.stringify({ identity, dataBytes })}\n`);
    await file.write(header, 0, header.length, dataBytes);
    const trailer = Buffer.alloc(TRAILER_BYTES);
    (await hashFile(path, dataBytes + header.length)).copy(trailer, 0);
    trailer.writeUInt32BE(header.length, HASH_BYTES);
    MAGIC.copy(trailer, HASH_BYTES + LENGTH_BYTES);
    await file.write(trailer, 0, trailer.length, dataBytes + header.length);
    await file.sync();
    return { identity, dataBytes };
  } finally {
    await file.close();
  }
}

async function hashFile(path: string, length: number): Promise<Buffer> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { end: length - 1 }), hash);
  return hash.digest();
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  if (position >= 0) await file.read(bytes, 0, length, position);
  return bytes;
}

function readIdentity(header: unknown, file: string): string {
  if (typeof header === "object" && header !== null && "identity" in header && typeof header.identity === "string") {
    return header.identity;
  }
  throw damaged(file, "its description is damaged");
}

/**
 * The saved store has gone on, and has given out the revisions after this one: whoever knows them would miss what comes, or
 * take it for what he knows. So none of them comes again, and all that was before counts as compacted.
 */
async function beginAnew(path: string, file: string): Promise<void> {
  const fault = await findFileFault(path);
  if (fault !== undefined) throw damaged(file, `its data ${fault}`);
  const tables = openTables(path);
  try {
    const saved = readMetaRevision(tables, "revision");
    if (saved === undefined) throw damaged(file, "its data has no revision");
    tables.exclusively(() => {
      putMetaRevision(tables, "revision", saved + REVISIONS_SINCE);
      putMetaRevision(tables, "compacted", saved + REVISIONS_SINCE);
    });
  } finally {
    await tables.close();
  }
}

function damaged(file: string, reason: string): StorageError {
  return new StorageError("Corrupt", `snapshot ${file}: ${reason}`);
}
