// Answers of upstream's server to changes that are a little odd, kind by kind: what a row says was seen there.
// Where the documents are silent, upstream's behaviour.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LooseJson, type ServerInProcess, serverInProcess } from "../server.testing.ts";

const STORAGE = "/apis/storage.k8s.io/v1";
const ADMISSION = "/apis/admissionregistration.k8s.io/v1";
const CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
const SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";

let server: ServerInProcess;
let at = 0;
beforeAll(async () => {
  server = await serverInProcess({ flags: ["--disable-admission-plugins=ServiceAccount"] });
});
afterAll(() => server.close());

/** Creates an object and merges a patch into it, or into a part of it. */
async function changed(
  path: string,
  body: object,
  patch: object,
  part = "",
): Promise<{ status: number; json: LooseJson }> {
  const metadata = { name: `c${at++}`, ...(body as { metadata?: object }).metadata };
  expect((await server.call("POST", path, { ...body, metadata })).status).toBe(201);
  return server.call("PATCH", `${path}/${metadata.name}${part}`, patch, {
    "content-type": "application/merge-patch+json",
  });
}

const causes = ({ details }: LooseJson): string[] =>
  (details?.causes ?? []).map(({ field, message }: Record<string, string>) => `${field}: ${message?.slice(0, 60)}`);

describe("finalizers need no domain", () => {
  it.each([
    [`${ADMISSION}/validatingwebhookconfigurations`, {}],
    [`${ADMISSION}/mutatingwebhookconfigurations`, {}],
    ["/apis/node.k8s.io/v1/runtimeclasses", { handler: "h" }],
  ])("of %s", async (path, body) => {
    expect((await changed(path, body, { metadata: { finalizers: ["plain"] } })).status).toBe(200);
  });
});

describe("a part of a pod that is meant by the uid of another", () => {
  it.each(["resize", "ephemeralcontainers", "status"])("is refused: %s", async (part) => {
    const spec = { containers: [{ name: "c", image: "i" }] };
    const patch = { metadata: { uid: "another" } };
    const { status, json } = await changed("/api/v1/namespaces/default/pods", { spec }, patch, `/${part}`);
    expect([status, causes(json)]).toEqual([422, ['metadata.uid: Invalid value: "another": field is immutable']]);
  });
});

describe("an empty list is no change where there is none", () => {
  it("in what a claim asks for", async () => {
    expect((await changed(CLAIMS, { spec: {} }, { spec: { devices: { requests: [] } } })).status).toBe(200);
  });

  it("in what a driver of a node says", async () => {
    const driver = { name: "d.test", nodeID: "n" };
    const drivers = [{ ...driver, topologyKeys: [] }];
    const { status } = await changed(`${STORAGE}/csinodes`, { spec: { drivers: [driver] } }, { spec: { drivers } });
    expect(status).toBe(200);
  });

  it("in a slice, whose generation and version stay", async () => {
    const name = `c${at++}`;
    const slice = { metadata: { name }, addressType: "IPv4", endpoints: [], ports: [] };
    const { json } = await server.call("POST", SLICES, slice);
    expect((await server.call("PUT", `${SLICES}/${name}`, slice)).json.metadata).toMatchObject({
      generation: 1,
      resourceVersion: json.metadata.resourceVersion,
    });
  });
});

describe("an attachment that changes", () => {
  const attachment = { spec: { attacher: "d.test", nodeName: "n", source: { persistentVolumeName: "v" } } };
  const IMMUTABLE = expect.stringMatching(/^spec: Invalid value/);

  it("may get names that a new one may not, and is refused all the same", async () => {
    const patch = { spec: { attacher: "d_test" } };
    const { status, json } = await changed(`${STORAGE}/volumeattachments`, attachment, patch);
    expect([status, causes(json)]).toEqual([422, [IMMUTABLE]]);
  });

  it("hears everything else twice", async () => {
    const patch = { spec: { attacher: null } };
    const missing = "spec.attacher: Required value";
    const { json } = await changed(`${STORAGE}/volumeattachments`, attachment, patch);
    expect(causes(json)).toEqual([missing, missing, IMMUTABLE]);
  });
});

it("a storage driver counts every change of what it says", async () => {
  const path = `${STORAGE}/csidrivers`;
  expect((await changed(path, { spec: {} }, { spec: { podInfoOnMount: true } })).json.metadata.generation).toBe(1);
  expect((await changed(path, { spec: {} }, { metadata: { labels: { a: "b" } } })).json.metadata.generation).toBe(
    undefined,
  );
});

