// Where the last lines of a file begin, found from its end: the work is that of the lines asked for, not of the file.

import type { FileHandle } from "node:fs/promises";

const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/** The offset of the first of the last `lines` lines of a file of `size` bytes; a last line without newline counts. */
export async function tailOffset(file: Pick<FileHandle, "read">, size: number, lines: number): Promise<number> {
  if (lines <= 0) return size;
  const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, Math.max(1, size)));
  let found = 0;
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - chunk.length);
    const { bytesRead } = await file.read(chunk, 0, end - start, start);
    for (let at = bytesRead - 1; at >= 0; at--) {
      // The newline at the very end belongs to the last line.
      if (chunk[at] !== NEWLINE || start + at === size - 1) continue;
      found += 1;
      if (found === lines) return start + at + 1;
    }
    end = start;
  }
  return 0;
}
