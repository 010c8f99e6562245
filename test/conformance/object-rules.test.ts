// Rules of single kinds that show only from outside: what is taken over, defaulted, warned about or refused on the way of
// a request. The documents are silent about most of them; upstream's rules hold.

import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, it } from "vitest";
import { serverInProcess } from "../../src/apiserver/server.testing.ts";
import { namesFor } from "../../src/meta/names.ts";
import { Api, type Body } from "./conformance.testing.ts";

let server: Api;
beforeAll(async () => {
  const flags = ["--disable-admission-plugins=ServiceAccount"];
  server = new Api(await serverInProcess({ dialect: "kubernetes", flags }), namesFor("kubernetes"));
});
afterAll(() => server.server.close());

const PODS = "/api/v1/namespaces/default/pods";
const container = { name: "c", image: "i" };
const pod = (name: string, spec: Body = {}, metadata: Body = {}) => ({
  metadata: { name, ...metadata },
  spec: { containers: [container], ...spec },
});
const workload = (name: string, spec: Body, template: Body = {}) => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [container], ...template } },
    ...spec,
  },
});

describe("pods", () => {
  it("with a negative time to end get one second, templates keep it and are warned about", async () => {
    const created = await server.post(PODS, pod("negative", { terminationGracePeriodSeconds: -5 }));
    assert.deepEqual([created.json.spec.terminationGracePeriodSeconds, created.warnings], [1, []]);
    const url = "/apis/apps/v1/namespaces/default/deployments";
    const deployed = await server.post(url, workload("negative", {}, { terminationGracePeriodSeconds: -5 }));
    assert.equal(deployed.json.spec.template.spec.terminationGracePeriodSeconds, -5);
    assert.match(String(deployed.warnings), /negative values are invalid and will be treated as 1/);
  });

  const KEY = "container.apparmor.security.beta.kubernetes.io/c";
  it.each([
    ["runtime/default", {}, { type: "RuntimeDefault" }, true],
    ["unconfined", {}, { type: "Unconfined" }, true],
    ["localhost/foo", {}, { type: "Localhost", localhostProfile: "foo" }, true],
    // What the whole pod says is not said again.
    ["runtime/default", { securityContext: { appArmorProfile: { type: "RuntimeDefault" } } }, undefined, false],
  ])("take the profile of the annotation %s into the field", async (text, spec, profile, warned) => {
    const created = await server.post(`${PODS}?dryRun=All`, pod("armored", spec, { annotations: { [KEY]: text } }));
    assert.equal(created.status, 201, created.text);
    assert.deepEqual(created.json.spec.containers[0].securityContext?.appArmorProfile, profile);
    assert.equal(
      created.warnings.some((line) => line.includes('use the \\"appArmorProfile\\" field')),
      warned,
    );
  });

  it("are resized container by container: none is added, removed, renamed or moved", async () => {
    const containers = [
      { name: "a", image: "i", resources: { requests: { cpu: "1" } } },
      { name: "b", image: "i" },
    ];
    const created = await server.created(PODS, pod("resized", { containers }));
    const [a, b] = created.spec.containers;
    const resize = (list: Body[]) =>
      server.put(`${PODS}/resized/resize`, { ...created, spec: { ...created.spec, containers: list } });
    for (const [list, words] of [
      [[a, b, { ...b, name: "c" }], /spec\.containers: Forbidden: containers may not be added or removed on resize/],
      [[a], /containers may not be added or removed on resize/],
      [[{ ...a, name: "z" }, b], /spec\.containers\[0\]\.name: Forbidden: containers may not be renamed or reordered/],
      [[b, a], /containers may not be renamed or reordered on resize/],
    ] as const) {
      const refused = await resize([...list]);
      assert.equal(refused.status, 422, refused.text);
      assert.match(refused.json.message, words);
    }
    const done = await resize([{ ...a, resources: { requests: { cpu: "2" } } }, b]);
    assert.deepEqual([done.status, done.json.spec.containers[0].resources.requests.cpu], [200, "2"]);
  });

  it("are evicted by clients of the older version too", async () => {
    for (const apiVersion of ["policy/v1beta1", "policy/v1", undefined]) {
      await server.created(PODS, pod("evicted"));
      const body = { apiVersion, kind: "Eviction", metadata: { name: "evicted" } };
      assert.equal((await server.post(`${PODS}/evicted/eviction`, body)).status, 201, apiVersion);
    }
    const wrong = { apiVersion: "policy/v2", kind: "Eviction", metadata: { name: "x" } };
    assert.equal((await server.post(`${PODS}/x/eviction`, wrong)).status, 400);
  });
});

