// Tar archives as they come: entry by entry, without keeping a file in memory. Archives are hostile: every length has a limit.
//
//   block of 512 bytes: name 0-99, mode 100-107, size 124-135, mtime 136-147, checksum 148-155, type 156, prefix 345-499;
//   then the content, filled up to whole blocks; two empty blocks at the end.
//   Type L (GNU) and x (pax) carry a name of the next entry that is too long for its block.

interface TarEntry {
  /** As the archive has it: anything at all. */
  readonly name: string;
  readonly type: "file" | "folder" | "link" | "other";
  readonly mode: number;
  readonly mtimeMs: number;
  readonly sizeBytes: number;
  /** To be read before the next entry is asked for; what is left of it then is skipped. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** What was read is no tar archive. */
export class TarError extends Error {}

const BLOCK_BYTES = 512;
/** Of the entries that only describe the next one: no file system has longer names. */
const MAX_DESCRIPTION_BYTES = 64 * 1024;

/** Fails with TarError. */
export async function* readTar(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry, void, void> {
  const source = new ByteSource(pieces);
  let described: Described = {};
  for (;;) {
    const block = await source.take(BLOCK_BYTES);
    if (block === undefined) return;
    if (block.every((byte) => byte === 0)) {
      // Who writes the archive fills it up, and says only then whether all went well.
      while ((await source.some(BLOCK_BYTES)) !== undefined);
      return;
    }
    const header = readHeader(block);
    if (isDescription(header.flag)) {
      if (header.sizeBytes > MAX_DESCRIPTION_BYTES) throw new TarError("the archive has a name that is too long");
      const text = await source.take(paddedBytes(header.sizeBytes));
      if (text === undefined) throw new TarError(CUT_SHORT);
      described = { ...described, ...readDescription(header.flag, text.subarray(0, header.sizeBytes)) };
      continue;
    }
    const sizeBytes = described.sizeBytes ?? header.sizeBytes;
    const content = new Content(source, sizeBytes);
    yield { ...header, name: described.name ?? header.name, sizeBytes, type: typeOf(header), content };
    await content.skip();
    described = {};
  }
}

interface Header {
  readonly name: string;
  readonly mode: number;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly flag: string;
}

interface Described {
  readonly name?: string;
  readonly sizeBytes?: number;
}

const CUT_SHORT = "the archive ends in the middle";
const CHECKSUM_START = 148;
const CHECKSUM_END = 156;

function readHeader(block: Buffer): Header {
  let sum = 0;
  // The checksum counts as if its own field were blank.
  for (let at = 0; at < BLOCK_BYTES; at += 1) sum += at >= CHECKSUM_START && at < CHECKSUM_END ? 0x20 : block[at]!;
  if (sum !== readNumber(block, CHECKSUM_START, CHECKSUM_END)) throw new TarError("what came is no tar archive");
  const name = readText(block, 0, 100);
  const prefix = block.toString("latin1", 257, 262) === "ustar" ? readText(block, 345, 500) : "";
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    mode: readNumber(block, 100, 108) & 0o777,
    sizeBytes: readNumber(block, 124, 136),
    mtimeMs: readNumber(block, 136, 148) * 1000,
    flag: String.fromCharCode(block[156]!),
  };
}

function readText(block: Buffer, start: number, end: number): string {
  const field = block.subarray(start, end);
  const length = field.indexOf(0);
  return field.toString("utf8", 0, length < 0 ? field.length : length);
}

/** Octal digits; or, where they do not suffice, a set first bit and then a number of whole bytes. */
function readNumber(block: Buffer, start: number, end: number): number {
  const field = block.subarray(start, end);
  if ((field[0]! & 0x80) !== 0) {
    let value = 0;
    for (const byte of field.subarray(1)) value = value * 256 + byte;
    return checkedSize(value);
  }
  const digits = field.toString("latin1").replaceAll("\0", " ").trim();
  if (!/^[0-7]*$/.test(digits)) throw new TarError("what came is no tar archive");
  return digits === "" ? 0 : checkedSize(Number.parseInt(digits, 8));
}

function checkedSize(value: number): number {
  if (!Number.isSafeInteger(value)) throw new TarError("the archive has a number that is too large");
  return value;
}

const isDescription = (flag: string): boolean => ["L", "K", "x", "g"].includes(flag);

function readDescription(flag: string, text: Buffer): Described {
  if (flag === "L") return { name: readText(text, 0, text.length) };
  if (flag !== "x") return {};
  const records = paxRecords(text);
  const name = records.get("path");
  const size = records.get("size");
  if (size !== undefined && !/^\d{1,15}$/.test(size)) throw new TarError("the archive has a size that is no number");
  return { ...(name === undefined ? {} : { name }), ...(size === undefined ? {} : { sizeBytes: Number(size) }) };
}

/** `LENGTH KEY=VALUE\n`, where the length counts itself. */
function paxRecords(text: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < text.length; ) {
    const space = text.indexOf(0x20, at);
    const length = Number(text.toString("latin1", at, space < 0 ? at : space));
    if (!Number.isInteger(length) || length < 5 || at + length > text.length)
      throw new TarError("the archive has a record that cannot be read");
    const record = text.toString("utf8", space + 1, at + length - 1);
    const equals = record.indexOf("=");
    if (equals > 0) records.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return records;
}

function typeOf({ flag, name }: Header): TarEntry["type"] {
  if (flag === "5") return "folder";
  if (flag === "0" || flag === "\0" || flag === "7") return name.endsWith("/") ? "folder" : "file";
  return flag === "1" || flag === "2" ? "link" : "other";
}

const paddedBytes = (sizeBytes: number): number => Math.ceil(sizeBytes / BLOCK_BYTES) * BLOCK_BYTES;

/** The content of one entry. */
class Content implements AsyncIterable<Uint8Array> {
  readonly #source: ByteSource;
  #leftBytes: number;
  #paddingBytes: number;

  constructor(source: ByteSource, sizeBytes: number) {
    this.#source = source;
    this.#leftBytes = sizeBytes;
    this.#paddingBytes = paddedBytes(sizeBytes) - sizeBytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    while (this.#leftBytes > 0) {
      const piece = await this.#source.some(this.#leftBytes);
      if (piece === undefined) throw new TarError(CUT_SHORT);
      this.#leftBytes -= piece.length;
      yield piece;
    }
  }

  async skip(): Promise<void> {
    for await (const _ of this);
    if (this.#paddingBytes > 0 && (await this.#source.take(this.#paddingBytes)) === undefined)
      throw new TarError(CUT_SHORT);
    this.#paddingBytes = 0;
  }
}

/** Bytes in the amounts that are asked for. */
class ByteSource {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** At most so many, at least one; undefined at the end. */
  async some(maxBytes: number): Promise<Buffer | undefined> {
    while (this.#rest.length === 0) {
      const next = await this.#pieces.next();
      if (next.done === true) return undefined;
      this.#rest = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.length);
    }
    const taken = this.#rest.subarray(0, maxBytes);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  /** Exactly so many; undefined when there are fewer. */
  async take(bytes: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    for (let left = bytes; left > 0; ) {
      const part = await this.some(left);
      if (part === undefined) return undefined;
      parts.push(part);
      left -= part.length;
    }
    return parts.length === 1 ? parts[0] : Buffer.concat(parts);
  }
}
