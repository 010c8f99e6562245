// Bodies near the limit over the whole pipeline: what holds too many values is refused before it is decoded, and what is
// taken lets others have their turn between the stages of its write.

import { describe, expect, it } from "vitest";
import { serverInProcess } from "../../src/apiserver/server.testing.ts";
import { asSlowWork } from "../../src/base/steps.testing.ts";
import { encodeCbor } from "../../src/codec/cbor.ts";
import { encodeProtobuf } from "../../src/codec/protobuf.ts";
import { encodeYaml } from "../../src/codec/yaml.ts";
import { callInProcess } from "../../src/http/in-process.testing.ts";
import { ALL_KINDS } from "../../src/kinds/all-kinds.ts";

const MIB = 1024 * 1024;
const PATH = "/api/v1/namespaces/default/configmaps";
const CBOR = ["--feature-gates=CBORServingAndStorage=true"];
const server = await serverInProcess({ flags: CBOR });

const owner = (index: number) => ({ apiVersion: "v1", kind: "Node", name: `n${index}`, uid: `u${index}` });
const configMap = (name: string, count: number) => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name, ownerReferences: Array.from({ length: count }, (_, index) => owner(index)) },
});

describe("a body of very many values", () => {
  const crowded = { ...configMap("crowded", 1), finalizers: Array.from({ length: 400_000 }, () => 1) };

  it.each([
    ["JSON", "application/json", JSON.stringify(crowded)],
    ["YAML", "application/yaml", `metadata:\n  name: a\n  finalizers:\n${"  - a\n".repeat(140_000)}`],
    ["CBOR", "application/cbor", encodeCbor(crowded)],
  ])("is refused in %s, whatever its bytes", async (_, type, body) => {
    expect(body.length).toBeLessThan(3 * MIB);
    const headers = { "content-type": type };
    const answer = await callInProcess(server.handler, { method: "POST", url: PATH, headers, body });
    const status = JSON.parse(Buffer.from(answer.body).toString());
    expect([answer.status, status.reason]).toEqual([413, "RequestEntityTooLarge"]);
    expect(status.message).toContain("values");
  });

  it.each(["merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml"])(
    "is refused as a %s",
    async (type) => {
      await server.call("POST", PATH, configMap("patched", 1));
      const url = `${PATH}/patched?fieldManager=a`;
      const answer = await server.call("PATCH", url, JSON.stringify(crowded), {
        "content-type": `application/${type}`,
      });
      expect([answer.status, answer.json.reason]).toEqual([413, "RequestEntityTooLarge"]);
    },
  );

  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));
  const wide = { ...configMap("wide", 1), data: keys(64 * 1024 + 1) };
  const kind = ALL_KINDS.find((each) => each.kind === "ConfigMap")!;

  it.each([
    ["JSON", "application/json", JSON.stringify(wide)],
    ["YAML", "application/yaml", encodeYaml(wide)],
    ["JSON as YAML", "application/yaml", JSON.stringify(wide)],
    ["CBOR", "application/cbor", encodeCbor(wide)],
    ["protobuf", "application/vnd.kubernetes.protobuf", encodeProtobuf(wide, kind.schema)],
  ])("is refused in %s for one map of so many keys", async (_, type, body) => {
    const headers = { "content-type": type };
    const answer = await callInProcess(server.handler, { method: "POST", url: PATH, headers, body });
    const status = JSON.parse(Buffer.from(answer.body).toString());
    expect([answer.status, status.message]).toEqual([
      413,
      "Request entity too large: it holds a map of more than 65536 keys",
    ]);
  });

  it("is taken with one map of nearly as many", async () => {
    const answer = await server.call("POST", PATH, { ...configMap("narrow", 1), data: keys(64 * 1024) });
    expect(answer.status).toBe(201);
  });

  it("is refused where a patch would make an object of it, little by little", async () => {
    const { k0: _, ...most } = keys(64 * 1024);
    await server.call("POST", PATH, { ...configMap("growing", 1), data: most });
    for (const type of ["merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml"]) {
      const patch = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "growing" }, data: { a: "v", b: "v" } };
      const headers = { "content-type": `application/${type}` };
      const answer = await server.call("PATCH", `${PATH}/growing?fieldManager=a`, patch, headers);
      expect([type, answer.status, answer.json.message]).toEqual([
        type,
        413,
        "Request entity too large: it holds a map of more than 65536 keys",
      ]);
    }
  });

  describe("of a kind whose rules judge all of it at once", () => {
    const PODS = "/api/v1/namespaces/default/pods";
    const pod = (name: string, env: number, labels = 0) => ({
      kind: "Pod",
      apiVersion: "v1",
      metadata: { name, labels: keys(labels) },
      spec: {
        containers: [
          {
            name: "a",
            image: "b",
            env: Array.from({ length: env }, (_, index) => ({ name: `E${index}`, value: "v" })),
          },
        ],
      },
    });
    const refused = [413, "Request entity too large: it holds more than 32768 values, which is the most for a Pod"];

    it("is refused sooner", async () => {
      const answer = await server.call("POST", PODS, pod("crowded", 12_000));
      expect([answer.status, answer.json.message]).toEqual(refused);
    });

    it("is refused where an apply would create it", async () => {
      const headers = { "content-type": "application/apply-patch+yaml" };
      const answer = await server.call("PATCH", `${PODS}/crowded?fieldManager=m`, pod("crowded", 12_000), headers);
      expect([answer.status, answer.json.message]).toEqual(refused);
    });

    it("is refused where its bytes are few", async () => {
      const containers = Array.from({ length: 40_000 }, () => ({}));
      const answer = await server.call("POST", PODS, { ...pod("few-bytes", 0), spec: { containers } });
      expect([answer.status, answer.json.message]).toEqual(refused);
    });

    it("is taken with fewer, whatever its metadata hold", async () => {
      await server.call("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
      expect((await server.call("POST", PODS, pod("less-crowded", 10_000, 20_000))).status).toBe(201);
      const headers = { "content-type": "application/merge-patch+json" };
      const patch = (body: object) => server.call("PATCH", `${PODS}/less-crowded`, body, headers);
      expect((await patch({ metadata: { labels: { a: "b" } } })).status).toBe(200);
      const grown = await patch({ spec: pod("less-crowded", 12_000).spec });
      expect([grown.status, grown.json.message]).toEqual(refused);
    });
  });

  it("is taken when it is one long text", async () => {
    const data = { text: "a,[{".repeat(240_000) };
    const answer = await server.call("POST", PATH, { ...configMap("long", 1), data });
    expect(answer.status).toBe(201);
  });
});