it("what a version of the target of an autoscaler names is a group", async () => {
  const path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
  const spec = { maxReplicas: 2, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } };
  const { status, json } = await changed(path, { spec }, { spec: { scaleTargetRef: { apiVersion: "/v1" } } });
  expect([status, causes(json)]).toEqual([
    422,
    ['spec.scaleTargetRef.apiVersion: Invalid value: "/v1": apiVersion must specify API group'],
  ]);
});

describe("a status", () => {
  it("of a pod keeps what node agents say of containers, whether the server knows it or not", async () => {
    const pod = { spec: { containers: [{ name: "c", image: "i" }] } };
    const told = { name: "c", image: "i", imageID: "", ready: false, restartCount: 0 };
    const more = { allocatedResources: { cpu: "1" }, stopSignal: "SIGTERM" };
    const patch = { status: { containerStatuses: [{ ...told, ...more }] } };
    const { json } = await changed("/api/v1/namespaces/default/pods", pod, patch, "/status");
    expect(json.status.containerStatuses).toEqual([expect.objectContaining(more)]);
  });

  it("of an APIService leaves its writer nothing of the metadata", async () => {
    const name = `v1.g${at++}.test`;
    const service = { namespace: "n", name: "s" };
    const spec = { group: name.slice(3), version: "v1", groupPriorityMinimum: 1, versionPriority: 1, service };
    const body = { metadata: { name }, spec: { ...spec, insecureSkipTLSVerify: true } };
    const patch = { metadata: { labels: { a: "b" } } };
    const { json } = await changed("/apis/apiregistration.k8s.io/v1/apiservices", body, patch, "/status");
    expect(json.metadata.labels).toBeUndefined();
    expect(JSON.stringify(json.metadata.managedFields)).not.toContain("f:labels");
  });

  it("of a policy says which expression a warning is about", async () => {
    const rule = { operations: ["CREATE"], apiGroups: ["g.test"], apiVersions: ["v1"], resources: ["things"] };
    const spec = { validations: [{ expression: "true" }], matchConstraints: { resourceRules: [rule] } };
    const patch = { status: { typeChecking: { expressionWarnings: [{ fieldRef: "", warning: "" }] } } };
    const { json } = await changed(`${ADMISSION}/validatingadmissionpolicies`, { spec }, patch, "/status");
    const warning = "status.typeChecking.expressionWarnings[0]";
    expect(causes(json).sort()).toEqual([`${warning}.fieldRef: Required value`, `${warning}.warning: Required value`]);
  });

  it.each([
    ["10.9.8.7/24", undefined],
    ["2001:db8::1/64", undefined],
    ["10.9.8.7", "must be a valid address in CIDR form"],
    ["2001:DB8::1/64", 'must be in canonical form ("2001:db8::1/64")'],
  ])("of a claim tells addresses with their network: %s", async (ip, problem) => {
    const devices = { requests: [{ name: "r", exactly: { deviceClassName: "c" } }] };
    const device = { driver: "d.test", pool: "p", device: "e" };
    const allocation = { devices: { results: [{ request: "r", ...device }] } };
    const patch = { status: { allocation, devices: [{ ...device, networkData: { ips: [ip] } }] } };
    const { json } = await changed(CLAIMS, { spec: { devices } }, patch, "/status");
    if (problem === undefined) expect(json.status.devices[0].networkData.ips).toEqual([ip]);
    else expect(json.message).toContain(problem);
  });

  it("has conditions whose type is a name", async () => {
    const condition = {
      type: "",
      status: "True",
      reason: "R",
      message: "",
      lastTransitionTime: "2030-01-01T00:00:00Z",
    };
    const path = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    const { json } = await changed(path, { spec: {} }, { status: { conditions: [condition] } }, "/status");
    expect(causes(json)[0]).toBe('status.conditions[0].type: Invalid value: "": name part must be non-empty');
  });
});

