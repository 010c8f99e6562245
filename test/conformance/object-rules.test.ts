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

describe("objects of definitions", () => {
  const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const text = { type: "string" };
  const struct = (properties: Body, more: Body = {}) => ({ type: "object", properties, ...more });
  const define = async (plural: string, schema: Body) => {
    const kind = `${plural[0]!.toUpperCase()}${plural.slice(1, -1)}`;
    const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }];
    const names = { plural, singular: plural.slice(0, -1), kind, listKind: `${kind}List` };
    const spec = { group: "rules.example.com", scope: "Namespaced", names, versions };
    await server.created(DEFINITIONS, { metadata: { name: `${plural}.rules.example.com` }, spec });
    const url = `/apis/rules.example.com/v1/namespaces/default/${plural}`;
    return (name: string, body: Body) =>
      server.post(url, { apiVersion: "rules.example.com/v1", kind, metadata: { name }, spec: body });
  };

  it("keep what is unknown in the items of a list that preserves it, however deep", async () => {
    const keeps = { "x-kubernetes-preserve-unknown-fields": true };
    const item = struct({ a: text });
    const create = await define(
      "lists",
      struct({
        spec: struct({
          kept: { type: "array", ...keeps, items: item },
          nested: { type: "array", ...keeps, items: { type: "array", items: item } },
          each: { type: "array", items: { ...item, ...keeps } },
          pruned: { type: "array", items: item },
        }),
      }),
    );
    const one = { a: "x", b: 1, c: { d: [1] } };
    const created = await create("a", { kept: [one], nested: [[one]], each: [one], pruned: [one] });
    assert.deepEqual(created.json.spec, { kept: [one], nested: [[one]], each: [one], pruned: [{ a: "x" }] });
    const refused = await create("b", { kept: [{ a: 5 }] });
    assert.match(refused.json.message, /spec\.kept\[0\]\.a: Invalid value: "integer"/);
  });

  it("have the fields of nested metadata in expressions, and failures show the type of what they are about", async () => {
    const metadata = struct({ name: text, labels: { type: "object", additionalProperties: text } });
    const rule = "self.template.metadata.name == 'b' && self.template.metadata.labels['a'] == 'b'";
    const create = await define(
      "templates",
      struct({ spec: struct({ template: struct({ metadata }) }, { "x-kubernetes-validations": [{ rule }] }) }),
    );
    const labels = { a: "b" };
    assert.equal((await create("a", { template: { metadata: { name: "b", labels } } })).status, 201);
    const refused = await create("b", { template: { metadata: { name: "c", labels } } });
    assert.match(refused.json.message, /is invalid: spec: Invalid value: "object": failed rule: self\.template/);
  });

  it.each([
    ["an empty reference", { $ref: "" }, /properties\[spec\]\.\$ref: Forbidden: \$ref is not supported/],
    ["a tuple", { type: "array", items: [text] }, /is invalid: \S+\.items: Forbidden: items must be a schema object/],
    [
      "a rule without a text beside others that are wrong",
      { "x-kubernetes-validations": [{ rule: "self.x ==" }, { rule: "" }] },
      /is invalid: \S+validations\[1\]\.rule: Required value: rule is not specified$/,
    ],
  ])("are not defined with %s", async (_, props, words) => {
    const schema = struct({ spec: { type: "object", ...props } });
    const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }];
    const names = { plural: "wrongs", kind: "Wrong" };
    const spec = { group: "rules.example.com", scope: "Namespaced", names, versions };
    const answer = await server.post(DEFINITIONS, { metadata: { name: "wrongs.rules.example.com" }, spec });
    assert.equal(answer.status, 422);
    assert.match(answer.json.message, words);
  });
});