describe("a large object", () => {
  it.each([
    ["JSON", "application/json", "?pretty=true"],
    ["a Table", "application/json;as=Table;v=v1;g=meta.k8s.io", ""],
    ["metadata alone", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", ""],
  ])("lets others have their turn while it is written: %s", async (_, accept, query) => {
    await server.call("POST", PATH, configMap("read", 8_000));
    const get = (query: string, accept: string) =>
      countingTurns(() => server.call("GET", `${PATH}/read${query}`, undefined, { accept }));
    // A first read has turns of its own; another one sends the bytes at hand.
    await get("", "application/json");
    expect((await get("", "application/json")).turns).toBe(0);
    const { answer, turns } = await get(query, accept);
    expect(answer.status).toBe(200);
    expect(turns).toBeGreaterThan(40);
  });
});

describe("a list of large objects", () => {
  const NAMESPACE = "/api/v1/namespaces/large-list";
  const LISTED = `${NAMESPACE}/configmaps`;
  const AS_METADATA = "as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

  it.each([
    ["while they are read for the first time", "application/json", 70],
    ["as protobuf", "application/vnd.kubernetes.protobuf", 130],
    ["as CBOR", "application/cbor", 260],
    ["metadata alone", `application/json;${AS_METADATA}`, 180],
    ["metadata alone, as protobuf", `application/vnd.kubernetes.protobuf;${AS_METADATA}`, 100],
  ])("lets others have their turn: %s", async (_, accept, atLeast) => {
    const fresh = await serverInProcess({ flags: CBOR });
    await fresh.call("POST", "/api/v1/namespaces", { metadata: { name: "large-list" } });
    for (const name of ["a", "b", "c", "d"]) await fresh.call("POST", LISTED, configMap(name, 3_000));
    const list = () => countingTurns(() => fresh.call("GET", LISTED, undefined, { accept }));
    const { answer, turns } = await list();
    expect(answer.status).toBe(200);
    expect(turns).toBeGreaterThan(atLeast);
  });
});

/** How often others had their turn, on a machine where they have it after every second step. */
async function countingTurns<T>(call: () => Promise<T>): Promise<{ readonly answer: T; readonly turns: number }> {
  let turns = 0;
  let over = false;
  const count = () => {
    if (over) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  const answer = await asSlowWork(1_000, () => call().finally(() => (over = true)));
  return { answer, turns };
}

describe("a large write", () => {
  it.each([
    ["create", "POST", "", "application/json", 45],
    ["dry run", "PUT", "/large?dryRun=All", "application/json", 120],
    ["update", "PUT", "/large", "application/json", 100],
    ["merge patch", "PATCH", "/large", "application/merge-patch+json", 110],
    ["strategic merge patch", "PATCH", "/large", "application/strategic-merge-patch+json", 115],
    ["apply", "PATCH", "/large?fieldManager=a&force=true", "application/apply-patch+yaml", 100],
    ["delete that waits", "DELETE", "/large?propagationPolicy=Foreground", "application/json", 60],
    ["delete", "DELETE", "/large?propagationPolicy=Background", "application/json", 2],
  ])("lets others have their turn between its stages, and the steps of ownership: %s", async (...row) => {
    const [, method, item, type, atLeast] = row;
    const body = method === "DELETE" ? undefined : configMap("large", 3_000);
    const headers = { "content-type": type };
    const { answer, turns } = await countingTurns(() => server.call(method, `${PATH}${item}`, body, headers));
    expect(answer.status).toBeLessThan(300);
    expect(turns).toBeGreaterThan(atLeast);
  });
});

describe("a large body", () => {
  it("lets others have their turn while it is read, as protobuf too", async () => {
    const kind = ALL_KINDS.find((each) => each.kind === "ConfigMap")!;
    const data = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`k${index}`, "v"]));
    const url = `${PATH}?dryRun=All`;
    const create = (type: string, body: Uint8Array) =>
      countingTurns(() => {
        const headers = { "content-type": type, accept: "application/json" };
        return callInProcess(server.handler, { method: "POST", url, headers, body });
      });
    const object = { ...configMap("in-protobuf", 1), data };
    const protobuf = await create("application/vnd.kubernetes.protobuf", encodeProtobuf(object, kind.schema));
    const json = await create("application/json", Buffer.from(JSON.stringify(object)));
    expect([protobuf.answer.status, json.answer.status]).toEqual([201, 201]);
    // What is left of a write takes as many turns, whatever its body was written in, and reading it about as many.
    expect(protobuf.turns / json.turns).toBeGreaterThan(0.8);
  });
});