describe("an object of a definition", () => {
  const PATH = "/apis/g.test/v2/namespaces/default/things";
  const OPEN = "/apis/g.test/v1/namespaces/default/opens";
  const STATUS = { type: "object", properties: { size: { type: "integer" } } };
  beforeAll(async () => {
    const spec = { type: "object", properties: { size: { type: "integer" } } };
    const more = { ...spec, properties: { ...spec.properties, extra: { type: "string", default: "x" } } };
    const version = (name: string, of: object) => ({
      name,
      served: true,
      storage: name === "v1",
      schema: { openAPIV3Schema: { type: "object", properties: { spec: of, status: STATUS } } },
      subresources: { scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
    });
    const definition = {
      metadata: { name: "things.g.test" },
      spec: {
        group: "g.test",
        scope: "Namespaced",
        names: { plural: "things", kind: "Thing" },
        versions: [version("v1", spec), version("v2", more)],
      },
    };
    await server.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    const any = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const scale = {
      specReplicasPath: ".spec.size",
      statusReplicasPath: ".status.size",
      labelSelectorPath: ".status.selector",
    };
    const schema = { openAPIV3Schema: { type: "object", properties: { spec: any, status: any } } };
    await server.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      metadata: { name: "opens.g.test" },
      spec: {
        group: "g.test",
        scope: "Namespaced",
        names: { plural: "opens", kind: "Open" },
        versions: [{ name: "v1", served: true, storage: true, schema, subresources: { scale } }],
      },
    });
  });

  it("is answered to a dry run as the write would be: without what the stored version does not know", async () => {
    const thing = { apiVersion: "g.test/v2", kind: "Thing", metadata: { name: "a" }, spec: { size: 1 } };
    await expect.poll(async () => (await server.call("GET", PATH)).status).toBe(200);
    const tried = await server.call("POST", `${PATH}?dryRun=All`, thing);
    const done = await server.call("POST", PATH, thing);
    expect([tried.json.spec, done.json.spec]).toEqual([{ size: 1 }, { size: 1 }]);
    expect(tried.json.metadata.resourceVersion).toBeUndefined();

    const next = { ...thing, metadata: done.json.metadata, spec: { size: 2 } };
    const changes = await server.call("PUT", `${PATH}/a?dryRun=All`, next);
    expect([changes.json.spec, changes.json.metadata.resourceVersion]).toEqual([
      { size: 2 },
      done.json.metadata.resourceVersion,
    ]);
  });

  it("has replicas that are numbers, where its schema says nothing of them too", async () => {
    await expect.poll(async () => (await server.call("GET", OPEN)).status).toBe(200);
    const open = (name: string, spec: object) => ({ apiVersion: "g.test/v1", kind: "Open", metadata: { name }, spec });
    const problems = async (path: string, method: string, body: object, type = "application/json") => {
      const { json } = await server.call(method, `${OPEN}${path}`, body, { "content-type": type });
      return json.details.causes.map(({ field, message }: Record<string, string>) => `${field}: ${message}`);
    };
    expect(await problems("", "POST", open("o", { size: true }))).toEqual([
      ".spec.size: Invalid value: 0: .spec.size accessor error: true is of the type bool, expected int64",
    ]);
    expect((await server.call("POST", OPEN, open("o", { size: 2 }))).status).toBe(201);
    const few = [".spec.size: Invalid value: -1: should be a non-negative integer"];
    const merge = "application/merge-patch+json";
    expect(await problems("/o/scale", "PATCH", { spec: { replicas: -1 } }, merge)).toEqual(few);
    expect(await problems("/o/scale", "PUT", { metadata: { name: "o" }, spec: { replicas: -1 } })).toEqual(few);
    expect(await problems("/o", "PATCH", { status: { selector: 1, size: 1.5 } }, merge)).toEqual([
      ".status.size: Invalid value: 0: .status.size accessor error: 1.5 is of the type float64, expected int64",
      '.status.selector: Invalid value: "": .status.selector accessor error: 1 is of the type int64, expected string',
    ]);
  });

  it("keeps replicas that were never said from becoming none by a patch of something else", async () => {
    await expect.poll(async () => (await server.call("GET", PATH)).status).toBe(200);
    const thing = { apiVersion: "g.test/v2", kind: "Thing", metadata: { name: "b" }, spec: {} };
    expect((await server.call("POST", PATH, thing)).status).toBe(201);
    const patch = (body: object) =>
      server.call("PATCH", `${PATH}/b/scale`, body, { "content-type": "application/merge-patch+json" });
    const refused = await patch({ metadata: { labels: { a: "b" } } });
    expect([refused.status, refused.json.message]).toEqual([
      400,
      'the spec replicas field ".spec.size" cannot be empty',
    ]);
    expect([(await patch({ spec: { replicas: 0 } })).status, (await patch({ metadata: {} })).status]).toEqual([
      200, 200,
    ]);
  });
});
