// Document 1, "Server-side apply rules", one by one, through the server.

import assert from "node:assert/strict";
import { describe, it } from "vitest";
import { serverInProcess } from "../../src/apiserver/server.testing.ts";
import { namesFor } from "../../src/meta/names.ts";
import type { Attributes } from "../../src/registry/authorizer.ts";
import { Api, api, type Body, configMap, inBothDialects } from "./conformance.testing.ts";

const NAMESPACE = { apiVersion: "v1", kind: "Namespace" };
const managersOf = (object: Body): string[] =>
  (object.metadata.managedFields ?? []).map((entry: Body) => `${entry.manager} ${entry.operation}`);
const entryOf = (object: Body, manager: string): Body =>
  object.metadata.managedFields?.find((entry: Body) => entry.manager === manager);
const dataOf = (object: Body, manager: string): string[] =>
  Object.keys(entryOf(object, manager)?.fieldsV1["f:data"] ?? {}).sort();

async function fresh(
  server: Api,
): Promise<{ at: string; apply: (data: object, manager: string, force?: boolean) => Promise<Body> }> {
  const at = `${await server.configMaps()}/x`;
  return {
    at,
    apply: (data, manager, force) => server.apply(at, { ...configMap("x"), data }, manager, force),
  };
}

const deployment = (pod: { containers?: object; spec?: object; metadata?: object }) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "x" },
  spec: {
    selector: { matchLabels: { app: "x" } },
    template: {
      metadata: { labels: { app: "x" }, ...pod.metadata },
      spec: { containers: [{ name: "c", image: "i", ...pod.containers }], ...pod.spec },
    },
  },
});

const SAID_OTHERWISE: [what: string, pod: Parameters<typeof deployment>[0]][] = [
  ["a quantity", { containers: { resources: { limits: { cpu: "1000m", memory: "1024Mi" } } } }],
  ["a quantity as a number", { containers: { resources: { limits: { cpu: 0.5 } } } }],
  ["an empty keyed list", { containers: { env: [] } }],
  ["an empty atomic list", { containers: { args: [] } }],
  ["an empty atomic map", { spec: { nodeSelector: {} } }],
  ["null", { metadata: { creationTimestamp: null } }],
];