describe("jobs", () => {
  const JOBS = "/apis/batch/v1/namespaces/default/jobs";
  const job = (name: string, labels?: Body, podLabels?: Body) => ({
    metadata: { name, labels },
    spec: { template: { metadata: { labels: podLabels }, spec: { restartPolicy: "Never", containers: [container] } } },
  });
  const given = (name: string, uid: string) => ({
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "job-name": name,
  });

  it.each([
    ["none", undefined, undefined],
    ["none, its pods some", undefined, { a: "b" }],
    ["an empty list, its pods some", {}, { a: "b" }],
  ])("without labels have all those of their pods: %s", async (how, labels, podLabels) => {
    const name = `unlabelled-${how.length}`;
    const { metadata, spec } = await server.created(JOBS, job(name, labels, podLabels));
    assert.deepEqual(metadata.labels, { ...podLabels, ...given(name, metadata.uid) });
    assert.deepEqual(spec.template.metadata.labels, metadata.labels);
    assert.deepEqual(spec.selector, { matchLabels: { "batch.kubernetes.io/controller-uid": metadata.uid } });
  });

  it("with labels keep to them", async () => {
    assert.deepEqual((await server.created(JOBS, job("labelled", { x: "y" }, { a: "b" }))).metadata.labels, { x: "y" });
  });
});

describe("ranges of Service addresses", () => {
  it("have owners of their status, whoever writes it", async () => {
    const url = "/apis/networking.k8s.io/v1/servicecidrs";
    const condition = {
      type: "Ready",
      status: "True",
      reason: "R",
      message: "",
      lastTransitionTime: "2030-01-01T00:00:00Z",
    };
    const created = await server.created(`${url}?fieldManager=one`, {
      metadata: { name: "owned" },
      spec: { cidrs: ["10.200.0.0/24"] },
      status: { conditions: [condition] },
    });
    const ownersOfStatus = ({ metadata }: Body) =>
      metadata.managedFields.filter(({ fieldsV1 }: Body) => fieldsV1["f:status"]).map(({ manager }: Body) => manager);
    assert.deepEqual(ownersOfStatus(created), ["one"]);
    const status = { conditions: [condition, { ...condition, type: "Other" }] };
    const updated = await server.call("PUT", `${url}/owned?fieldManager=two`, { ...created, status });
    assert.deepEqual(ownersOfStatus(updated.json).sort(), ["one", "two"]);
  });
});

describe("fields behind a gate", () => {
  it("are dropped while it is off: the signal that stops a container", async () => {
    const containers = [{ ...container, lifecycle: { stopSignal: "SIGUSR1" } }];
    const created = await server.post(`${PODS}?dryRun=All`, pod("signal", { os: { name: "linux" }, containers }));
    assert.deepEqual([created.status, created.json.spec.containers[0].lifecycle], [201, undefined]);
    const flags = ["--feature-gates=ContainerStopSignals=true", "--disable-admission-plugins=ServiceAccount"];
    const gated = new Api(await serverInProcess({ dialect: "kubernetes", flags }), namesFor("kubernetes"));
    const kept = await gated.post(`${PODS}?dryRun=All`, pod("signal", { os: { name: "linux" }, containers }));
    assert.deepEqual(kept.json.spec.containers[0].lifecycle, { stopSignal: "SIGUSR1" });
    const refused = await gated.post(`${PODS}?dryRun=All`, pod("signal", { containers }));
    assert.match(refused.json.message, /lifecycle\.stopSignal: Forbidden: may not be set for containers with empty/);
    await gated.server.close();
  });
});

describe("what is wrong with an object as a whole", () => {
  it("has the path of nothing: options of a log that exclude each other", async () => {
    await server.created(PODS, pod("logged"));
    const answer = await server.get(`${PODS}/logged/log?sinceSeconds=1&sinceTime=2030-01-01T00:00:00Z`);
    assert.deepEqual(answer.json.details.causes, [
      {
        reason: "FieldValueForbidden",
        message: "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified",
        field: "[]",
      },
    ]);
  });
});

describe("amounts of what a node has", () => {
  it("are not negative, and whole where they are counted, also in its status", async () => {
    await server.created("/api/v1/nodes", { metadata: { name: "amounts" } });
    const status = { capacity: { cpu: "-1", pods: "1500m" } };
    const answer = await server.patch("/api/v1/nodes/amounts/status", { status });
    assert.deepEqual(
      [answer.status, answer.json.details.causes.map(({ field }: Body) => field)],
      [422, ["status.capacity.cpu", "status.capacity.pods", "status.allocatable.cpu", "status.allocatable.pods"]],
    );
  });
});
