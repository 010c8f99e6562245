// DELETE: what it answers, and the one way to get rid of what cannot be read.
// Requirements: document 1, "Deletion of an object", rules for unsafe deletion.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Attributes } from "../../registry/authorizer.ts";
import { MemoryEngine } from "../../storage/memory-engine.ts";
import { type ServerInProcess, serverInProcess } from "../server.testing.ts";

const PATH = "/api/v1/namespaces/default/configmaps";
const UNSAFE = "ignoreStoreReadErrorWithClusterBreakingPotential";

let engine: MemoryEngine;
let server: ServerInProcess;
let mayUnsafe: boolean;
let at = 0;
let name: string;
beforeAll(async () => {
  engine = new MemoryEngine();
  mayUnsafe = true;
  server = await serverInProcess({
    engine,
    flags: ["--feature-gates=AllowUnsafeMalformedObjectDeletion=true", "--disable-admission-plugins=ServiceAccount"],
    authorization: {
      authorize: ({ verb }: Attributes) => ({
        verdict:
          mayUnsafe || verb !== "unsafe-delete-ignore-read-errors" ? ("allow" as const) : ("no-opinion" as const),
        reason: "",
      }),
    },
  });
});
afterAll(() => server.close());
beforeEach(() => {
  name = `o${at++}`;
  mayUnsafe = true;
});

const create = async (metadata: object = {}) => {
  const { status, json } = await server.call("POST", PATH, { metadata: { name, ...metadata } });
  expect(status).toBe(201);
  return json;
};

describe("DELETE", () => {
  it("of an object answers that it is gone, and which it was", async () => {
    const { metadata } = await create();
    const { status, json } = await server.call("DELETE", `${PATH}/${name}`);
    expect([status, json]).toEqual([
      200,
      {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Success",
        details: { name, kind: "configmaps", uid: metadata.uid },
      },
    ]);
  });

  it("takes no options of more bytes than anybody needs", async () => {
    await create();
    const { status } = await server.call("DELETE", `${PATH}/${name}`, { dryRun: Array(20_000).fill("All") });
    expect(status).toBe(413);
  });

  it("takes no options that stand for more, either", async () => {
    const all = `&x [${"All, ".repeat(9_000)}]`;
    const yaml = `dryRun: ${all}\npreconditions: {uid: [*x, *x]}`;
    const { status } = await server.call("DELETE", `${PATH}/${name}`, yaml, { "content-type": "application/yaml" });
    expect(status).toBe(413);
  });

  it("names the group of the object, where it has one", async () => {
    const path = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    await server.call("POST", path, { metadata: { name }, spec: {} });
    const { json } = await server.call("DELETE", `${path}/${name}`);
    expect(json.details).toMatchObject({ name, group: "coordination.k8s.io", kind: "leases" });
  });

  it("has no table of that, nor metadata, whatever was asked for", async () => {
    await create();
    const accept = "application/json;as=Table;g=meta.k8s.io;v=v1";
    const { json } = await server.call("DELETE", `${PATH}/${name}`, undefined, { accept });
    expect(json.kind).toBe("Status");
  });

  it("of a kind whose last state matters answers the object", async () => {
    const pods = "/api/v1/namespaces/default/pods";
    await server.call("POST", pods, { metadata: { name }, spec: { containers: [{ name: "c", image: "i" }] } });
    expect((await server.call("DELETE", `${pods}/${name}`)).json).toMatchObject({ kind: "Pod", metadata: { name } });
  });

  it.each<[query: string, code: number]>([
    ["", 200],
    ["?propagationPolicy=Foreground", 200],
    ["?orphanDependents=false", 202],
  ])("of what ends later answers the object as it stands%s: %s", async (query, code) => {
    await create({ finalizers: ["x.io/f"] });
    const { status, json } = await server.call("DELETE", `${PATH}/${name}${query}`);
    expect([status, json.kind]).toEqual([code, "ConfigMap"]);
    expect(json.metadata.deletionTimestamp).toBeDefined();
  });

  it.each<[what: string, query: string, body: object | undefined, gone: boolean]>([
    ["the body", "", { dryRun: ["All"] }, false],
    ["the query", "?dryRun=All", undefined, false],
    ["the body, where both are there, as upstream does", "?dryRun=All", { gracePeriodSeconds: 0 }, true],
  ])("takes its options from %s", async (_, query, body, gone) => {
    await create();
    expect((await server.call("DELETE", `${PATH}/${name}${query}`, body)).status).toBe(200);
    expect((await server.call("GET", `${PATH}/${name}`)).status).toBe(gone ? 404 : 200);
  });
});

describe("unsafe deletion", () => {
  const unsafe = (more = "") => server.call("DELETE", `${PATH}/${name}?${UNSAFE}=true${more}`);
  const damage = () => engine.create(`/registry/configmaps/default/${name}`, Buffer.from('{"kind":'));

  it("removes what cannot be read, and tells its name", async () => {
    await damage();
    expect((await server.call("DELETE", `${PATH}/${name}`)).status).toBe(500);
    const { status, json } = await unsafe();
    expect([status, json.details]).toEqual([200, { name, kind: "configmaps" }]);
    expect((await server.call("GET", `${PATH}/${name}`)).status).toBe(404);
  });

  it("is not for those who may only delete", async () => {
    await damage();
    mayUnsafe = false;
    const { status, json } = await unsafe();
    expect([status, json.message]).toEqual([403, expect.stringContaining("unsafe-delete-ignore-read-errors")]);
    mayUnsafe = true;
    expect((await unsafe()).status).toBe(200);
  });

  it("is refused where the object can be read", async () => {
    await create();
    const { status, json } = await unsafe();
    expect([status, json.message]).toEqual([
      422,
      expect.stringContaining("exclusively used to delete corrupt object(s)"),
    ]);
    expect((await server.call("GET", `${PATH}/${name}`)).status).toBe(200);
  });

  it.each(["dryRun=All", "gracePeriodSeconds=1", "orphanDependents=true", "propagationPolicy=Orphan", "uid=u"])(
    "goes with no other option: %s",
    async (option) => {
      await damage();
      expect((await unsafe(`&${option}`)).status).toBe(422);
      expect((await unsafe()).status).toBe(200);
    },
  );

  it("of what is not there is 404", async () => {
    expect((await unsafe()).status).toBe(404);
  });
});
