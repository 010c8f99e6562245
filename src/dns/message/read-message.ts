// Bytes to a DNS message. Whoever sent them may mean harm: every length is checked, compression only points backwards and
// a bounded number of times, and the work grows with the length of the message alone.

import {
  CLASS_IN,
  type DomainName,
  HEADER_BYTES,
  MAX_NAME_BYTES,
  type Message,
  type Question,
  type RecordData,
  type ResourceRecord,
  TYPE,
} from "./message.ts";

/** Undefined when the bytes are no message. Records of other classes and of types that nobody here needs are left out. */
export function readMessage(bytes: Uint8Array): Message | undefined {
  return orUndefined(() => new MessageReader(bytes).message());
}

/** What was asked, whatever follows it: servers cut answers off within a record. */
export function readQuestions(bytes: Uint8Array): readonly Question[] | undefined {
  return orUndefined(() => new MessageReader(bytes).questions());
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

/** Never leaves this file. */
class Malformed extends Error {}

/** A name of 127 labels needs no more. */
const MAX_JUMPS = 128;
const POINTER = 0xc0;
const COUNTS_AT = 4;

class MessageReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  questions(): readonly Question[] {
    this.#at = COUNTS_AT;
    const count = this.#uint16();
    this.#at = HEADER_BYTES;
    return Array.from({ length: count }, () => this.#question());
  }

  message(): Message {
    const id = this.#uint16();
    const flags = this.#uint16();
    const counts = [this.#uint16(), this.#uint16(), this.#uint16(), this.#uint16()] as const;
    const questions: Question[] = [];
    for (let index = 0; index < counts[0]; index++) questions.push(this.#question());
    const found: Found = { edns: undefined };
    const answers = this.#records(counts[1], found);
    const authority = this.#records(counts[2], found);
    const additional = this.#records(counts[3], found);
    const { edns } = found;
    return {
      id,
      isAnswer: (flags & 0x8000) !== 0,
      opcode: (flags >> 11) & 0xf,
      isAuthoritative: (flags & 0x0400) !== 0,
      isTruncated: (flags & 0x0200) !== 0,
      recursionDesired: (flags & 0x0100) !== 0,
      recursionAvailable: (flags & 0x0080) !== 0,
      rcode: (flags & 0xf) | ((edns?.upperRcode ?? 0) << 4),
      questions,
      answers,
      authority,
      additional,
      ...(edns === undefined ? {} : { edns: { udpBytes: edns.udpBytes, version: edns.version } }),
    };
  }

  #question(): Question {
    return { name: this.#name(), type: this.#uint16(), class: this.#uint16() };
  }

  #records(count: number, found: Found): ResourceRecord[] {
    const records: ResourceRecord[] = [];
    for (let index = 0; index < count; index++) {
      const name = this.#name();
      const type = this.#uint16();
      const recordClass = this.#uint16();
      const ttlSeconds = this.#uint32();
      const end = this.#uint16() + this.#at;
      if (end > this.#bytes.length) throw new Malformed();
      if (type === TYPE.OPT) {
        if (found.edns !== undefined || name.length > 0) throw new Malformed();
        found.edns = { udpBytes: recordClass, upperRcode: ttlSeconds >>> 24, version: (ttlSeconds >> 16) & 0xff };
      } else if (recordClass === CLASS_IN) {
        const data = this.#data(type, end);
        if (data !== undefined) records.push({ name, ttlSeconds, data });
      }
      this.#at = end;
    }
    return records;
  }

  #data(type: number, end: number): RecordData | undefined {
    const data = this.#dataOf(type, end);
    if (data !== undefined && this.#at !== end) throw new Malformed();
    return data;
  }

  #dataOf(type: number, end: number): RecordData | undefined {
    switch (type) {
      case TYPE.A:
        return { type: "A", address: this.#take(4) };
      case TYPE.AAAA:
        return { type: "AAAA", address: this.#take(16) };
      case TYPE.CNAME:
        return { type: "CNAME", target: this.#name() };
      case TYPE.PTR:
        return { type: "PTR", target: this.#name() };
      case TYPE.SRV: {
        const [priority, weight, port] = [this.#uint16(), this.#uint16(), this.#uint16()];
        return { type: "SRV", priority, weight, port, target: this.#name() };
      }
      case TYPE.TXT: {
        let text = "";
        while (this.#at < end) text += latin1(this.#take(this.#uint8()));
        return { type: "TXT", text };
      }
      case TYPE.SOA:
        return {
          type: "SOA",
          server: this.#name(),
          mailbox: this.#name(),
          serial: this.#uint32(),
          refreshSeconds: this.#uint32(),
          retrySeconds: this.#uint32(),
          expireSeconds: this.#uint32(),
          negativeTtlSeconds: this.#uint32(),
        };
      default:
        return undefined;
    }
  }

  #name(): DomainName {
    const labels: string[] = [];
    let at = this.#at;
    let after: number | undefined;
    let sizeBytes = 1;
    let jumps = 0;
    for (;;) {
      const length = this.#bytes[at];
      if (length === undefined) throw new Malformed();
      if ((length & POINTER) === POINTER) {
        const low = this.#bytes[at + 1];
        if (low === undefined) throw new Malformed();
        const target = ((length & ~POINTER) << 8) | low;
        after ??= at + 2;
        // Backwards only, so that there is no way round.
        if (target >= at || ++jumps > MAX_JUMPS) throw new Malformed();
        at = target;
        continue;
      }
      if ((length & POINTER) !== 0) throw new Malformed();
      at += 1;
      if (length === 0) break;
      sizeBytes += length + 1;
      if (sizeBytes > MAX_NAME_BYTES || at + length > this.#bytes.length) throw new Malformed();
      labels.push(latin1(this.#bytes.subarray(at, at + length)));
      at += length;
    }
    this.#at = after ?? at;
    return labels;
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new Malformed();
    const taken = Uint8Array.from(this.#bytes.subarray(this.#at, end));
    this.#at = end;
    return taken;
  }

  #uint8(): number {
    return this.#take(1)[0]!;
  }

  #uint16(): number {
    if (this.#at + 2 > this.#bytes.length) throw new Malformed();
    this.#at += 2;
    return this.#view.getUint16(this.#at - 2);
  }

  #uint32(): number {
    if (this.#at + 4 > this.#bytes.length) throw new Malformed();
    this.#at += 4;
    return this.#view.getUint32(this.#at - 4);
  }
}

interface Found {
  edns: { readonly udpBytes: number; readonly version: number; readonly upperRcode: number } | undefined;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}