inBothDialects("Server-side apply rules", (dialect) => {
  it("1: a value that several appliers set equal is shared", async () => {
    const { apply } = await fresh(await api(dialect));
    await apply({ k: "1" }, "a");
    const { status, json } = await apply({ k: "1" }, "b");
    assert.equal(status, 200);
    assert.deepEqual([dataOf(json, "a"), dataOf(json, "b")], [["f:k"], ["f:k"]]);
  });

  it.each(SAID_OTHERWISE)("1: %s: shared, however the stored value is written", async (_what, pod) => {
    const server = await api(dialect);
    const at = (await server.configMaps()).replace("/api/v1/", "/apis/apps/v1/").replace("configmaps", "deployments/x");
    assert.equal((await server.apply(at, deployment(pod), "a")).status, 201);
    for (const manager of ["b", "a", "b"]) {
      const { status, json } = await server.apply(at, deployment(pod), manager);
      assert.equal(status, 200, json.message);
      const [one, two] = json.metadata.managedFields;
      assert.deepEqual(one.fieldsV1, two.fieldsV1);
    }
  });

  it("1: units in which the server fills something in, or finds nothing, are shared", async () => {
    const server = await api(dialect);
    const at = await server.configMaps();
    const rbac = server.names.group("rbac.authorization");
    const { spec } = deployment({});
    const claim = { metadata: { name: "v" }, spec: { resources: { requests: { storage: "0.5Gi" } } } };
    const metadata = { name: "x" };
    const objects: [path: string, object: object][] = [
      [`/apis/${rbac}/v1`, { kind: "Role", apiVersion: `${rbac}/v1`, metadata, rules: [] }],
      [
        "/apis/apps/v1",
        {
          kind: "StatefulSet",
          apiVersion: "apps/v1",
          metadata,
          spec: {
            ...spec,
            volumeClaimTemplates: [{ ...claim, spec: { ...claim.spec, accessModes: ["ReadWriteOnce"] } }],
          },
        },
      ],
    ];
    for (const [path, object] of objects) {
      const resource = `${(object as Body).kind.toLowerCase()}s`;
      const url = at.replace("/api/v1", path).replace("configmaps", `${resource}/x`);
      assert.equal((await server.apply(url, object, "a")).status, 201);
      const { status, json } = await server.apply(url, object, "b");
      assert.equal(status, 200, json.message);
    }
  });

  it("2: a value that is not stored conflicts with one that is", async () => {
    const server = await api(dialect);
    const at = (await server.configMaps()).replace("/api/v1/", "/apis/apps/v1/").replace("configmaps", "deployments/x");
    const pod = { spec: { hostNetwork: true, nodeSelector: { a: "b" } } };
    assert.equal((await server.apply(at, deployment(pod), "a")).status, 201);
    const empty = deployment({ spec: { hostNetwork: false, nodeSelector: {} } });
    const refused = await server.apply(at, empty, "b");
    const fields = ["hostNetwork", "nodeSelector"].map((name) => `.spec.template.spec.${name}`);
    assert.deepEqual(refused.json.details.causes.map(({ field }: Body) => field).sort(), fields);
    const { json } = await server.apply(at, empty, "b", true);
    const { hostNetwork, nodeSelector } = json.spec.template.spec;
    assert.deepEqual([hostNetwork, nodeSelector], [undefined, undefined]);
    const left = entryOf(json, "a").fieldsV1["f:spec"]["f:template"]["f:spec"];
    assert.deepEqual(Object.keys(left), ["f:containers"]);
  });

  it("1: metadata that is applied empty is shared", async () => {
    const server = await api(dialect);
    const at = await server.configMaps();
    for (const metadata of [{ labels: {} }, { annotations: {} }, { finalizers: [] }, { creationTimestamp: null }]) {
      const name = Object.keys(metadata)[0]!.toLowerCase();
      await server.apply(`${at}/${name}`, configMap(name, undefined, metadata), "a");
      const { status, json } = await server.apply(`${at}/${name}`, configMap(name, undefined, metadata), "b");
      assert.equal(status, 200, json.message);
    }
  });

  it("2: who applied a map or a list empty has no say in what others put into it", async () => {
    const server = await api(dialect);
    const at = `${await server.configMaps()}/x`;
    const empty = { labels: {}, finalizers: [] };
    const full = { labels: { of: "b" }, finalizers: ["example.com/b"] };
    await server.apply(at, configMap("x", {}, empty), "a");
    for (const [manager, data, metadata] of [
      ["b", { k: "1" }, full],
      ["a", {}, empty],
    ] as const) {
      const { status, json } = await server.apply(at, configMap("x", data, metadata), manager);
      assert.equal(status, 200, json.message);
      assert.deepEqual(
        [json.data, json.metadata.labels, json.metadata.finalizers],
        [{ k: "1" }, full.labels, full.finalizers],
      );
    }
  });

  it("2: another value conflicts, with one cause per field; force takes the fields over", async () => {
    const { apply } = await fresh(await api(dialect));
    await apply({ k: "1", l: "1", other: "1" }, "a");
    const refused = await apply({ k: "2", l: "2" }, "b");
    assert.equal(refused.status, 409);
    assert.deepEqual(refused.json.details.causes, [
      { reason: "FieldManagerConflict", message: 'conflict with "a"', field: ".data.k" },
      { reason: "FieldManagerConflict", message: 'conflict with "a"', field: ".data.l" },
    ]);
    assert.match(refused.json.message, /^Apply failed with 2 conflicts: conflicts with "a":\n- .data.k\n- .data.l$/);
    const { json } = await apply({ k: "2", l: "2" }, "b", true);
    assert.deepEqual(json.data, { k: "2", l: "2", other: "1" });
    assert.deepEqual([dataOf(json, "a"), dataOf(json, "b")], [["f:other"], ["f:k", "f:l"]]);
  });

  it("3: a conflicting applier may drop the field, or take the server's value", async () => {
    const { apply } = await fresh(await api(dialect));
    await apply({ k: "1", mine: "1" }, "a");
    await apply({ k: "1", own: "1" }, "b");
    const dropped = (await apply({ own: "1" }, "b")).json;
    assert.equal(dropped.data.k, "1");
    assert.deepEqual(dataOf(dropped, "b"), ["f:own"]);
    const shared = (await apply({ k: "1", own: "1" }, "b")).json;
    assert.deepEqual(
      [dataOf(shared, "a"), dataOf(shared, "b")],
      [
        ["f:k", "f:mine"],
        ["f:k", "f:own"],
      ],
    );
  });

  it("4 and 6: what only the caller owned and no longer names goes; what others own stays", async () => {
    const { apply } = await fresh(await api(dialect));
    await apply({ mine: "1", shared: "1" }, "a");
    await apply({ shared: "1" }, "b");
    const { json } = await apply({ other: "1" }, "a");
    assert.deepEqual(json.data, { shared: "1", other: "1" });
  });

  it("4: a default comes back for what is removed", async () => {
    const server = await api(dialect);
    const at = (await server.configMaps()).replace("configmaps", "services/x");
    const service = (spec: object) => ({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "x" },
      spec: { ports: [{ port: 80, protocol: "TCP" }], ...spec },
    });
    assert.equal(
      (await server.apply(at, service({ sessionAffinity: "ClientIP" }))).json.spec.sessionAffinity,
      "ClientIP",
    );
    assert.equal((await server.apply(at, service({}))).json.spec.sessionAffinity, "None");
  });

  it("5: other writes never conflict, take over what they change, and are named after the User-Agent", async () => {
    const server = await api(dialect);
    const { at, apply } = await fresh(server);
    await apply({ k: "1", l: "1" }, "a");
    const patched = (await server.patch(at, { data: { k: "2" } })).json;
    assert.deepEqual([dataOf(patched, "a"), dataOf(patched, "conformance")], [["f:l"], ["f:k"]]);
    const put = (await server.put(`${at}?fieldManager=putter`, configMap("x", { k: "3", l: "3" }))).json;
    assert.deepEqual(managersOf(put), ["putter Update"]);
    assert.equal((await apply({ k: "4" }, "a")).status, 409);
  });

  it("7: apply asks for patch, and for create where nothing is", async () => {
    const authorizer = {
      authorize: ({ verb, user }: Attributes) =>
        ({ verdict: verb === "create" && user.name === "admin" ? "no-opinion" : "allow", reason: "" }) as const,
    };
    const server = await serverInProcess({ dialect, deps: { authorizer } });
    const limited = new Api(server, namesFor(dialect));
    assert.equal(
      (await limited.apply("/api/v1/namespaces/default", { ...NAMESPACE, metadata: { name: "default" } })).status,
      200,
    );
    const refused = await limited.apply("/api/v1/namespaces/new", { ...NAMESPACE, metadata: { name: "new" } });
    assert.equal(refused.status, 403, refused.text);
    await server.close();
  });

  it("8: a list with one empty entry strips managedFields; an empty list does not; changes of the same request are owned", async () => {
    const server = await api(dialect);
    const { at, apply } = await fresh(server);
    await apply({ k: "1" }, "a");
    assert.deepEqual(managersOf((await server.patch(at, { metadata: { managedFields: [] } })).json), ["a Apply"]);
    assert.deepEqual(managersOf((await server.patch(at, { metadata: { managedFields: [{}] } })).json), []);
    await apply({ k: "1" }, "a");
    const replace = [{ op: "replace", path: "/metadata/managedFields", value: [{}] }];
    assert.deepEqual(managersOf((await server.patch(at, replace, "json")).json), []);
    await apply({ k: "1" }, "a");
    const both = await server.patch(`${at}?fieldManager=r`, { metadata: { managedFields: [{}] }, data: { l: "2" } });
    assert.deepEqual(managersOf(both.json), ["r Update"]);
    assert.deepEqual(dataOf(both.json, "r"), ["f:l"]);
  });

  it("9: what is no object takes no apply", async () => {
    const server = await api(dialect);
    const reviews = `/apis/${server.names.group("authorization")}/v1/selfsubjectaccessreviews/x`;
    assert.ok([404, 405].includes((await server.apply(reviews, {})).status));
  });
});

