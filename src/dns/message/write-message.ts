// A DNS message to bytes, names compressed, no longer than the other side takes: what does not fit is left out record by
// record, and the flag that says so is set where the answer itself is not whole.

import { assertNever } from "../../base/assert-never.ts";
import {
  CLASS_IN,
  type DomainName,
  MAX_UDP_BYTES,
  type Message,
  type RecordData,
  type ResourceRecord,
  TYPE,
} from "./message.ts";

/** `limitBytes` is at least what a header, a question and an OPT record need: 512 always is. */
export function writeMessage(message: Message, limitBytes: number): Buffer {
  const { edns } = message;
  const writer = new Writer(limitBytes - (edns === undefined ? 0 : OPT_BYTES));
  const counts = [message.questions.length, 0, 0, 0];
  writer.skip(COUNTS_AT + 2 * counts.length);
  for (const question of message.questions) {
    writer.name(question.name);
    writer.uint16(question.type);
    writer.uint16(question.class);
  }
  counts[1] = writer.records(message.answers);
  counts[2] = writer.records(message.authority);
  // Nobody misses what was only added.
  const isCut = counts[1] < message.answers.length || counts[2] < message.authority.length;
  counts[3] = writer.records(message.additional);
  if (edns !== undefined) {
    counts[3] += 1;
    writer.option(message.rcode >> 4);
  }
  return writer.finish(message, flagsOf(message, isCut), counts);
}

const COUNTS_AT = 4;
const OPT_BYTES = 11;
/** The highest offset that compression can point to. */
const MAX_POINTER = 0x3fff;
const MAX_TEXT_PART = 255;

function flagsOf(message: Message, isCut: boolean): number {
  return (
    (message.isAnswer ? 0x8000 : 0) |
    (message.opcode << 11) |
    (message.isAuthoritative ? 0x0400 : 0) |
    (message.isTruncated || isCut ? 0x0200 : 0) |
    (message.recursionDesired ? 0x0100 : 0) |
    (message.recursionAvailable ? 0x0080 : 0) |
    (message.rcode & 0xf)
  );
}

class Writer {
  readonly #limitBytes: number;
  /** Where the end of a name stands already, by its bytes. */
  readonly #offsets = new Map<string, number>();
  #buffer = Buffer.alloc(512);
  #length = 0;
  #isFull = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  skip(count: number): void {
    this.#length += count;
  }

  /** How many of them fit; after one that did not, nothing more does. */
  records(records: readonly ResourceRecord[]): number {
    if (this.#isFull) return 0;
    for (const [index, record] of records.entries()) {
      const before = this.#length;
      this.#record(record);
      if (this.#length <= this.#limitBytes) continue;
      this.#length = before;
      this.#isFull = true;
      return index;
    }
    return records.length;
  }

  option(upperRcode: number): void {
    this.#uint8(0);
    this.uint16(TYPE.OPT);
    this.uint16(MAX_UDP_BYTES);
    this.#uint32((upperRcode << 24) >>> 0);
    this.uint16(0);
  }

  finish(message: Message, flags: number, counts: readonly number[]): Buffer {
    const bytes = this.#buffer.subarray(0, this.#length);
    bytes.writeUInt16BE(message.id, 0);
    bytes.writeUInt16BE(flags, 2);
    for (const [index, count] of counts.entries()) bytes.writeUInt16BE(count, COUNTS_AT + 2 * index);
    return bytes;
  }

  #record({ name, ttlSeconds, data }: ResourceRecord): void {
    this.name(name);
    this.uint16(TYPE[data.type]);
    this.uint16(CLASS_IN);
    this.#uint32(ttlSeconds);
    const lengthAt = this.#length;
    this.uint16(0);
    this.#data(data);
    this.#buffer.writeUInt16BE(this.#length - lengthAt - 2, lengthAt);
  }

  #data(data: RecordData): void {
    switch (data.type) {
      case "A":
      case "AAAA":
        this.#bytes(data.address);
        return;
      case "CNAME":
      case "PTR":
        this.name(data.target);
        return;
      case "SRV":
        for (const number of [data.priority, data.weight, data.port]) this.uint16(number);
        // RFC 2782: not compressed.
        this.#plainName(data.target);
        return;
      case "TXT":
        for (let at = 0; at === 0 || at < data.text.length; at += MAX_TEXT_PART)
          this.#counted(data.text.slice(at, at + MAX_TEXT_PART));
        return;
      case "SOA":
        this.name(data.server);
        this.name(data.mailbox);
        for (const number of [data.serial, data.refreshSeconds, data.retrySeconds, data.expireSeconds])
          this.#uint32(number);
        this.#uint32(data.negativeTtlSeconds);
        return;
      default:
        assertNever(data);
    }
  }

  name(labels: DomainName): void {
    const wire = labels.map((label) => String.fromCharCode(label.length) + label);
    for (let index = 0; index < labels.length; index++) {
      const rest = wire.slice(index).join("");
      const known = this.#offsets.get(rest);
      if (known !== undefined) {
        this.uint16(0xc000 | known);
        return;
      }
      if (this.#length <= MAX_POINTER) this.#offsets.set(rest, this.#length);
      this.#counted(labels[index]!);
    }
    this.#uint8(0);
  }

  #plainName(labels: DomainName): void {
    for (const label of labels) this.#counted(label);
    this.#uint8(0);
  }

  #counted(text: string): void {
    this.#uint8(text.length);
    this.#bytes(Buffer.from(text, "latin1"));
  }

  #bytes(bytes: Uint8Array): void {
    this.#grow(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #uint8(value: number): void {
    this.#grow(1);
    this.#length = this.#buffer.writeUInt8(value, this.#length);
  }

  uint16(value: number): void {
    this.#grow(2);
    this.#length = this.#buffer.writeUInt16BE(value, this.#length);
  }

  #uint32(value: number): void {
    this.#grow(4);
    this.#length = this.#buffer.writeUInt32BE(value, this.#length);
  }

  #grow(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.alloc(Math.max(needed, 2 * this.#buffer.length));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
