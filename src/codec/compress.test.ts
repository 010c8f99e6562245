import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { acceptsGzip, gzipStream, MIN_COMPRESSED_BYTES, shouldCompress } from "./compress.ts";

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

  it("leaves small answers alone", () => {
    expect(shouldCompress("gzip", MIN_COMPRESSED_BYTES)).toBe(false);
    expect(shouldCompress("gzip", MIN_COMPRESSED_BYTES + 1)).toBe(true);
    expect(shouldCompress(undefined, 10 * MIN_COMPRESSED_BYTES)).toBe(false);
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