inBothDialects("Server-side apply rules: changes of a definition", (dialect) => {
  const schema = (listType: string) => ({
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: { l: { type: "array", "x-kubernetes-list-type": listType, items: { type: "string" } } },
      },
    },
  });

  async function changing(from: string, to: string) {
    const server = await api(dialect);
    const group = `${from}-${to}.example.com`;
    const definitions = `/apis/${server.names.group("apiextensions")}/v1/customresourcedefinitions`;
    const names = { plural: "foos", singular: "foo", kind: "Foo", listKind: "FooList" };
    const versions = (type: string) => [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema(type) } },
    ];
    await server.created(definitions, {
      metadata: { name: `foos.${group}` },
      spec: { group, scope: "Cluster", names, versions: versions(from) },
    });
    const url = `/apis/${group}/v1/foos/x`;
    const apply = (l: string[], manager: string) =>
      server.apply(url, { apiVersion: `${group}/v1`, kind: "Foo", metadata: { name: "x" }, spec: { l } }, manager);
    await until(async () => (await server.get(`/apis/${group}/v1/foos`)).status === 200);
    assert.equal((await apply(["a"], "a")).status, 201);
    await server.patch(`${definitions}/foos.${group}`, { spec: { versions: versions(to) } });
    return apply;
  }

  async function until(condition: () => Promise<boolean>): Promise<void> {
    while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
  }

  it("10: from atomic to set, later edits do not conflict", async () => {
    const apply = await changing("atomic", "set");
    let answer = await apply(["b"], "b");
    await until(async () => {
      answer = await apply(["b"], "b");
      return answer.status === 200;
    });
    assert.deepEqual([...answer.json.spec.l].sort(), ["a", "b"]);
  });

  it("10: from set to atomic, the owner of an element owns the list", async () => {
    const apply = await changing("set", "atomic");
    let answer = await apply(["a"], "b");
    await until(async () => {
      answer = await apply(["c"], "c");
      return answer.status === 409;
    });
    assert.match(answer.json.message, /\.spec\.l/);
  });
});

