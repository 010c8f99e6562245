// Files that are read whole, and that others may have put something else in the place of: a pipe, a device, a huge one.

import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";

/** What configurations, keys, certificates and tokens may have. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** Pieces of what does not say how long it is. */
const PIECE_BYTES = 64 * 1024;

/**
 * Fails unless it is a plain file, or a pipe that the process was handed (`<(...)` of a shell, standard input), with at most
 * so many bytes. A pipe with a name would be waited for without end.
 */
export async function readSmallFile(path: string, maxBytes = MAX_FILE_BYTES): Promise<Buffer> {
  const found = await stat(path);
  refuseOdd(path, found, maxBytes);
  const handle = await open(path, flagsFor(found));
  try {
    const opened = await handle.stat();
    refuseOdd(path, opened, maxBytes);
    const pieces = new Pieces(path, opened, maxBytes);
    while (pieces.add(await readPiece(handle, pieces.nextBytes)));
    return pieces.whole();
  } finally {
    await handle.close();
  }
}

/** As `readSmallFile`, while everybody waits: for starts, and for commands that do nothing else. */
export function readSmallFileSync(path: string, maxBytes = MAX_FILE_BYTES): Buffer {
  const found = statSync(path);
  refuseOdd(path, found, maxBytes);
  const file = openSync(path, flagsFor(found));
  try {
    const opened = fstatSync(file);
    refuseOdd(path, opened, maxBytes);
    const pieces = new Pieces(path, opened, maxBytes);
    while (pieces.add(readPieceSync(file, pieces.nextBytes)));
    return pieces.whole();
  } finally {
    closeSync(file);
  }
}

/** One that becomes a pipe between look and opening is not waited for either. */
function flagsFor(found: Stats): number {
  return found.isFile() ? constants.O_RDONLY | constants.O_NONBLOCK : constants.O_RDONLY;
}

/** What of the process's own files is open under a path. */
const OWN_FILES = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/self\/fd\/\d+)$/;

/** Devices are read as far as the limit goes: /dev/null is how one says that there is nothing. */
function refuseOdd(path: string, found: Stats, maxBytes: number): void {
  const isHanded = OWN_FILES.test(path) && (found.isFIFO() || found.isSocket());
  if (!found.isFile() && !found.isCharacterDevice() && !isHanded) throw new UnfitFile(`${path} is not a plain file`);
  if (found.isFile() && found.size > maxBytes) throw tooLarge(path, maxBytes);
}

/** Nothing that can be read whole. The message names the file. */
export class UnfitFile extends Error {}

const tooLarge = (path: string, maxBytes: number): Error => new UnfitFile(`${path} has more than ${maxBytes} bytes`);

/** The file so far. */
class Pieces {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #pieces: Buffer[] = [];
  #size = 0;
  nextBytes: number;

  constructor(path: string, { size }: Stats, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    // One byte more than it has, so that its end is seen at once.
    this.nextBytes = Math.max(size + 1, PIECE_BYTES);
  }

  /** False at the end. */
  add(piece: Buffer): boolean {
    if (piece.length === 0) return false;
    this.#pieces.push(piece);
    this.#size += piece.length;
    this.nextBytes = PIECE_BYTES;
    if (this.#size > this.#maxBytes) throw tooLarge(this.#path, this.#maxBytes);
    return true;
  }

  whole(): Buffer {
    return this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
  }
}

async function readPiece(handle: FileHandle, bytes: number): Promise<Buffer> {
  const piece = Buffer.allocUnsafe(bytes);
  const { bytesRead } = await handle.read(piece, 0, bytes, null);
  return piece.subarray(0, bytesRead);
}

function readPieceSync(file: number, bytes: number): Buffer {
  const piece = Buffer.allocUnsafe(bytes);
  return piece.subarray(0, readSync(file, piece, 0, bytes, null));
}
