// The forms in which objects are shown, one and in lists and as events. Requirements: document 1, "Table representation",
// "Collections".

import { afterAll, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { decodeCbor } from "../../codec/cbor.ts";
import type { Output } from "../../codec/negotiate.ts";
import { decodeProtobuf } from "../../codec/protobuf.ts";
import { listSchemaOf } from "../../kinds/meta/object-schema.ts";
import { namesFor } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import { builtIn, testCatalog } from "../catalog.testing.ts";
import type { ResourceRequest } from "../resource-request.ts";
import type { ServedResource } from "../served-resource.ts";
import type { WriteDeps } from "../write.ts";
import { encodeList, encodeOne, eventForm } from "./encode-answer.ts";
import { representation } from "./representation.ts";

const catalog = testCatalog();
afterAll(() => catalog.close());
const clock = new FakeClock(Date.parse("2030-01-01T01:00:00Z"));
const context = { names: namesFor("platform"), clock } as unknown as WriteDeps;
const configMaps = builtIn(catalog, "v1", "configmaps");

const of = (resource: ServedResource, query = "") =>
  ({ resource, request: { query: new URLSearchParams(query) } }) as unknown as ResourceRequest;
const json: Output = { mediaType: "json", stream: false, pretty: false };
const formOf = (more: Partial<Output> = {}, resource = configMaps, query = "") =>
  representation(context, of(resource, query), { ...json, ...more });

const configMap = (name: string) =>
  ({
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name, namespace: "n", resourceVersion: "7", creationTimestamp: "2030-01-01T00:00:00Z" },
    data: { k: "v" },
  }) as unknown as ApiObject;

describe("objects as they are", () => {
  it("are one object, and a list of the kind with items that need not say their type", () => {
    const form = formOf();
    expect(form.one(configMap("a"))).toEqual(configMap("a"));
    const { kind: _, apiVersion: __, ...item } = configMap("a");
    expect(form.list([configMap("a")], { resourceVersion: "9", continue: "t" })).toEqual({
      kind: "ConfigMapList",
      apiVersion: "v1",
      metadata: { resourceVersion: "9", continue: "t" },
      items: [item],
    });
  });

  it("keep their type in lists of custom resources", () => {
    const form = formOf({}, { ...configMaps, custom: true, collaborator: undefined });
    expect(form.list([configMap("a")], {})["items"]).toEqual([configMap("a")]);
  });
});

describe("objects as metadata", () => {
  it.each([
    ["v1", {}, "meta.platform.io/v1"],
    ["v1beta1", {}, "meta.platform.io/v1beta1"],
    ["v1", { upstream: true as const }, "meta.k8s.io/v1"],
  ])("in version %s %j are of the group that was asked for: %s", (asVersion, more, apiVersion) => {
    const form = formOf({ as: "PartialObjectMetadata", asVersion, ...more });
    expect(form.one(configMap("a"))).toEqual({
      kind: "PartialObjectMetadata",
      apiVersion,
      metadata: configMap("a").metadata,
    });
    expect(form.list([configMap("a")], { resourceVersion: "9" })).toMatchObject({
      kind: "PartialObjectMetadataList",
      apiVersion,
      metadata: { resourceVersion: "9" },
      items: [{ metadata: { name: "a" } }],
    });
    expect(form.event(configMap("a"))).toEqual(form.one(configMap("a")));
  });

  it("do not show fields that a kind keeps as annotations", () => {
    const kind = { ...configMaps.kind, fieldAnnotations: () => ["x.io/field"] };
    const form = formOf({ as: "PartialObjectMetadata" }, { ...configMaps, kind, collaborator: undefined });
    const object = configMap("a");
    const shown = (annotations: Record<string, string>) =>
      (form.one({ ...object, metadata: { ...object.metadata, annotations } }) as unknown as ApiObject).metadata
        .annotations;
    expect(shown({ "x.io/field": "1", other: "2" })).toEqual({ other: "2" });
    expect(shown({ "x.io/field": "1" })).toBeUndefined();
    expect(shown({ other: "2" })).toEqual({ other: "2" });
    // Then metadata cannot be cut out of the bytes at hand.
    expect(form.metadataHead).toBeUndefined();
    expect(formOf({ as: "PartialObjectMetadata" }).metadataHead).toContain('"PartialObjectMetadata"');
  });
});

