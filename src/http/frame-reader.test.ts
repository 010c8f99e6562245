import { describe, expect, it } from "vitest";
import { FrameReader } from "./frame-reader.ts";

const MASK = Buffer.from("mask");

/** As clients send it: masked, and with its length in the shortest form. */
function frame(first: number, payload: string | Buffer): Buffer {
  const bytes = Buffer.from(payload as string);
  const head = bytes.length < 126 ? [0x80 | bytes.length] : [0xfe, bytes.length >> 8, bytes.length & 0xff];
  return Buffer.concat([Buffer.of(first, ...head), MASK, bytes.map((byte, at) => byte ^ MASK[at % 4]!)]);
}

/** What is heard of it: pieces of one message joined, so that it does not matter how bytes arrived. */
function heard(bytes: Buffer, chunkBytes = bytes.length): string[] {
  const words: string[] = [];
  const reader = new FrameReader({
    piece(piece, begins) {
      if (begins) words.push(`message ${piece}`);
      else words[words.length - 1] += String(piece);
    },
    ping: (ping) => words.push(`ping ${ping}`),
    close: (code) => words.push(`close ${code}`),
  });
  for (let at = 0; at < bytes.length; at += chunkBytes) reader.read(bytes.subarray(at, at + chunkBytes));
  return words;
}

const closing = (code: number): Buffer => frame(0x88, Buffer.of(code >> 8, code & 0xff));

describe("frames", () => {
  const long = "long ".repeat(100);
  it.each<[string, Buffer[], string[]]>([
    ["whole messages", [frame(0x82, "one"), frame(0x81, "two")], ["message one", "message two"]],
    ["a long one", [frame(0x82, long)], [`message ${long}`]],
    ["one in parts", [frame(0x02, "a"), frame(0x00, "b"), frame(0x80, "c")], ["message abc"]],
    ["empty parts", [frame(0x02, ""), frame(0x00, ""), frame(0x80, "c"), frame(0x82, "")], ["message c"]],
    [
      "pings between",
      [frame(0x82, "a"), frame(0x89, "p"), frame(0x8a, "q"), frame(0x89, "")],
      ["message a", "ping p", "ping "],
    ],
    ["an end", [frame(0x82, "a"), closing(1000), frame(0x82, "b")], ["message a", "close 1000"]],
    ["an end without a reason", [frame(0x88, ""), frame(0x82, "b")], ["close 1005"]],
    ["an end for a reason that nobody may give", [closing(1006), frame(0x82, "b")], ["close 1002"]],
    ["an end for half a reason", [frame(0x88, "a")], ["close 1002"]],
    ["an end for a reason of its own", [closing(4999)], ["close 4999"]],
  ])("%s are read however they arrive", (_title, frames, words) => {
    const bytes = Buffer.concat(frames);
    for (const chunkBytes of [bytes.length, 1, 3]) expect(heard(bytes, chunkBytes)).toEqual(words);
  });

  it.each<[string, Buffer]>([
    ["are not masked", Buffer.of(0x82, 1, 65)],
    ["have reserved bits", frame(0xc2, "a")],
    ["are of no kind that there is", frame(0x83, "a")],
    ["control in parts", frame(0x09, "a")],
    ["control with too much", frame(0x89, "a".repeat(126))],
    ["go on with nothing", frame(0x80, "a")],
    ["begin in the middle of another", Buffer.concat([frame(0x02, ""), frame(0x82, "b")])],
    ["are longer than numbers", Buffer.from("82ff00ffffffffffffff00000000", "hex")],
  ])("that %s are the end", (_title, bytes) => {
    expect(heard(Buffer.concat([bytes, frame(0x82, "more")]))).toEqual(["close 1002"]);
  });
});
