import { describe, expect, it } from "vitest";
import { decodeDocument } from "./remote-document.ts";

const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const pathsOf = (count: number) => ({ paths: Object.fromEntries(Array.from({ length: count }, (_, at) => [at, {}])) });

describe("a document of a server behind", () => {
  it("is read", () => expect(decodeDocument(bytes(pathsOf(2)))).toEqual({ paths: { 0: {}, 1: {} } }));

  it.each([
    ["values", Array<number>(200_000).fill(0)],
    ["keys", pathsOf(20_000)],
  ])("is not read with too many %s", (what, value) => {
    expect(() => decodeDocument(bytes(value))).toThrow(`too many ${what}`);
  });
});
