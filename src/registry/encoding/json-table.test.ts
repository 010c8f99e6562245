// Tables made of cached bytes equal, byte for byte, those of whole objects.

import { afterAll, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { FieldPicker } from "../../codec/field-picker.ts";
import type { Output } from "../../codec/negotiate.ts";
import type { BodyWriter } from "../../http/message.ts";
import { completed } from "../../kinds/complete.testing.ts";
import { type Dialect, namesFor } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import { randomValue, seeded } from "../../schema/random-value.testing.ts";
import type { CacheItem } from "../../storage/watch-cache.ts";
import { testCatalog } from "../catalog.testing.ts";
import { decodeStored, encodeObject } from "../object-bytes.ts";
import type { ResourceRequest } from "../resource-request.ts";
import type { ServedResource } from "../served-resource.ts";
import type { WriteDeps } from "../write.ts";
import { encodeList } from "./encode-answer.ts";
import { JsonTable, type TableSource } from "./json-table.ts";
import { representation } from "./representation.ts";

const OBJECTS = 40;
const AS_TABLE: Output = { mediaType: "json", stream: false, pretty: false, as: "Table", asVersion: "v1" };
const META = { resourceVersion: "9" };

const itemOf = (object: ApiObject) => ({ bytes: encodeObject(object), revision: 3 }) as CacheItem;

async function written(
  table: JsonTable,
  writer: Partial<BodyWriter> = {},
): Promise<{ text: string; chunks: number[] }> {
  const parts: Buffer[] = [];
  await table.stream({
    write: (chunk) => parts.push(Buffer.from(chunk)) % 2 === 0,
    drained: async () => undefined,
    queuedBytes: 0,
    chunkBytes: 4096,
    signal: new AbortController().signal,
    ...writer,
  });
  return { text: Buffer.concat(parts).toString("utf8"), chunks: parts.map(({ length }) => length) };
}

describe.each<Dialect>(["platform", "kubernetes"])("a Table of cached bytes in %s", (dialect) => {
  const catalog = testCatalog(undefined, undefined, undefined, dialect);
  afterAll(() => catalog.close());
  const context = { names: namesFor(dialect), clock: new FakeClock() } as unknown as WriteDeps;
  const resources = catalog
    .all()
    // What hides an annotation is shown as decoded.
    .filter(({ store, storedForm, kind }) => store !== undefined && storedForm && kind.fieldAnnotations === undefined);

  it.each(resources.map((resource) => [`${resource.apiVersion} ${resource.kind.resource}`, resource] as const))(
    "of %s is that of whole objects",
    async (_, resource) => {
      const items = randomObjects(resource).map(itemOf);
      const objects = items.map(({ bytes, revision }) => decodeStored(bytes, revision));
      for (const includeObject of ["None", "Metadata", "Object"]) {
        const request = {
          resource,
          request: { query: new URLSearchParams({ includeObject }) },
        } as unknown as ResourceRequest;
        const source = representation(context, request, AS_TABLE).rows?.(META);
        const { text } = await written(new JsonTable(source!, items));
        expect(text).toBe(Buffer.from(encodeList(context, request, AS_TABLE, META, objects)).toString("utf8"));
      }
    },
  );

  function randomObjects({ kind, apiVersion }: ServedResource): ApiObject[] {
    const random = seeded(7);
    return Array.from({ length: OBJECTS }, () => {
      const draft = randomValue(kind.schema, random) as ApiObject;
      const metadata = { name: "x", ...draft.metadata, uid: "u", resourceVersion: "3" };
      return { ...completed(kind, { ...draft, metadata }), kind: kind.kind, apiVersion } as ApiObject;
    });
  }
});

describe("a Table in JSON", () => {
  const object = (name: string) =>
    ({ kind: "A", apiVersion: "v1", metadata: { name, managedFields: [{ manager: "m" }] }, spec: { x: "y" } }) as never;
  const source: TableSource = {
    includeObject: "Metadata",
    head: { kind: "Table", rows: [] },
    fields: new FieldPicker([["metadata", "name"]]),
    metadataHead: '{"kind":"P","metadata":',
    row: (one) => ({ cells: [one.metadata.name, Object.keys(one), Object.keys(one.metadata)] }),
  };

  it("decodes nothing that no cell looks at", async () => {
    const { text } = await written(new JsonTable(source, [itemOf(object("a"))]));
    expect(JSON.parse(text).rows).toEqual([
      {
        cells: ["a", ["metadata"], ["name", "resourceVersion"]],
        object: { kind: "P", metadata: { name: "a", managedFields: [{ manager: "m" }] } },
      },
    ]);
  });

  it("decodes all of what it cannot tell apart, or is not told to", async () => {
    const odd = { bytes: Buffer.from('{"\\u006dore":1,"metadata":{"name":"o"}}'), revision: 3 } as unknown as CacheItem;
    const { text } = await written(new JsonTable(source, [odd]));
    expect(JSON.parse(text).rows[0].cells).toEqual(["o", ["more", "metadata"], ["name", "resourceVersion"]]);
    const { text: whole } = await written(new JsonTable({ ...source, fields: undefined }, [itemOf(object("a"))]));
    expect(JSON.parse(whole).rows[0]).toMatchObject({
      cells: ["a", ["kind", "apiVersion", "metadata", "spec"], ["name", "managedFields", "resourceVersion"]],
      object: { metadata: { name: "a", managedFields: [{ manager: "m" }] } },
    });
  });

  it("goes out in pieces of the wanted size, whatever the size of its objects", async () => {
    const small = Array.from({ length: 1000 }, (_, i) => itemOf(object(`n${i}`)));
    const { text, chunks } = await written(new JsonTable(source, small), { chunkBytes: 2048 });
    expect(JSON.parse(text).rows).toHaveLength(1000);
    expect(Math.max(...chunks)).toBeLessThan(2048 + 300);

    const large = Array.from({ length: 4 }, (_, i) => itemOf(object(`${i}${"é".repeat(200_000)}`)));
    const { text: all, chunks: each } = await written(new JsonTable(source, large), { chunkBytes: 2048 });
    expect(JSON.parse(all).rows.map(({ cells }: { cells: string[] }) => cells[0]![0])).toEqual(["0", "1", "2", "3"]);
    // Head, rows, end.
    expect(each).toHaveLength(6);
  });

  it("of large objects lets others have theirs made meanwhile", async () => {
    const keys = (letter: string) =>
      Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`${letter}${i}`, ""]));
    const wide = (letter: string) => itemOf({ ...(object(letter) as ApiObject), data: keys(letter) } as never);
    const counting: TableSource = {
      ...source,
      fields: new FieldPicker([
        ["metadata", "name"],
        ["data", "*"],
      ]),
      row: (one) => ({ cells: [one.metadata.name, Object.keys(one["data"] ?? {}).at(-1)] }),
    };
    const tables = await Promise.all(
      ["a", "b"].map((letter) => written(new JsonTable(counting, [wide(letter), itemOf(object("c")), wide(letter)]))),
    );
    const cells = tables.map(({ text }) => JSON.parse(text).rows.map((row: { cells: unknown }) => row.cells));
    expect(cells).toEqual(
      ["a", "b"].map((name) => [
        [name, `${name}14999`],
        ["c", null],
        [name, `${name}14999`],
      ]),
    );
  });

  it("ends when nobody is there any more", async () => {
    const gone = new AbortController();
    const items = Array.from({ length: 1000 }, (_, i) => itemOf(object(`n${i}`)));
    const drained = async () => gone.abort();
    const { chunks } = await written(new JsonTable(source, items), {
      drained,
      write: () => false,
      signal: gone.signal,
    });
    expect(chunks).toEqual([]);
  });
});
