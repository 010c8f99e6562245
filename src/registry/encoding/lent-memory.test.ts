// Pieces of answers that share memory: never while somebody may still read it.

import { describe, expect, it } from "vitest";
import type { BodyWriter } from "../../http/message.ts";
import { LentMemory } from "./lent-memory.ts";

/** Keeps what it is given until it is told to let go of it. */
function keeper() {
  const chunks: Uint8Array[] = [];
  const taken: (() => void)[] = [];
  const write: BodyWriter["write"] = (chunk, onTaken) => {
    chunks.push(chunk);
    if (onTaken !== undefined) taken.push(onTaken);
    return true;
  };
  return { chunks, taken, memory: new LentMemory({ write } as BodyWriter) };
}

describe("memory of pieces", () => {
  it("is lent again when its bytes are taken, and not before", () => {
    const { memory, taken } = keeper();
    const first = memory.take(100);
    memory.write(first, 100);
    const second = memory.take(100);
    expect(second).not.toBe(first);
    taken[0]!();
    expect(memory.take(100)).toBe(first);
    expect(memory.take(100)).not.toBe(first);
  });

  it("is not lent where nobody says that the bytes are taken", () => {
    const { memory } = keeper();
    const first = memory.take(100);
    memory.write(first, 100);
    expect(memory.take(100)).not.toBe(first);
  });

  it("is lent at once where little of it is filled: a client that does not read holds no more than that", () => {
    const { memory, chunks } = keeper();
    const first = memory.take(100).fill("a");
    memory.write(first, 49);
    expect(memory.take(100)).toBe(first);
    first.fill("b");
    expect(Buffer.from(chunks[0]!).toString()).toBe("a".repeat(49));
    expect(chunks[0]!.buffer.byteLength).not.toBe(first.buffer.byteLength);
  });

  it.each([99, 30])("is not lent for pieces of another size: %i", (size) => {
    const { memory, taken } = keeper();
    const first = memory.take(size === 99 ? 98 : 100);
    memory.write(first, first.length);
    taken[0]!();
    expect(memory.take(size)).not.toBe(first);
  });
});
