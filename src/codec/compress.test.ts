import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { acceptsGzip, gzipStream } from "./compress.ts";

describe("compression", () => {
  it.each<[string | undefined, boolean]>([
    [undefined, false],
    ["", false],
    ["gzip", true],
    ["deflate, gzip", true],
    ["br, gzip ,zstd", true],
    ["gzip;q=0", false],
    ["*", false],
  ])("with Accept-Encoding %s is used: %s", (header, expected) => {
    expect(acceptsGzip(header)).toBe(expected);
  });

  it("writes what gunzip reads", async () => {
    const stream = gzipStream();
    stream.write("a".repeat(1000));
    stream.end("b");
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(gunzipSync(Buffer.concat(chunks)).toString()).toBe(`${"a".repeat(1000)}b`);
  });
});
