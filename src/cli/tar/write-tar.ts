// Files and folders as a tar archive, piece by piece.

import { createReadStream, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";

const BLOCK_BYTES = 512;
/** What the size field holds in octal digits. */
const MAX_OCTAL_SIZE = 8 ** 11 - 1;
const MAX_NAME_BYTES = 100;

/** `path` and everything below it; in the archive it is called `name`. What is neither file, folder nor link is left out. */
export async function* writeTar(path: string, name: string): AsyncGenerator<Uint8Array, void, void> {
  yield* writeEntry(path, name);
  yield Buffer.alloc(2 * BLOCK_BYTES);
}

async function* writeEntry(path: string, name: string): AsyncGenerator<Uint8Array, void, void> {
  const info = lstatSync(path);
  const common = { mode: info.mode & 0o777, mtimeMs: info.mtimeMs };
  if (info.isSymbolicLink()) {
    yield* headerOf({ ...common, name, flag: "2", sizeBytes: 0, target: readlinkSync(path) });
  } else if (info.isDirectory()) {
    yield* headerOf({ ...common, name: `${name}/`, flag: "5", sizeBytes: 0 });
    for (const entry of readdirSync(path).sort()) yield* writeEntry(join(path, entry), `${name}/${entry}`);
  } else if (info.isFile()) {
    yield* headerOf({ ...common, name, flag: "0", sizeBytes: info.size });
    yield* contentOf(path, info.size);
  }
}

/** Exactly as long as the header says: a file that grows or shrinks meanwhile must not break the archive. */
async function* contentOf(path: string, sizeBytes: number): AsyncGenerator<Uint8Array, void, void> {
  let leftBytes = sizeBytes;
  if (sizeBytes > 0) {
    for await (const piece of createReadStream(path, { end: sizeBytes - 1 }) as AsyncIterable<Buffer>) {
      leftBytes -= piece.length;
      yield piece;
    }
  }
  for (; leftBytes > 0; leftBytes -= BLOCK_BYTES) yield Buffer.alloc(Math.min(leftBytes, BLOCK_BYTES));
  const over = sizeBytes % BLOCK_BYTES;
  if (over > 0) yield Buffer.alloc(BLOCK_BYTES - over);
}

interface Entry {
  readonly name: string;
  readonly flag: string;
  readonly mode: number;
  readonly mtimeMs: number;
  readonly sizeBytes: number;
  readonly target?: string;
}

/** Names that are too long for the block stand in an entry before it, as GNU tar has it. */
function* headerOf(entry: Entry): Generator<Uint8Array, void, void> {
  yield* longText("L", entry.name);
  yield* longText("K", entry.target ?? "");
  yield block(entry);
}

function* longText(flag: "L" | "K", text: string): Generator<Uint8Array, void, void> {
  const bytes = Buffer.from(`${text}\0`);
  if (bytes.length <= MAX_NAME_BYTES) return;
  yield block({ name: "././@LongLink", flag, mode: 0, mtimeMs: 0, sizeBytes: bytes.length });
  yield Buffer.concat([bytes], Math.ceil(bytes.length / BLOCK_BYTES) * BLOCK_BYTES);
}

function block({ name, flag, mode, mtimeMs, sizeBytes, target = "" }: Entry): Buffer {
  const bytes = Buffer.alloc(BLOCK_BYTES);
  const text = (value: string, at: number, length: number): void => void bytes.write(value, at, length, "utf8");
  const octal = (value: number, at: number, length: number): void =>
    text(
      Math.max(0, Math.floor(value))
        .toString(8)
        .padStart(length - 1, "0"),
      at,
      length - 1,
    );
  text(name, 0, MAX_NAME_BYTES);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  if (sizeBytes <= MAX_OCTAL_SIZE) octal(sizeBytes, 124, 12);
  else {
    bytes[124] = 0x80;
    bytes.writeBigUInt64BE(BigInt(sizeBytes), 128);
  }
  octal(mtimeMs / 1000, 136, 12);
  text("        ", 148, 8);
  text(flag, 156, 1);
  text(target, 157, MAX_NAME_BYTES);
  // The magic of GNU tar, whose long names these are.
  text("ustar  ", 257, 7);
  let sum = 0;
  for (const byte of bytes) sum += byte;
  octal(sum, 148, 7);
  bytes[154] = 0;
  return bytes;
}