describe("stateful sets", () => {
  it.each([
    [undefined, { type: "RollingUpdate", rollingUpdate: { partition: 0 } }],
    [{ type: "RollingUpdate" }, { type: "RollingUpdate" }],
    [
      { type: "RollingUpdate", rollingUpdate: {} },
      { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
    ],
    [{ type: "OnDelete" }, { type: "OnDelete" }],
  ])("with the strategy %j have %j", async (given, expected) => {
    const url = "/apis/apps/v1/namespaces/default/statefulsets?dryRun=All";
    const { json } = await server.post(url, workload("s", { updateStrategy: given }));
    assert.deepEqual(json.spec.updateStrategy, expected);
  });
});

describe("autoscalers", () => {
  it.each([
    ["memory", undefined],
    ["example.com/gpu", undefined],
    ["foo", /containerResource\.name: Invalid value: "foo": must be a standard resource for containers/],
    ["a/b/c", /containerResource\.name: Invalid value: "a\/b\/c"/],
  ])("by the container resource %s", async (name, words) => {
    const target = { type: "Utilization", averageUtilization: 5 };
    const answer = await server.post("/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers?dryRun=All", {
      metadata: { name: "h" },
      spec: {
        maxReplicas: 2,
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
        metrics: [{ type: "ContainerResource", containerResource: { name, container: "c", target } }],
      },
    });
    if (words === undefined) assert.equal(answer.status, 201, answer.text);
    else assert.match(answer.json.message, words);
  });
});

describe("claims of volumes", () => {
  it.each([
    [{ allocatedResources: { storage: "1", "example.com/x": "1" } }, undefined],
    [
      { allocatedResources: { foo: "1" } },
      'status.allocatedResources: Unsupported value: "foo": supported values: "storage"',
    ],
    [
      { allocatedResources: { "kubernetes.io/x": "1" } },
      'status.allocatedResources: Unsupported value: "kubernetes.io/x": supported values: "storage"',
    ],
    [
      { allocatedResources: { storage: "-1" } },
      "status.allocatedResources[storage]: Invalid value: -1: must be a valid resource quantity",
    ],
  ])("with the status %j", async (status, words) => {
    const url = "/api/v1/namespaces/default/persistentvolumeclaims";
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } };
    await server.post(url, { metadata: { name: "c" }, spec });
    const answer = await server.patch(`${url}/c/status?dryRun=All`, { status });
    if (words === undefined) assert.equal(answer.status, 200, answer.text);
    else assert.equal(answer.json.message, `PersistentVolumeClaim "c" is invalid: ${words}`);
  });
});

describe("addresses", () => {
  it("show their age in a cell that no column announces", async () => {
    const url = "/apis/networking.k8s.io/v1/ipaddresses";
    const { json } = await server.get(url, { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" });
    assert.deepEqual(
      json.columnDefinitions.map(({ name }: Body) => name),
      ["Name", "ParentRef"],
    );
    const [address, parent, age] = json.rows[0].cells;
    assert.deepEqual([address, parent], ["10.0.0.1", "services/default/kubernetes"]);
    assert.match(age, /^\d+s$/);
  });
});

describe("runtime classes", () => {
  it("tell tolerations apart by everything but their time", async () => {
    const toleration = { key: "a", operator: "Exists", effect: "NoExecute" };
    const tolerations = [toleration, { ...toleration, tolerationSeconds: 5 }, { ...toleration, effect: "NoSchedule" }];
    const body = { metadata: { name: "r" }, handler: "h", scheduling: { tolerations } };
    const { json } = await server.post("/apis/node.k8s.io/v1/runtimeclasses", body);
    assert.match(json.message, /scheduling\.tolerations\[1\]: Duplicate value/);
    assert.doesNotMatch(json.message, /tolerations\[2\]/);
  });
});

describe("definitions", () => {
  const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const definition = (schema: Body) => ({
    metadata: { name: "foos.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "foos", kind: "Foo" },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", ...schema } } },
      ],
    },
  });
  const embedding = (value: Body) => ({
    properties: {
      t: {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
        default: value,
      },
    },
  });

  it.each([
    [embedding({ apiVersion: "v1", kind: "Pod", metadata: { name: "x" } }), undefined],
    [embedding({ kind: "Pod" }), /properties\[t\]\.default\.apiVersion: Required value/],
    [embedding({ apiVersion: "v1" }), /properties\[t\]\.default\.kind: Required value/],
    [embedding({ apiVersion: "v1", kind: "%" }), /properties\[t\]\.default\.kind: Invalid value: "%"/],
    [embedding({ apiVersion: "v1", kind: "Pod", metadata: { labels: { a: 1 } } }), /default\.metadata: Invalid value/],
    [{ $schema: "http://json-schema.org/schema#" }, /OpenAPIV3Schema 'schema' is not supported/],
    [{ properties: { a: { type: "string", $schema: "x" } } }, /OpenAPIV3Schema 'schema' is not supported/],
  ])("with %j", async (schema, words) => {
    const answer = await server.post(`${DEFINITIONS}?dryRun=All`, definition(schema));
    if (words === undefined) assert.equal(answer.status, 201, answer.text);
    else assert.match(answer.json.message, words);
  });

  it("have objects whose new finalizers are warned about when they have no domain", async () => {
    await server.created(DEFINITIONS, definition({}));
    const url = "/apis/example.com/v1/namespaces/default/foos";
    const finalizers = ["example.com/ok", "plain", "with.dots", "orphan"];
    const created = await server.post(url, {
      apiVersion: "example.com/v1",
      kind: "Foo",
      metadata: { name: "f", finalizers },
    });
    const advice = "to avoid accidental conflicts with other finalizer writers";
    assert.deepEqual(
      created.warnings.map((line) => line.replace(/^299 - "(.*)"$/, "$1").replaceAll("\\", "")),
      [
        `metadata.finalizers: "plain": prefer a domain-qualified finalizer name ${advice}`,
        `metadata.finalizers: "with.dots": prefer a domain-qualified finalizer name including a path (/) ${advice}`,
      ],
    );
    const again = await server.patch(`${url}/f`, { metadata: { labels: { a: "b" } } });
    assert.deepEqual(again.warnings, []);
  });
});