describe("Server-side apply: the request", () => {
  it.each([
    ["no fieldManager", "", configMap("x"), 422, /fieldManager: Required value: is required for apply patch/],
    [
      "managedFields in the body",
      "?fieldManager=m",
      configMap("x", {}, { managedFields: [{ manager: "m" }] }),
      400,
      /metadata.managedFields must be nil/,
    ],
    ["no kind", "?fieldManager=m", { metadata: { name: "x" } }, 400, /Kind=/],
    ["no object", "?fieldManager=m", "[]", 400, /./],
    ["no YAML", "?fieldManager=m", "{", 400, /error decoding YAML/],
    ["another name", "?fieldManager=m", configMap("y"), 400, /does not match the name on the URL/],
    ["a long manager", `?fieldManager=${"m".repeat(129)}`, configMap("x"), 422, /fieldManager/],
    ["a wrong type", "?fieldManager=m", { ...configMap("x"), data: { a: 1 } }, 400, /data/],
  ] as const)("refuses %s", async (_what, query, body, status, message) => {
    const server = await api();
    const at = await server.configMaps();
    const answer = await server.patch(`${at}/x${query}`, body, "apply");
    assert.equal(answer.status, status, answer.text);
    assert.match(answer.json.message, message);
  });

  it("refuses force on a patch that is no apply", async () => {
    const server = await api();
    const at = await server.configMaps();
    await server.created(at, configMap("x"));
    assert.equal((await server.patch(`${at}/x?force=true`, {})).status, 422);
  });

  it("takes YAML", async () => {
    const server = await api();
    const at = await server.configMaps();
    const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  k: 'yes'\n";
    assert.deepEqual((await server.apply(`${at}/x`, yaml)).json.data, { k: "yes" });
  });

  it("compares a version and a uid in the intent", async () => {
    const server = await api();
    const at = await server.configMaps();
    const { status, json } = await server.apply(`${at}/x`, configMap("x", {}, { uid: "u" }));
    assert.equal(status, 409);
    assert.match(json.message, /: uid mismatch: .* uid u, and no existing object was found$/);
    await server.created(at, configMap("x"));
    assert.equal((await server.apply(`${at}/x`, configMap("x", {}, { resourceVersion: "1" }))).status, 409);
    assert.ok([409, 422].includes((await server.apply(`${at}/x`, configMap("x", {}, { uid: "u" }))).status));
  });
});
