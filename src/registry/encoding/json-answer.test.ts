// Lists put together from cached bytes: the same text whether it goes out whole or in pieces of any size.

import { describe, expect, it } from "vitest";
import type { BodyWriter } from "../../http/message.ts";
import type { ApiObject } from "../../meta/object.ts";
import { encodeObject } from "../object-bytes.ts";
import type { ServedResource } from "../served-resource.ts";
import { JsonListBody, lineBody, MAX_COPIED_BYTES } from "./json-answer.ts";

const resource = (custom: boolean) =>
  ({ kind: { listKind: "ConfigMapList" }, apiVersion: "v1", custom }) as unknown as ServedResource;
const object = (name: string, value: string) =>
  ({ kind: "ConfigMap", apiVersion: "v1", metadata: { name, uid: "u" }, data: { k: value } }) as unknown as ApiObject;

/** Takes everything, slowly if told, and notes the sizes of what it is given. */
class Taker implements BodyWriter {
  readonly chunkBytes: number;
  readonly signal: AbortSignal;
  readonly queuedBytes = 0;
  readonly chunks: Uint8Array[] = [];
  waits = 0;
  #slow: boolean;

  constructor(chunkBytes: number, slow = false, signal = new AbortController().signal) {
    this.chunkBytes = chunkBytes;
    this.signal = signal;
    this.#slow = slow;
  }

  write(chunk: Uint8Array): boolean {
    this.chunks.push(chunk);
    return !this.#slow;
  }

  async drained(): Promise<void> {
    this.waits += 1;
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString("utf8");
  }
}

const OBJECTS = [
  object("a", "1"),
  object("b", "x".repeat(MAX_COPIED_BYTES * 2)),
  object("c", 'ü "metadata": {}'),
  object("d", ""),
];
const items = OBJECTS.map((one) => ({ bytes: encodeObject(one) }));
const metadata = { resourceVersion: "7", continue: "t", remainingItemCount: 3 };

describe.each([false, true])("a list in JSON, custom: %s", (custom) => {
  const expected = {
    kind: "ConfigMapList",
    apiVersion: "v1",
    metadata,
    // Items of typed lists go without their type.
    items: OBJECTS.map(({ kind, apiVersion, ...rest }) => (custom ? { kind, apiVersion, ...rest } : rest)),
  };

  it("is what its items say", () => {
    const list = new JsonListBody(resource(custom), metadata, items);
    expect(JSON.parse(Buffer.from(list.toBytes()).toString("utf8"))).toEqual(expected);
    expect(list.sizeBytes).toBeGreaterThanOrEqual(list.toBytes().length);
  });

  it.each([1, 100, 1_000, 100_000])(
    "is the same in pieces of %i bytes, for clients that lag behind too",
    async (bytes) => {
      const list = new JsonListBody(resource(custom), metadata, items);
      const whole = Buffer.from(list.toBytes()).toString("utf8");
      for (const slow of [false, true]) {
        const taker = new Taker(bytes, slow);
        await list.stream(taker);
        expect(taker.text).toBe(whole);
        expect(taker.waits > 0).toBe(slow);
      }
    },
  );
});

describe("a list in JSON", () => {
  it("may be empty", () => {
    const list = new JsonListBody(resource(false), {}, []);
    expect(Buffer.from(list.toBytes()).toString("utf8")).toBe(
      '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[]}\n',
    );
  });

  it("hands large objects on as the bytes at hand, not as copies", async () => {
    const taker = new Taker(1_000_000);
    await new JsonListBody(resource(true), metadata, items).stream(taker);
    expect(taker.chunks).toContain(items[1]!.bytes);
  });

  it("ends when the client is gone", async () => {
    const taker = new Taker(1, false, AbortSignal.abort());
    await new JsonListBody(resource(false), metadata, items).stream(taker);
    expect(taker.chunks.length).toBeLessThan(items.length);
  });

  it("is held in one piece only when it is short", () => {
    const many = Array.from({ length: 100 }, () => items[1]!);
    expect(new JsonListBody(resource(false), metadata, items.slice(0, 1)).whole()).toBeDefined();
    expect(new JsonListBody(resource(false), metadata, many).whole()).toBeUndefined();
  });
});

describe("one object", () => {
  it("ends with a newline", async () => {
    const { bytes } = items[0]!;
    const taker = new Taker(1_000);
    await lineBody(bytes).stream(taker);
    expect(taker.text).toBe(`${Buffer.from(bytes).toString("utf8")}\n`);
  });

  it.each([
    ["alone", (bytes: Uint8Array) => lineBody(bytes)],
    ["in a list", (bytes: Uint8Array) => new JsonListBody(resource(true), metadata, [{ bytes }])],
  ])("goes out a megabyte at a time, as fast as it is taken: %s", async (_where, body) => {
    const bytes = encodeObject(object("e", "ab".repeat(2_000_000)));
    const taker = new Taker(1_000, true);
    await body(bytes).stream(taker);
    expect(taker.text).toContain(Buffer.from(bytes).toString("utf8"));
    expect(Math.max(...taker.chunks.map(({ length }) => length))).toBe(1024 * 1024);
    expect(taker.waits).toBeGreaterThanOrEqual(3);
  });
});
