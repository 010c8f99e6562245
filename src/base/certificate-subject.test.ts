import { describe, expect, it } from "vitest";
import { requestSubject } from "./certificate-subject.ts";
import { DerError } from "./der-reader.ts";
import { integer, oid, sequence, set, utf8 } from "./der-writer.ts";

const attribute = (tag: number, bytes: Buffer, type = "2.5.4.3") =>
  sequence(set(sequence(oid(type), Buffer.concat([Buffer.from([tag, bytes.length]), bytes]))));

/** As much of a certificate request as its subject needs. */
const requestFor = (name: Buffer): Buffer => sequence(sequence(integer(0), name));

describe("a subject", () => {
  it.each<[string, Buffer, readonly string[] | undefined]>([
    ["in UTF-8", attribute(0x0c, Buffer.from("Zoë")), ["Zoë"]],
    ["that is no UTF-8", attribute(0x0c, Buffer.from([0x61, 0xff])), undefined],
    ["with a byte order mark", attribute(0x0c, Buffer.from("\ufeffroot")), ["\ufeffroot"]],
    ["of printable characters", attribute(0x13, Buffer.from("jane (dev)")), ["jane (dev)"]],
    ["of other characters than printable ones", attribute(0x13, Buffer.from("jane@x")), undefined],
    ["of digits", attribute(0x12, Buffer.from("12 3")), ["12 3"]],
    ["of letters as digits", attribute(0x12, Buffer.from("a")), undefined],
    ["in ASCII", attribute(0x16, Buffer.from("jane@x")), ["jane@x"]],
    ["with a zero byte", attribute(0x0c, Buffer.from("admin\0x")), ["admin\0x"]],
    ["in UCS-2", attribute(0x1e, Buffer.from("006a006f", "hex")), ["jo"]],
    ["in half of UCS-2", attribute(0x1e, Buffer.from("006a6f", "hex")), undefined],
    ["in half a character of UTF-16", attribute(0x1e, Buffer.from("d800006a", "hex")), undefined],
    ["of an unknown type", attribute(0x04, Buffer.from("x")), undefined],
    ["twice", sequence(set(sequence(oid("2.5.4.3"), utf8("a"))), set(sequence(oid("2.5.4.3"), utf8("b")))), ["a", "b"]],
    ["of something else", attribute(0x0c, Buffer.from("x"), "2.5.4.10"), []],
    ["with two values", sequence(set(sequence(oid("2.5.4.3"), utf8("a"), utf8("b")))), undefined],
    ["in a sequence for a set", sequence(sequence(sequence(oid("2.5.4.3"), utf8("a")))), undefined],
    ["with a length in more bytes than it needs", Buffer.from([0x30, 0x81, 0x00]), undefined],
    ["with an endless object identifier", attribute(0x0c, Buffer.from("x"), "2.5.4.128").subarray(0, 9), undefined],
  ])("%s", (_, name, expected) => {
    if (expected === undefined) expect(() => requestSubject(requestFor(name))).toThrow(DerError);
    else expect(requestSubject(requestFor(name)).commonNames).toEqual(expected);
  });

  it.each<[string, Buffer]>([
    ["nothing", Buffer.alloc(0)],
    ["what ends too early", requestFor(attribute(0x0c, Buffer.from("x"))).subarray(0, 8)],
    ["what has something behind it", Buffer.concat([requestFor(sequence()), Buffer.from([0])])],
    ["an indefinite length", Buffer.from([0x30, 0x80, 0, 0])],
    ["a length that is a lie", Buffer.from([0x30, 0x84, 0xff, 0xff, 0xff, 0xff])],
  ])("is not read from %s", (_, der) => expect(() => requestSubject(der)).toThrow(DerError));
});
