// Looks at the head of an LMDB file before LMDB maps it into memory, where a page beyond the end of the file would end
// the process with a bus error instead of a message.

import { open } from "node:fs/promises";

// Offsets in a meta page of LMDB's data format 2, in the byte order of the machine. Pages 0 and 1 are meta pages.
const MAGIC_OFFSET = 24;
const PAGE_SIZE_OFFSET = 48;
const FREE_ROOT_OFFSET = 88;
const MAIN_ROOT_OFFSET = 136;
const LAST_PAGE_OFFSET = 144;
const TRANSACTION_OFFSET = 152;
const META_BYTES = 160;
const MAGIC = 0xbeefc0de;
const NO_PAGE = 2n ** 64n - 1n;

/**
 * The last pages of a file may be missing when they were free at the last commit, which wrote at most so much. A file
 * that lacks more, or a page that the meta page names, has been cut off.
 */
const MAX_UNWRITTEN_BYTES = 64 * 1024 ** 2;

/** What is wrong with the file, as the end of a sentence; undefined when LMDB may open it. */
export async function findFileFault(path: string): Promise<string | undefined> {
  const file = await open(path, "r").catch(() => undefined);
  if (file === undefined) return "is missing or cannot be read";
  try {
    const { size } = await file.stat();
    const readMeta = async (position: number) => {
      const bytes = Buffer.alloc(META_BYTES);
      await file.read(bytes, 0, META_BYTES, position);
      return bytes.readUInt32LE(MAGIC_OFFSET) === MAGIC ? bytes : undefined;
    };
    const first = await readMeta(0);
    const pageBytes = first?.readUInt32LE(PAGE_SIZE_OFFSET) ?? 0;
    if (first === undefined || !isPageSize(pageBytes)) return "is not the data of a store";
    const second = await readMeta(pageBytes);
    if (second === undefined) return "is damaged: its second page is not what LMDB wrote";

    const isNewer = second.readBigUInt64LE(TRANSACTION_OFFSET) > first.readBigUInt64LE(TRANSACTION_OFFSET);
    const newest = isNewer ? second : first;
    const roots = [FREE_ROOT_OFFSET, MAIN_ROOT_OFFSET]
      .map((offset) => newest.readBigUInt64LE(offset))
      .filter((page) => page !== NO_PAGE);
    const neededBytes = (Math.max(1, ...roots.map(Number)) + 1) * pageBytes;
    const fullBytes = (Number(newest.readBigUInt64LE(LAST_PAGE_OFFSET)) + 1) * pageBytes;
    if (size >= neededBytes && size >= fullBytes - MAX_UNWRITTEN_BYTES) return undefined;
    return `is cut off: it has ${size} bytes of ${fullBytes}`;
  } finally {
    await file.close();
  }
}

const isPageSize = (bytes: number) => bytes >= 256 && bytes <= 65_536 && (bytes & (bytes - 1)) === 0;
