// Messages of the system bus (D-Bus), as far as the agent speaks it: it sends a few types and reads plain values.
//
//   'l' type flags version | body length | serial | header fields (array of code and variant) | padding to 8 | body

type BusMessageType = "call" | "return" | "error" | "signal";

export interface BusMessage {
  readonly type: BusMessageType;
  readonly serial: number;
  readonly path?: string;
  readonly interface?: string;
  readonly member?: string;
  readonly errorName?: string;
  readonly replySerial?: number;
  readonly destination?: string;
  readonly sender?: string;
  readonly body: readonly BusValue[];
}

export type BusValue = string | number | bigint | boolean;

interface OutgoingMessage extends Omit<BusMessage, "sender"> {
  readonly body: readonly BusValue[];
}

/** Larger ones are no message for the agent, but a sign of something wrong. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;
const TYPES: readonly BusMessageType[] = ["call", "return", "error", "signal"];
const FIXED_BYTES = 16;

export function encodeMessage(message: OutgoingMessage): Buffer {
  const body = new BusWriter();
  let signature = "";
  for (const value of message.body) signature += body.value(value);
  const header = new BusWriter();
  header
    .byte("l".charCodeAt(0))
    .byte(TYPES.indexOf(message.type) + 1)
    .byte(0)
    .byte(1);
  header.uint32(body.length).uint32(message.serial);
  const fields = new BusWriter();
  const text = (code: number, type: "o" | "s", value: string | undefined) => {
    if (value !== undefined) fields.align(8).byte(code).signature(type).string(value);
  };
  text(1, "o", message.path);
  text(2, "s", message.interface);
  text(3, "s", message.member);
  text(4, "s", message.errorName);
  if (message.replySerial !== undefined) fields.align(8).byte(5).signature("u").uint32(message.replySerial);
  text(6, "s", message.destination);
  if (signature !== "") fields.align(8).byte(8).signature("g").signature(signature);
  header.uint32(fields.length);
  const head = Buffer.concat([header.bytes(), fields.bytes()]);
  return Buffer.concat([head, Buffer.alloc(paddingTo(8, head.length)), body.bytes()]);
}

/** The message at the start of the bytes and how many it takes; undefined when it is not all there yet. */
export function decodeMessage(bytes: Buffer): { readonly message: BusMessage; readonly length: number } | undefined {
  if (bytes.length < FIXED_BYTES) return undefined;
  const reader = new BusReader(bytes, bytes[0] === "l".charCodeAt(0));
  reader.at = 4;
  const bodyLength = reader.uint32();
  const serial = reader.uint32();
  const fieldsLength = reader.uint32();
  const bodyAt = FIXED_BYTES + fieldsLength + paddingTo(8, FIXED_BYTES + fieldsLength);
  const length = bodyAt + bodyLength;
  if (length > MAX_MESSAGE_BYTES) throw new Error(`a message of ${length} bytes on the system bus`);
  if (bytes.length < length) return undefined;
  const fields = new Map<number, BusValue>();
  while (reader.at < FIXED_BYTES + fieldsLength) {
    reader.align(8);
    const code = reader.byte();
    fields.set(code, reader.value(reader.signature()));
  }
  reader.at = bodyAt;
  const text = (code: number, name: string) => (fields.has(code) ? { [name]: String(fields.get(code)) } : {});
  const message: BusMessage = {
    type: TYPES[(bytes[1] ?? 0) - 1] ?? "error",
    serial,
    ...text(1, "path"),
    ...text(2, "interface"),
    ...text(3, "member"),
    ...text(4, "errorName"),
    ...(fields.has(5) ? { replySerial: Number(fields.get(5)) } : {}),
    ...text(6, "destination"),
    ...text(7, "sender"),
    body: readBody(reader, String(fields.get(8) ?? "")),
  };
  return { message, length };
}

/** Values up to the first of a type that the agent does not read. */
function readBody(reader: BusReader, signature: string): BusValue[] {
  const values: BusValue[] = [];
  for (const type of signature) {
    if (!READABLE.includes(type)) break;
    values.push(reader.value(type));
  }
  return values;
}

const READABLE = "ybnqiuxtsogvh";
const paddingTo = (size: number, length: number): number => (size - (length % size)) % size;

class BusWriter {
  readonly #parts: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  align(size: number): this {
    return this.#add(Buffer.alloc(paddingTo(size, this.#length)));
  }

  byte(value: number): this {
    return this.#add(Buffer.from([value]));
  }

  uint32(value: number): this {
    this.align(4);
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return this.#add(bytes);
  }

  string(value: string): this {
    const text = Buffer.from(value);
    return this.uint32(text.length).#add(Buffer.concat([text, Buffer.from([0])]));
  }

  signature(value: string): this {
    return this.byte(value.length).#add(Buffer.from(`${value}\0`));
  }

  int32(value: number): this {
    return this.uint32(value >>> 0);
  }

  /** Says of which type it was written. */
  value(value: BusValue): string {
    if (typeof value === "string") return this.string(value) && "s";
    if (typeof value === "boolean") return this.uint32(value ? 1 : 0) && "b";
    if (typeof value === "number") return this.int32(value) && "i";
    // Properties come as values that carry their type.
    this.signature("t").align(8);
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(value);
    return this.#add(bytes) && "v";
  }

  #add(bytes: Buffer): this {
    this.#parts.push(bytes);
    this.#length += bytes.length;
    return this;
  }
}

class BusReader {
  readonly #bytes: Buffer;
  readonly #isLittle: boolean;
  at = 0;

  constructor(bytes: Buffer, isLittle: boolean) {
    this.#bytes = bytes;
    this.#isLittle = isLittle;
  }

  align(size: number): void {
    this.at += paddingTo(size, this.at);
  }

  byte(): number {
    this.at += 1;
    return this.#bytes[this.at - 1] ?? 0;
  }

  uint32(): number {
    this.align(4);
    this.at += 4;
    return this.#isLittle ? this.#bytes.readUInt32LE(this.at - 4) : this.#bytes.readUInt32BE(this.at - 4);
  }

  uint64(): bigint {
    this.align(8);
    this.at += 8;
    return this.#isLittle ? this.#bytes.readBigUInt64LE(this.at - 8) : this.#bytes.readBigUInt64BE(this.at - 8);
  }

  uint16(): number {
    this.align(2);
    this.at += 2;
    return this.#isLittle ? this.#bytes.readUInt16LE(this.at - 2) : this.#bytes.readUInt16BE(this.at - 2);
  }

  text(length: number): string {
    this.at += length + 1;
    return this.#bytes.toString("utf8", this.at - length - 1, this.at - 1);
  }

  signature(): string {
    return this.text(this.byte());
  }

  value(type: string): BusValue {
    switch (type) {
      case "y":
        return this.byte();
      case "b":
        return this.uint32() !== 0;
      case "n":
      case "q":
        return this.uint16();
      case "i":
      case "u":
      case "h":
        return this.uint32();
      case "x":
      case "t":
        return this.uint64();
      case "s":
      case "o":
        return this.text(this.uint32());
      case "g":
        return this.signature();
      case "v":
        return this.value(this.signature());
      default:
        throw new Error(`a value of the type ${JSON.stringify(type)} on the system bus`);
    }
  }
}