describe("a write of one large map", () => {
  const wide = (value: string) => ({
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name: "wide-map" },
    data: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, value])),
  });

  it.each([
    ["create", "POST", "", "application/json", wide("a"), 150],
    ["update", "PUT", "/wide-map", "application/json", wide("b"), 280],
    ["merge patch", "PATCH", "/wide-map", "application/merge-patch+json", wide("c"), 350],
    ["merge patch of one key", "PATCH", "/wide-map", "application/merge-patch+json", { data: { k1: "d" } }, 300],
    ["strategic merge patch", "PATCH", "/wide-map", "application/strategic-merge-patch+json", wide("e"), 350],
  ])("lets others have their turn while it is gone through: %s", async (...row) => {
    const [, method, item, type, body, atLeast] = row;
    const headers = { "content-type": type };
    const { answer, turns } = await countingTurns(() => server.call(method, `${PATH}${item}`, body, headers));
    expect(answer.status).toBeLessThan(300);
    expect(turns).toBeGreaterThan(atLeast);
  });
});

describe("a wide map", () => {
  const APP = { app: "a" };
  const TEMPLATE = { metadata: { labels: APP }, spec: { containers: [{ name: "a", image: "b" }] } };
  const wide = (value: string) =>
    Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key-${index}`, value]));

  it.each([
    ["labels of a Namespace", "/api/v1/namespaces", { metadata: { name: "wide", labels: wide("v") } }],
    [
      "data of a Secret",
      "/api/v1/namespaces/default/secrets",
      { metadata: { name: "wide" }, data: wide("dg=="), stringData: { more: "v" } },
    ],
    [
      "annotations of a DaemonSet",
      "/apis/apps/v1/namespaces/default/daemonsets",
      {
        metadata: { name: "wide", annotations: wide("v") },
        spec: { selector: { matchLabels: APP }, template: TEMPLATE },
      },
    ],
  ])("takes what the server adds: %s", async (_, path, body) => {
    const answer = await server.call("POST", path, body);
    const { metadata, data } = answer.json;
    expect([answer.status, Object.keys(metadata.labels ?? metadata.annotations ?? data)]).toEqual([
      201,
      expect.objectContaining({ length: 20_001 }),
    ]);
  });
});

describe("a write of a large custom resource", () => {
  const CUSTOM = "/apis/large.example.com/v1/namespaces/default/boxes";
  const entry = (index: number) => ({ name: `n${index}`, value: "v" });
  const box = (value: string) => ({
    kind: "Box",
    apiVersion: "large.example.com/v1",
    metadata: { name: "large" },
    words: Array.from({ length: 20_000 }, (_, index) => `w${index}`),
    entries: [...Array.from({ length: 10_000 }, (_, index) => entry(index)), { name: "last", value }],
  });
  const text = { type: "string", maxLength: 10 };
  const properties = {
    words: { type: "array", "x-kubernetes-list-type": "set", items: text },
    entries: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: { type: "object", required: ["name"], properties: { name: text, value: text } },
    },
  };

  it.each([
    ["create", "POST", "", "application/json", "a", 480],
    ["merge patch", "PATCH", "/large", "application/merge-patch+json", "b", 700],
  ])("lets others have their turn while it is judged: %s", async (...row) => {
    const [, method, item, type, value, atLeast] = row;
    await server.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      kind: "CustomResourceDefinition",
      apiVersion: "apiextensions.k8s.io/v1",
      metadata: { name: "boxes.large.example.com" },
      spec: {
        group: "large.example.com",
        scope: "Namespaced",
        names: { plural: "boxes", kind: "Box" },
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties } } },
        ],
      },
    });
    const headers = { "content-type": type };
    const { answer, turns } = await countingTurns(() => server.call(method, `${CUSTOM}${item}`, box(value), headers));
    expect(answer.status).toBeLessThan(300);
    expect(turns).toBeGreaterThan(atLeast);
  });
});
