// Looks at an LMDB file before LMDB maps it into memory, where a page beyond the end of the file, or one that is not what
// LMDB wrote, would end the process instead of giving a message.

import { type FileHandle, open } from "node:fs/promises";
import { findPageFault, MAX_PAGE_BYTES, type PageFile } from "./page-walk.ts";

// Offsets in a meta page of LMDB's data format 2. Pages 0 and 1 are meta pages; the newer one counts.
const MAGIC_OFFSET = 24;
const PAGE_SIZE_OFFSET = 48;
const FREE_ROOT_OFFSET = 88;
const MAIN_ROOT_OFFSET = 136;
const LAST_PAGE_OFFSET = 144;
const TRANSACTION_OFFSET = 152;
const META_BYTES = 160;
const MAGIC = 0xbeefc0de;
const NO_PAGE = 2n ** 64n - 1n;

/** Small files are read through at every open: that takes some milliseconds. */
const ALWAYS_WALKED_BYTES = 16 * 1024 ** 2;

/** What is wrong with a file that nobody writes to, as the end of a sentence; undefined when LMDB may open it. */
export async function findFileFault(path: string): Promise<string | undefined> {
  const file = await open(path, "r").catch(() => undefined);
  if (file === undefined) return "is missing or cannot be read";
  try {
    const meta = await readNewestMeta(file);
    if (typeof meta === "string") return meta;
    const { size } = await file.stat();
    // The last pages may lack in a whole file, when they were free at the last commit: then only a walk can tell.
    if (size >= meta.fullBytes && size > ALWAYS_WALKED_BYTES) return undefined;
    const pages: PageFile = { file, pageBytes: meta.pageBytes, sizeBytes: size };
    return await findPageFault(pages, meta.roots);
  } finally {
    await file.close();
  }
}

interface Meta {
  readonly pageBytes: number;
  readonly fullBytes: number;
  readonly roots: readonly number[];
}

async function readNewestMeta(file: FileHandle): Promise<Meta | string> {
  const first = await readMeta(file, 0);
  const pageBytes = first?.readUInt32LE(PAGE_SIZE_OFFSET) ?? 0;
  if (first === undefined || !isPageSize(pageBytes)) return "is not the data of a store";
  const second = await readMeta(file, pageBytes);
  if (second === undefined) return "is damaged: its second page is not what was written";
  const isNewer = second.readBigUInt64LE(TRANSACTION_OFFSET) > first.readBigUInt64LE(TRANSACTION_OFFSET);
  const newest = isNewer ? second : first;
  return {
    pageBytes,
    fullBytes: (Number(newest.readBigUInt64LE(LAST_PAGE_OFFSET)) + 1) * pageBytes,
    roots: [FREE_ROOT_OFFSET, MAIN_ROOT_OFFSET]
      .map((offset) => newest.readBigUInt64LE(offset))
      .filter((page) => page !== NO_PAGE)
      .map(Number),
  };
}

async function readMeta(file: FileHandle, position: number): Promise<Buffer | undefined> {
  const bytes = Buffer.alloc(META_BYTES);
  await file.read(bytes, 0, META_BYTES, position);
  return bytes.readUInt32LE(MAGIC_OFFSET) === MAGIC ? bytes : undefined;
}

const isPageSize = (bytes: number) => bytes >= 256 && bytes <= MAX_PAGE_BYTES && (bytes & (bytes - 1)) === 0;
