import { describe, expect, it } from "vitest";
import {
  CLASS_IN,
  lowerCase,
  type Message,
  nameFromText,
  RCODE,
  type RecordData,
  type ResourceRecord,
  TYPE,
} from "./message.ts";
import { readMessage } from "./read-message.ts";
import { writeMessage } from "./write-message.ts";

const WEB = ["web", "shop", "svc", "cluster", "local"];
const MAX = 65_535;

const message = (more: Partial<Message> = {}): Message => ({
  id: 0xbeef,
  isAnswer: true,
  opcode: 0,
  isAuthoritative: true,
  isTruncated: false,
  recursionDesired: true,
  recursionAvailable: true,
  rcode: RCODE.NOERROR,
  questions: [{ name: WEB, type: TYPE.A, class: CLASS_IN }],
  answers: [],
  authority: [],
  additional: [],
  ...more,
});

const record = (data: RecordData, name = WEB): ResourceRecord => ({ name, ttlSeconds: 5, data });
const address = (last: number): RecordData => ({ type: "A", address: Uint8Array.of(10, 0, last >> 8, last & 0xff) });

describe("a message", () => {
  it.each<[string, Partial<Message>]>([
    ["without records", {}],
    ["with addresses", { answers: [record(address(1)), record({ type: "AAAA", address: new Uint8Array(16) })] }],
    ["with names", { answers: [record({ type: "CNAME", target: ["a", "b"] }), record({ type: "PTR", target: WEB })] }],
    ["with a service", { answers: [record({ type: "SRV", priority: 0, weight: 100, port: 8080, target: WEB })] }],
    ["with a long text", { answers: [record({ type: "TXT", text: "x".repeat(600) })] }],
    ["with an empty text", { answers: [record({ type: "TXT", text: "" })] }],
    [
      "with an authority",
      {
        rcode: RCODE.NXDOMAIN,
        authority: [
          record({
            type: "SOA",
            server: ["ns", ...WEB],
            mailbox: [],
            serial: 4_000_000_000,
            refreshSeconds: 1,
            retrySeconds: 2,
            expireSeconds: 3,
            negativeTtlSeconds: 4,
          }),
        ],
      },
    ],
    ["with EDNS and a code that needs it", { rcode: RCODE.BADVERS, edns: { udpBytes: 1232, version: 0 } }],
    ["whose labels are any bytes", { questions: [{ name: ["a.b", "\xff\0"], type: 1, class: 1 }] }],
  ])("%s is read as it was written", (_, more) => {
    expect(readMessage(writeMessage(message(more), MAX))).toEqual(message(more));
  });

  it("says a name once", () => {
    const one = writeMessage(message({ answers: [record(address(1))] }), MAX);
    const two = writeMessage(message({ answers: [record(address(1)), record(address(2))] }), MAX);
    expect(two.length - one.length).toBe(16);
  });

  it("that is too long keeps what fits, and says so", () => {
    const answers = Array.from({ length: 100 }, (_, index) => record(address(index)));
    const bytes = writeMessage(message({ answers, edns: { udpBytes: 4096, version: 0 } }), 512);
    const read = readMessage(bytes);
    expect(bytes.length).toBeLessThanOrEqual(512);
    expect(read?.isTruncated).toBe(true);
    expect(read?.answers).toEqual(answers.slice(0, read?.answers.length));
    expect(read?.answers.length).toBeGreaterThan(25);
    expect(read?.edns).toBeDefined();
  });

  it("is whole without what was only added", () => {
    const additional = Array.from({ length: 100 }, (_, index) => record(address(index)));
    const read = readMessage(writeMessage(message({ answers: [record(address(1))], additional }), 512));
    expect(read?.isTruncated).toBe(false);
    expect(read?.answers.length).toBe(1);
  });

  it("leaves out records of other types and classes", () => {
    const bytes = writeMessage(message({ answers: [record(address(1)), record(address(2))] }), MAX);
    // The type of the last record, whose 16 bytes stand at the end.
    bytes.writeUInt16BE(99, bytes.length - 14);
    expect(readMessage(bytes)?.answers).toEqual([record(address(1))]);
  });
});

