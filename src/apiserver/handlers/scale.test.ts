// The replicas of an object as a Scale. Requirements: document 1, "Path shapes", "Server-side apply rules", rule 9.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ServerInProcess, serverInProcess } from "../server.testing.ts";

const PATH = "/apis/apps/v1/namespaces/default/deployments";
const deployment = (name: string) => ({
  metadata: { name },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "x" } },
    template: { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
});

let server: ServerInProcess;
let at = 0;
let name: string;
beforeAll(async () => {
  server = await serverInProcess();
});
afterAll(() => server.close());
beforeEach(async () => {
  name = `d${at++}`;
  expect((await server.call("POST", PATH, deployment(name))).status).toBe(201);
});

const scale = (method: string, body?: unknown, query = "", headers: Record<string, string> = {}) =>
  server.call(method, `${PATH}/${name}/scale${query}`, body, headers);
const parent = async () => (await server.call("GET", `${PATH}/${name}`)).json;

describe("a Scale", () => {
  it.each(["application/merge-patch+json", "application/apply-patch+yaml"])(
    "is patched only in the version that a header names: %s",
    async (type) => {
      const body = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name }, spec: { replicas: 5 } };
      const patch = (version: string) =>
        scale("PATCH", body, type.includes("apply") ? "?fieldManager=m&force=true" : "", {
          "content-type": type,
          "if-match": `"${version}"`,
        });
      expect((await patch("1")).status).toBe(409);
      expect((await patch((await parent()).metadata.resourceVersion)).status).toBe(200);
    },
  );

  it("says what is wished for, what there is, and which pods count", async () => {
    const { uid, resourceVersion, creationTimestamp } = (await parent()).metadata;
    expect((await scale("GET")).json).toEqual({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: { name, namespace: "default", uid, resourceVersion, creationTimestamp },
      spec: { replicas: 3 },
      status: { replicas: 0, selector: "app=x" },
    });
  });

  it.each<
    [method: string, body: (name: string) => unknown, headers: Record<string, string>, query: string, replicas: number]
  >([
    ["PUT", (of) => ({ metadata: { name: of }, spec: { replicas: 5 } }), {}, "", 5],
    ["PUT", (of) => ({ metadata: { name: of }, spec: {} }), {}, "", 0],
    ["PATCH", () => ({ spec: { replicas: 7 } }), {}, "", 7],
    [
      "PATCH",
      () => [{ op: "replace", path: "/spec/replicas", value: 8 }],
      { "content-type": "application/json-patch+json" },
      "",
      8,
    ],
    ["PATCH", () => ({ spec: { replicas: 9 } }), { "content-type": "application/strategic-merge-patch+json" }, "", 9],
    [
      "PATCH",
      (of) => ({ apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: of }, spec: { replicas: 4 } }),
      { "content-type": "application/apply-patch+yaml" },
      "?fieldManager=m&force=true",
      4,
    ],
  ])("is written by %s: row %#", async (method, body, headers, query, replicas) => {
    const answer = await scale(method, body(name), query, headers);
    expect([answer.status, answer.json.kind, answer.json.spec.replicas ?? 0]).toEqual([200, "Scale", replicas]);
    const { spec, metadata } = await parent();
    expect([spec.replicas, metadata.generation]).toEqual([replicas, 2]);
    expect(spec.template).toEqual(
      expect.objectContaining({ metadata: expect.objectContaining({ labels: { app: "x" } }) }),
    );
  });

  it("makes its writer the manager of the replicas, and of nothing else", async () => {
    await scale("PATCH", { spec: { replicas: 7 } }, "?fieldManager=scaler");
    const entries = (await parent()).metadata.managedFields;
    const entry = entries.find(({ manager }: { manager: string }) => manager === "scaler");
    expect(entry).toMatchObject({
      subresource: "scale",
      apiVersion: "apps/v1",
      fieldsV1: { "f:spec": { "f:replicas": {} } },
    });
    expect(Object.keys(entry.fieldsV1)).toEqual(["f:spec"]);
  });

  it.each<[what: string, method: string, body: (name: string) => unknown, code: number]>([
    ["the fewest", "PUT", (of) => ({ metadata: { name: of }, spec: { replicas: -(2 ** 31) } }), 422],
    ["fewer than none", "PUT", (of) => ({ metadata: { name: of }, spec: { replicas: -1 } }), 422],
    ["no number", "PUT", (of) => ({ metadata: { name: of }, spec: { replicas: "3" } }), 400],
    ["an old version", "PUT", (of) => ({ metadata: { name: of, resourceVersion: "1" }, spec: { replicas: 1 } }), 409],
    ["another object", "PUT", (of) => ({ metadata: { name: of, uid: "x" }, spec: { replicas: 1 } }), 409],
    ["another namespace", "PUT", (of) => ({ metadata: { name: of, namespace: "o" }, spec: { replicas: 1 } }), 400],
    [
      "labels that are none",
      "PUT",
      (of) => ({ metadata: { name: of, labels: { a: "b/c" } }, spec: { replicas: 1 } }),
      422,
    ],
    ["finalizers without a domain", "PATCH", () => ({ metadata: { finalizers: ["f"] }, spec: { replicas: 1 } }), 422],
    ["an old version in a patch", "PATCH", () => ({ metadata: { resourceVersion: "1" } }), 409],
    ["another object in a patch", "PATCH", () => ({ metadata: { uid: "x" }, spec: { replicas: 1 } }), 409],
    ["a Scale to create", "POST", () => ({ spec: { replicas: 1 } }), 405],
    ["a Scale to delete", "DELETE", () => undefined, 405],
  ])("is refused: %s", async (_, method, body, code) => {
    expect((await scale(method, body(name))).status).toBe(code);
    expect((await parent()).spec.replicas).toBe(3);
  });

  it("hears of everything at once", async () => {
    const metadata = { name, labels: { a: "b/c" } };
    const { json } = await scale("PUT", { metadata, spec: { replicas: -1 } });
    expect(json.details.causes.map(({ field }: { field: string }) => field)).toEqual([
      "metadata.labels",
      "spec.replicas",
    ]);
  });

  it("of a dry run changes nothing", async () => {
    expect((await scale("PATCH", { spec: { replicas: 7 } }, "?dryRun=All")).json.spec.replicas).toBe(7);
    expect((await parent()).spec.replicas).toBe(3);
  });

  it("of what is not there is 404, and kinds without one have none", async () => {
    name = "none";
    expect((await scale("GET")).status).toBe(404);
    expect((await scale("GET", undefined, "?resourceVersion=x")).status).toBe(400);
    expect((await server.call("GET", "/api/v1/namespaces/default/configmaps/x/scale")).status).toBe(404);
  });

  it("has columns of its own", async () => {
    const { json } = await scale("GET", undefined, "", { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" });
    expect(json.columnDefinitions.map(({ name: column }: { name: string }) => column)).toEqual([
      "Name",
      "Desired",
      "Available",
      "Age",
    ]);
    expect(json.rows[0].cells.slice(0, 3)).toEqual([name, 3, 0]);
  });
});