describe("objects as a Table", () => {
  const columns = (value: Readonly<Record<string, unknown>>) =>
    (value["columnDefinitions"] as { name: string; type: string }[] | undefined)?.map(({ name }) => name);

  it("have columns that say what they mean", () => {
    const { columnDefinitions } = formOf({ as: "Table" }).one(configMap("a")) as Record<string, unknown>;
    expect(columnDefinitions).toMatchObject([{}, { name: "Data", description: "The number of values." }, {}]);
  });

  it("have the columns of their kind, and cells by the clock", () => {
    const table = formOf({ as: "Table" }).list([configMap("a"), configMap("b")], { resourceVersion: "9" });
    expect(table).toMatchObject({
      kind: "Table",
      apiVersion: "meta.platform.io/v1",
      metadata: { resourceVersion: "9" },
    });
    expect(columns(table)).toEqual(["Name", "Data", "Age"]);
    expect((table["rows"] as { cells: unknown[] }[]).map(({ cells }) => cells)).toEqual([
      ["a", 1, "60m"],
      ["b", 1, "60m"],
    ]);
  });

  it.each([
    ["", { kind: "PartialObjectMetadata", metadata: { name: "a" } }],
    ["includeObject=Metadata", { kind: "PartialObjectMetadata", metadata: { name: "a" } }],
    ["includeObject=Object", { kind: "ConfigMap", data: { k: "v" } }],
    ["includeObject=None", null],
  ])("with ?%s show beside each row %j", (query, expected) => {
    const table = formOf({ as: "Table" }, configMaps, query).one(configMap("a"));
    const [row] = table["rows"] as { object?: unknown }[];
    expect([row?.object]).toMatchObject([expected]);
  });

  it("tell a watcher the columns once", () => {
    const form = formOf({ as: "Table" });
    expect(columns(form.event(configMap("a")))).toEqual(["Name", "Data", "Age"]);
    expect(columns(form.event(configMap("b"))) ?? []).toEqual([]);
    expect(form.shared).toBeUndefined();
  });

  it("have rows of their own for long lists, the same as in the whole table", () => {
    const form = formOf({ as: "Table" });
    const whole = form.list([configMap("a"), configMap("b")], { resourceVersion: "9" });
    const source = form.rows!({ resourceVersion: "9" });
    const rows = [configMap("a"), configMap("b")].map((object) => ({
      ...source.row(object),
      object: { ...JSON.parse(`${source.metadataHead}0}`), metadata: object.metadata },
    }));
    expect({ ...source.head, rows }).toEqual(whole);
  });
});

describe("the frames of watchers", () => {
  it("are shared by those who see the same, in the same encoding and version", () => {
    const key = (more: Partial<Output>) => eventForm(context, of(configMaps), { ...json, ...more }).shared;
    const keys = [
      key({}),
      key({ mediaType: "protobuf" }),
      key({ mediaType: "cbor" }),
      key({ as: "PartialObjectMetadata" }),
      key({ as: "PartialObjectMetadata", asVersion: "v1beta1" }),
      key({ as: "PartialObjectMetadata", upstream: true }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    expect(key({ as: "Table" })).toBeUndefined();
  });

  it("say type and object, or a Status that ends the watch", () => {
    const frames = eventForm(context, of(configMaps), json);
    const parsed = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString());
    expect(parsed(frames.event("ADDED", configMap("a")))).toEqual({ type: "ADDED", object: configMap("a") });
    expect(parsed(frames.error({ kind: "Status", code: 410 }))).toEqual({
      type: "ERROR",
      object: { kind: "Status", code: 410 },
    });
    const cbor = eventForm(context, of(configMaps), { ...json, mediaType: "cbor" });
    expect(decodeCbor(cbor.event("DELETED", configMap("a"))).value).toMatchObject({ type: "DELETED" });
  });
});

describe("protobuf", () => {
  const protobuf: Output = { ...json, mediaType: "protobuf" };

  it("has one object, and lists put together from their items, as the whole would be", () => {
    const one = decodeProtobuf(encodeOne(context, of(configMaps), protobuf, configMap("a")), configMaps.kind.schema);
    expect(one).toMatchObject({ kind: "ConfigMap", metadata: { name: "a" }, data: { k: "v" } });
    const bytes = encodeList(context, of(configMaps), protobuf, { resourceVersion: "9", remainingItemCount: 3 }, [
      configMap("a"),
      configMap("b"),
    ]);
    expect(decodeProtobuf(bytes, listSchemaOf(configMaps.kind))).toMatchObject({
      kind: "ConfigMapList",
      apiVersion: "v1",
      metadata: { resourceVersion: "9", remainingItemCount: 3 },
      items: [
        { metadata: { name: "a" }, data: { k: "v" } },
        { metadata: { name: "b" }, data: { k: "v" } },
      ],
    });
  });
});
