// Objects as bytes: the version that readers see is spliced in at the right place, whatever the object holds.

import { describe, expect, it } from "vitest";
import type { ApiObject } from "../meta/object.ts";
import {
  decodeStored,
  encodeObject,
  encodeStored,
  hasStoredOrder,
  metadataPart,
  replaceResourceVersion,
  sameStoredType,
  withResourceVersion,
} from "./object-bytes.ts";

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8");
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));

const object = {
  data: { k: 'a "uid":"x" inside' },
  metadata: {
    managedFields: [],
    uid: "6f",
    labels: { uid: "y" },
    name: "x",
    namespace: "a",
    creationTimestamp: "2030-01-01T00:00:00Z",
    resourceVersion: "5",
  },
  apiVersion: "v1",
  kind: "ConfigMap",
} as unknown as ApiObject;

describe("stored bytes", () => {
  it("have upstream's order and no version", () => {
    expect(text(encodeStored(object))).toBe(
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","namespace":"a","uid":"6f",' +
        '"creationTimestamp":"2030-01-01T00:00:00Z","labels":{"uid":"y"},"managedFields":[]},' +
        '"data":{"k":"a \\"uid\\":\\"x\\" inside"}}',
    );
  });

  it("are served with the version of their commit, as if they had been parsed", () => {
    const served = withResourceVersion(encodeStored(object), 7);
    expect(text(served)).toBe(
      text(encodeObject({ ...object, metadata: { ...object.metadata, resourceVersion: "7" } } as ApiObject)),
    );
    expect(text(replaceResourceVersion(served, 1_234))).toBe(text(withResourceVersion(encodeStored(object), 1_234)));
  });

  it("without a uid get their version too", () => {
    const plain = { kind: "Lease", apiVersion: "v1", metadata: { name: "x" } } as ApiObject;
    expect(JSON.parse(text(withResourceVersion(encodeStored(plain), 3)))).toEqual({
      ...plain,
      metadata: { name: "x", resourceVersion: "3" },
    });
  });

  it("come back as they were, with the version", () => {
    const decoded = decodeStored(encodeStored(object), 9);
    expect(decoded).toEqual({ ...object, metadata: { ...object.metadata, resourceVersion: "9" } });
    expect(text(encodeStored(decoded))).toBe(text(encodeStored(object)));
  });

  it.each([["null"], ["[]"], ['"x"'], ["{}"], ['{"metadata":null}'], ['{"metadata":1}'], ["{"]])(
    "are refused when they are no object: %s",
    (stored) => {
      expect(() => decodeStored(Buffer.from(stored), 1)).toThrow();
    },
  );
});

describe("hasStoredOrder", () => {
  const ours = JSON.parse(text(encodeStored(object))) as Record<string, unknown>;
  it.each<[string, unknown, boolean]>([
    ["ours", ours, true],
    ["metadata first", { metadata: ours["metadata"], kind: "ConfigMap", apiVersion: "v1" }, false],
    ["a label before the uid", { ...ours, metadata: { labels: { uid: "y" }, name: "x", uid: "6f" } }, false],
    ["a version in the text", { ...ours, metadata: { name: "x", uid: "6f", resourceVersion: "1", labels: {} } }, false],
    ["no uid", { ...ours, metadata: { name: "x" } }, false],
  ])("of %s", (_, stored, expected) => {
    expect(hasStoredOrder(decodeStored(bytes(stored), 1))).toBe(expected);
  });
});

describe("sameStoredType", () => {
  const typed = (apiVersion: string, data: string) =>
    encodeStored({ kind: "Foo", apiVersion, metadata: { name: "x" }, data } as unknown as ApiObject);
  it("compares kind and version, not content", () => {
    expect(sameStoredType(typed("a/v1", "1"), typed("a/v1", "2"))).toBe(true);
    expect(sameStoredType(typed("a/v1", "1"), typed("a/v2", "1"))).toBe(false);
  });
});

describe("the metadata in served bytes", () => {
  it.each([
    ["plain", {}],
    ["braces and quotes in text", { annotations: { a: 'x}"},{"\\', "b\\": "{{{" } }],
    ["nested", { managedFields: [{ manager: "m", fieldsV1: { "f:data": { 'k:{"a":1}': {} } } }] }],
    ["no plain ASCII", { labels: { ü: "世界 }" } }],
  ])("is cut out as it is: %s", (_, more) => {
    const metadata = { ...object.metadata, ...more };
    const served = encodeObject({ ...object, metadata, spec: { metadata: { a: 1 } } } as unknown as ApiObject);
    expect(JSON.parse(text(metadataPart(served)!))).toEqual(metadata);
  });

  it.each(["{}", '{"kind":"A","metadata":null}', '{"kind":"A","metadata":{"a":"'])("is not found in %s", (served) => {
    expect(metadataPart(Buffer.from(served))).toBeUndefined();
  });
});