describe("bytes that mean harm", () => {
  const header = (...counts: number[]) => [0, 1, 0, 0, ...counts.flatMap((count) => [count >> 8, count & 0xff])];
  const manyPointers = () => {
    // Every pointer points to the one before it.
    const bytes = [...header(1, 0, 0, 0), 0];
    for (let at = bytes.length; at < 1000; at += 2) bytes.push(0xc0 | ((at - 2) >> 8), (at - 2) & 0xff);
    return bytes;
  };

  it.each<[string, number[]]>([
    ["nothing", []],
    ["half a header", [0, 1, 0, 0]],
    ["a question that is not there", header(1, 0, 0, 0)],
    ["a name that points to itself", [...header(1, 0, 0, 0), 0xc0, 12, 0, 1, 0, 1]],
    ["a name that points forwards", [...header(1, 0, 0, 0), 0xc0, 14, 0, 0, 1, 0, 1]],
    ["a name that points round through a label", [...header(1, 0, 0, 0), 1, 97, 0xc0, 12, 0, 1, 0, 1]],
    ["half a pointer", [...header(1, 0, 0, 0), 0xc0]],
    ["a label beyond the end", [...header(1, 0, 0, 0), 63, 97]],
    ["a label of a kind that is not used", [...header(1, 0, 0, 0), 0x80, 0, 0, 1, 0, 1]],
    ["a name that is too long", [...header(1, 0, 0, 0), ...Array(130).fill([1, 97]).flat(), 0, 0, 1, 0, 1]],
    ["a record without data", [...header(0, 1, 0, 0), 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 9]],
    ["an address of three bytes", [...header(0, 1, 0, 0), 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 3, 1, 2, 3]],
    ["a text that is longer than its record", [...header(0, 1, 0, 0), 0, 0, 16, 0, 1, 0, 0, 0, 0, 0, 1, 5]],
    ["EDNS twice", [...header(0, 0, 0, 2), ...Array(2).fill([0, 0, 41, 4, 0, 0, 0, 0, 0, 0, 0]).flat()]],
    ["65,535 questions", header(65_535, 65_535, 65_535, 65_535)],
  ])("%s are no message", (_, bytes) => {
    expect(readMessage(Uint8Array.from(bytes))).toBeUndefined();
  });

  it("a long way of pointers is not gone", () => {
    const bytes = manyPointers();
    expect(readMessage(Uint8Array.from([...bytes, 0, 1, 0, 1]))?.questions ?? []).not.toContainEqual(
      expect.objectContaining({ type: 1 }),
    );
  });

  it("never throw, whatever stands in them", () => {
    const whole = writeMessage(
      message({ answers: [record(address(1)), record({ type: "TXT", text: "t" })], edns: { udpBytes: 1, version: 0 } }),
      MAX,
    );
    let seed = 7;
    const next = (below: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return (seed >>> 8) % below;
    };
    for (let round = 0; round < 20_000; round++) {
      const bytes = Uint8Array.from(whole.subarray(0, 1 + next(whole.length)));
      for (let change = next(4); change >= 0; change--) bytes[next(bytes.length)] = next(256);
      const read = readMessage(bytes);
      // What is read can be written again.
      if (read !== undefined) expect(writeMessage(read, MAX).length).toBeGreaterThanOrEqual(12);
    }
  });
});

describe("a name", () => {
  it.each([
    ["www.example.com", ["www", "example", "com"]],
    ["www.example.com.", ["www", "example", "com"]],
    ["a..b", undefined],
    ["", undefined],
    [`${"x".repeat(64)}.com`, undefined],
    [Array(130).fill("a").join("."), undefined],
  ])("of the text %j is %j", (text, name) => {
    expect(nameFromText(text)).toEqual(name);
  });

  it("differs in case by letters of ASCII only", () => {
    expect(lowerCase(["WeB", "\xc4"])).toEqual(["web", "\xc4"]);
  });
});
