import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import type { BodyWriter, StreamBody } from "../../http/message.ts";
import { DocumentCache, hashOf, uncompressed } from "./document-cache.ts";

const kept = (bytes: Uint8Array) => new DocumentCache().get("a", [], async () => bytes);

async function piecesOf(body: StreamBody): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  const writer = {
    signal: new AbortController().signal,
    write: (piece: Uint8Array) => pieces.push(piece) % 2 === 0,
    drained: async () => undefined,
  };
  await body.stream(writer as unknown as BodyWriter);
  return pieces;
}

it("gives a short document as a whole", async () => {
  const bytes = randomBytes(1_000);
  const document = await kept(bytes);
  expect(document.hash).toBe(hashOf(bytes));
  expect(await uncompressed(document)).toEqual(bytes);
});

it("gives a long document piece by piece", async () => {
  const bytes = randomBytes(3 * 1024 * 1024 + 1);
  const document = await kept(bytes);
  expect(document.hash).toBe(hashOf(bytes));
  const pieces = await piecesOf((await uncompressed(document)) as StreamBody);
  expect(pieces.length).toBeGreaterThan(40);
  expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
});
