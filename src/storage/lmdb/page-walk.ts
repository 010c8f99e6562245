// Walks the trees of an LMDB file (data format 2) by plain reads and finds pages that are missing or are not tree pages.
// Values on overflow pages are not read, only their place is checked.

import type { FileHandle } from "node:fs/promises";

export const MAX_PAGE_BYTES = 65_536;

export interface PageFile {
  readonly file: FileHandle;
  readonly pageBytes: number;
  readonly sizeBytes: number;
}

// A page: number (8), transaction (8), padding (2), flags (2), end of the pointers (2), start of the nodes (2), pointers.
const HEADER_BYTES = 24;
const PAGE_FLAGS_OFFSET = 18;
const POINTERS_END_OFFSET = 20;
const BRANCH = 0x01;
const LEAF = 0x02;

// A node: low and high half of size or page (4), flags (2), length of the key (2), key, data.
const NODE_BYTES = 8;
const BIG_DATA = 0x01;
const SUB_TREE = 0x02;
const OVERFLOW_BYTES = 24;
const TREE_BYTES = 48;
const TREE_ROOT_OFFSET = 40;
const NO_PAGE = 2n ** 64n - 1n;

const MAX_DEPTH = 64;

/** What is wrong, as the end of a sentence; undefined when every page of every tree is in its place. */
export async function findPageFault(pages: PageFile, roots: readonly number[]): Promise<string | undefined> {
  const buffer = Buffer.alloc(pages.pageBytes);
  const waiting = roots.map((page) => ({ page, depth: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { page, depth } = next;
    const fault = depth > MAX_DEPTH ? damaged(page) : await readTreePage(pages, page, buffer);
    if (fault !== undefined) return fault;
    const found = readReferences(buffer);
    if (found === undefined) return damaged(page);
    for (const { first, count } of found.overflow) {
      if ((first + count) * pages.pageBytes > pages.sizeBytes) return cutOff(pages, first + count - 1);
    }
    for (const child of found.children) waiting.push({ page: child, depth: depth + 1 });
  }
  return undefined;
}

async function readTreePage(pages: PageFile, page: number, buffer: Buffer): Promise<string | undefined> {
  const { bytesRead } = await pages.file.read(buffer, 0, pages.pageBytes, page * pages.pageBytes);
  if (bytesRead < pages.pageBytes) return cutOff(pages, page);
  return Number(buffer.readBigUInt64LE(0)) === page ? undefined : damaged(page);
}

interface References {
  /** Pages of the same tree below this one, and roots of other trees named in it. */
  readonly children: readonly number[];
  readonly overflow: ReadonlyArray<{ readonly first: number; readonly count: number }>;
}

function readReferences(buffer: Buffer): References | undefined {
  const flags = buffer.readUInt16LE(PAGE_FLAGS_OFFSET);
  const nodeCount = buffer.readUInt16LE(POINTERS_END_OFFSET) >> 1;
  const isBranch = (flags & BRANCH) !== 0;
  if (isBranch === ((flags & LEAF) !== 0) || HEADER_BYTES + 2 * nodeCount > buffer.length) return undefined;
  const children: number[] = [];
  const overflow: Array<{ first: number; count: number }> = [];
  for (let index = 0; index < nodeCount; index++) {
    const node = HEADER_BYTES + buffer.readUInt16LE(HEADER_BYTES + 2 * index);
    if (node + NODE_BYTES > buffer.length) return undefined;
    const low = buffer.readUInt32LE(node);
    const nodeFlags = buffer.readUInt16LE(node + 4);
    if (isBranch) {
      children.push(nodeFlags * 2 ** 32 + low);
      continue;
    }
    const data = node + NODE_BYTES + buffer.readUInt16LE(node + 6);
    if ((nodeFlags & BIG_DATA) !== 0) {
      if (data + OVERFLOW_BYTES > buffer.length) return undefined;
      overflow.push({ first: Number(buffer.readBigUInt64LE(data)), count: Number(buffer.readBigUInt64LE(data + 16)) });
    } else if ((nodeFlags & SUB_TREE) !== 0) {
      if (data + TREE_BYTES > buffer.length) return undefined;
      const root = buffer.readBigUInt64LE(data + TREE_ROOT_OFFSET);
      if (root !== NO_PAGE) children.push(Number(root));
    } else if (data + low > buffer.length) {
      return undefined;
    }
  }
  return { children, overflow };
}

const damaged = (page: number) => `is damaged: page ${page} is not what was written`;

const cutOff = (pages: PageFile, page: number) => `is cut off: page ${page} lies beyond its ${pages.sizeBytes} bytes`;
