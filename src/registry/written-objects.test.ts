// What updates leave decoded: handed over once, to who updates that very revision.

import { describe, expect, it } from "vitest";
import type { ApiObject } from "../meta/object.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { WrittenObjects, writtenObjects } from "./written-objects.ts";

const object = (name: string): ApiObject => ({ kind: "ConfigMap", apiVersion: "v1", metadata: { name } });

describe("what an update has left", () => {
  it("is handed over once", () => {
    const written = new WrittenObjects();
    const left = object("a");
    written.keep("/a", 7, left, 100);
    expect(written.take("/a", 7)).toBe(left);
    expect(written.take("/a", 7)).toBeUndefined();
  });

  it("is nothing to who has read another revision, and of no use to anybody from then on", () => {
    const written = new WrittenObjects();
    written.keep("/a", 7, object("a"), 100);
    expect(written.take("/a", 8)).toBeUndefined();
    expect(written.take("/a", 7)).toBeUndefined();
  });

  it.each([
    [16 * 1024, true],
    [16 * 1024 + 1, false],
  ])("of %s bytes is kept: %s", (sizeBytes, isKept) => {
    const written = new WrittenObjects();
    written.keep("/a", 7, object("a"), sizeBytes);
    expect(written.take("/a", 7) !== undefined).toBe(isKept);
  });

  it("is forgotten where others have left 4 MiB since", () => {
    const written = new WrittenObjects();
    for (let at = 0; at <= 512; at += 1) written.keep(`/${at}`, 7, object("a"), 8 * 1024);
    expect(written.take("/0", 7)).toBeUndefined();
    expect(written.take("/1", 7)).toBeDefined();
  });

  it("belongs to all stores of an engine", () => {
    const [engine, other] = [new MemoryEngine(), new MemoryEngine()];
    writtenObjects(engine).keep("/a", 7, object("a"), 100);
    expect(writtenObjects(other).take("/a", 7)).toBeUndefined();
    expect(writtenObjects(engine).take("/a", 7)).toBeDefined();
  });
});
