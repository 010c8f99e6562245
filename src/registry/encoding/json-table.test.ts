// Tables made of cached bytes: where metadata stands in them, and rows that equal those of whole objects.

import { describe, expect, it } from "vitest";
import type { TableRow } from "../../codec/table.ts";
import type { BodyWriter } from "../../http/message.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { CacheItem } from "../../storage/watch-cache.ts";
import { encodeObject } from "../object-bytes.ts";
import { JsonTable, metadataSpan, type TableSource } from "./json-table.ts";

const bytes = (text: string) => Buffer.from(text);

describe("metadataSpan", () => {
  it.each([
    ["plain", '{"kind":"A","apiVersion":"v1","metadata":{"name":"x"},"spec":{}}', '{"name":"x"}', false],
    [
      "with braces in texts",
      '{"metadata":{"name":"}{\\"","labels":{"a":"]"}},"x":1}',
      '{"name":"}{\\"","labels":{"a":"]"}}',
      false,
    ],
    ["with a backslash at the end of a text", '{"metadata":{"a":"\\\\"},"b":"}"}', '{"a":"\\\\"}', false],
    [
      "with managers last",
      '{"metadata":{"name":"x","managedFields":[{"a":{}}]}}',
      '{"name":"x","managedFields":[{"a":{}}]}',
      true,
    ],
    [
      "with managers elsewhere",
      '{"metadata":{"managedFields":[],"name":"x"}}',
      '{"managedFields":[],"name":"x"}',
      false,
    ],
    [
      "with a label of that name",
      '{"metadata":{"labels":{"b":"1","managedFields":"x"}}}',
      '{"labels":{"b":"1","managedFields":"x"}}',
      false,
    ],
  ])("finds metadata %s", (_, text, expected, managed) => {
    const { from, to, managedAt } = metadataSpan(bytes(text));
    expect(text.slice(from, to)).toBe(expected);
    expect(managedAt >= 0).toBe(managed);
    if (managed) expect(text.slice(managedAt)).toMatch(/^,"managedFields":/);
  });

  it("refuses bytes that end too early", () => {
    expect(() => metadataSpan(bytes('{"metadata":{"a":[}'))).toThrow("not those of an object");
  });
});

describe("a Table in JSON", () => {
  const object = (name: string) =>
    ({
      kind: "Pod",
      apiVersion: "v1",
      metadata: { name, uid: "u", resourceVersion: "3", managedFields: [{ manager: "m", operation: "Update" }] },
      spec: { nodeName: `n-${name}` },
    }) as unknown as ApiObject;
  const objects = Array.from({ length: 25 }, (_, i) => object(`p${i}`));
  const items = objects.map((one) => ({ bytes: encodeObject(one), revision: 3 }) as CacheItem);
  const head = { kind: "Table", apiVersion: "meta.k8s.io/v1", metadata: {}, columnDefinitions: [], rows: [] };

  async function streamed(includeObject: TableSource["includeObject"]): Promise<{ rows: TableRow[] }> {
    const seen: ApiObject[] = [];
    const source: TableSource = {
      includeObject,
      head,
      rows: (some) => {
        for (const one of some) seen.push(one);
        return some.map((one) => ({
          cells: [one.metadata.name, (one["spec"] as { nodeName: string }).nodeName],
          ...(includeObject === "None" ? {} : { object: { kind: "Pod", apiVersion: "v1", metadata: one.metadata } }),
        })) as unknown as TableRow[];
      },
    };
    const chunks: Uint8Array[] = [];
    const writer: BodyWriter = {
      write: (chunk) => chunks.push(chunk) % 2 === 0,
      drained: async () => undefined,
      queuedBytes: 0,
      chunkBytes: 1,
      signal: new AbortController().signal,
    };
    await new JsonTable(source, items).stream(writer);
    // What changed which field is never parsed for a row.
    expect(seen.every(({ metadata }) => metadata.managedFields === undefined)).toBe(true);
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  }

  it("shows cells, and of the object nothing, its metadata or all of it", async () => {
    const cells = objects.map(({ metadata }) => [metadata.name, `n-${metadata.name}`]);
    expect((await streamed("None")).rows).toEqual(cells.map((one) => ({ cells: one })));
    expect((await streamed("Object")).rows).toEqual(objects.map((one, i) => ({ cells: cells[i], object: one })));
    expect((await streamed("Metadata")).rows).toEqual(
      objects.map(({ kind, apiVersion, metadata }, i) => ({ cells: cells[i], object: { kind, apiVersion, metadata } })),
    );
  });
});
