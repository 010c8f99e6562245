// Answers of upstream's server to requests that are a little odd, kind by kind: what a row says was seen there.
// Requirements: document 1, "API objects"; where the documents are silent, upstream's behaviour.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LooseJson, type ServerInProcess, serverInProcess } from "../server.testing.ts";

const CORE = "/api/v1/namespaces/default";
const APPS = "/apis/apps/v1/namespaces/default";
const CONTAINERS = { containers: [{ name: "c", image: "i" }] };
const JOB_POD = { spec: { restartPolicy: "Never", ...CONTAINERS } };

let server: ServerInProcess;
beforeAll(async () => {
  server = await serverInProcess({
    flags: ["--service-cluster-ip-range=10.96.0.0/16", "--disable-admission-plugins=ServiceAccount"],
  });
});
afterAll(() => server.close());

const post = (path: string, body: unknown) => server.call("POST", path, body);
const put = (path: string, body: unknown) => server.call("PUT", path, body);
const causes = ({ details }: LooseJson): string[] =>
  (details?.causes ?? []).map(({ field, message }: Record<string, string>) => `${field}: ${message?.slice(0, 140)}`);

describe("a body that says another type", () => {
  it.each([
    [`${CORE}/configmaps`, "ConfigMap", "pkg/api/legacyscheme/scheme.go:30"],
    [
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      "CustomResourceDefinition",
      "k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55",
    ],
    [
      "/apis/apiregistration.k8s.io/v1/apiservices",
      "APIService",
      "k8s.io/kube-aggregator/pkg/apiserver/scheme/scheme.go:28",
    ],
  ])("at %s is told where the types are listed", async (path, kind, list) => {
    const { status, json } = await post(path, { kind: "Bogus", apiVersion: "bogus.test/v9" });
    expect([status, json.message]).toEqual([
      400,
      `Bogus in version "v9" cannot be handled as a ${kind}: no kind "Bogus" is registered for version "bogus.test/v9" in scheme "${list}"`,
    ]);
  });
});

describe("the export of an object", () => {
  it.each([
    ["export=true", 400],
    ["export", 400],
    ["export=false", 200],
    ["export=0", 200],
  ])("is refused, with ?%s: %i", async (query, status) => {
    await post(`${CORE}/configmaps`, { metadata: { name: "exported" } });
    const answer = await server.call("GET", `${CORE}/configmaps/exported?${query}`);
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.json.message).toContain("the export parameter, deprecated since v1.14");
  });
});

describe("a protobuf body whose envelope can be read", () => {
  const PROTOBUF = { "content-type": "application/vnd.kubernetes.protobuf" };
  const field = (tag: string, content: string) => `${tag}${String.fromCharCode(content.length)}${content}`;
  const body = (kind: string, raw: string) =>
    `k8s\0${field("\n", field("\n", "v1") + field("\x12", kind))}${field("\x12", raw)}`;
  const wrong = "\x10\x05";
  it.each([
    ["ConfigMap", "\n\x7f", 'ConfigMap in version "v1" cannot be handled as a ConfigMap: unexpected EOF'],
    ["ConfigMap", "\x5e", 'ConfigMap in version "v1" cannot be handled as a ConfigMap: proto: illegal wireType 6'],
    [
      "Secret",
      wrong,
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
  ])("of a %s with %j is told of what it carries", async (kind, raw, message) => {
    const { status, json } = await server.call("POST", `${CORE}/configmaps`, body(kind, raw), PROTOBUF);
    expect([status, json.message]).toEqual([400, message]);
  });
});

describe("a definition", () => {
  it.each(["maxLength", "maxItems", "maxProperties"])("may have a %s that no number can hold", async (bound) => {
    const type = { maxLength: "string", maxItems: "array", maxProperties: "object" }[bound];
    const more = {
      string: "",
      array: ',"items":{"type":"string"}',
      object: ',"additionalProperties":{"type":"string"}',
    };
    const rule = '"x-kubernetes-validations":[{"rule":"size(self) >= 0"}]';
    const field = `{"type":"${type}","${bound}":9223372036854775807,${rule}${more[type as "string"]}}`;
    const schema = `{"type":"object","properties":{"x":${field}}}`;
    const names = '{"plural":"things","singular":"thing","kind":"Thing","listKind":"ThingList"}';
    const version = `{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":${schema}}}`;
    const spec = `{"group":"g.test","scope":"Cluster","names":${names},"versions":[${version}]}`;
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All";
    expect((await post(path, `{"metadata":{"name":"things.g.test"},"spec":${spec}}`)).status).toBeLessThan(500);
  });
});

describe("a default of a whole custom resource", () => {
  const required = ["apiVersion: Required value", "kind: Required value"];
  const type = { apiVersion: "v1", kind: "X" };
  const rows: [value: LooseJson, findings: string[]][] = [
    [{}, required],
    [{ spec: { a: 1 } }, required],
    [{ metadata: { labels: { a: "b" } } }, required],
    [{ ...type, kind: "" }, ['kind: Invalid value: "": must not be empty']],
    [
      { ...type, metadata: 1 },
      ["metadata: Invalid value: 1: json: cannot unmarshal number into Go value of type v1.ObjectMeta"],
    ],
    [{ ...type, metadata: { other: 1 } }, []],
    [type, []],
  ];
  it.each(rows)("%j is judged as a resource", async (value, findings) => {
    const openAPIV3Schema = {
      type: "object",
      default: value,
      properties: { spec: { type: "object", properties: { a: { type: "string" } } } },
    };
    const names = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
    const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }];
    const spec = { group: "g.test", scope: "Cluster", names, versions };
    const { json } = await post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All", {
      metadata: { name: "things.g.test" },
      spec,
    });
    expect(causes(json)).toEqual(findings.map((finding) => `spec.validation.openAPIV3Schema.default.${finding}`));
  });
});

describe("a selector of fields", () => {
  it.each([
    ["/apis/batch/v1/jobs", "spec.x=1", 'field label "spec.x" not supported for Job'],
    [
      "/apis/resource.k8s.io/v1/resourceslices",
      "spec.x=1",
      "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.x",
    ],
    ["/api/v1/nodes", "metadata.namespace=x", "field label not supported: metadata.namespace"],
    ["/api/v1/persistentvolumes", "metadata.namespace=x", undefined],
    ["/api/v1/configmaps", "=", undefined],
    ["/api/v1/configmaps", "!=", undefined],
  ])("at %s: %s", async (path, selector, message) => {
    const { status, json } = await server.call("GET", `${path}?fieldSelector=${encodeURIComponent(selector)}`);
    expect([status, json.message]).toEqual(message === undefined ? [200, undefined] : [400, message]);
  });
});

describe("a prefix for a name", () => {
  it("is the whole name of an address", async () => {
    const parentRef = { resource: "services", name: "s", namespace: "x" };
    const path = "/apis/networking.k8s.io/v1/ipaddresses";
    const { json } = await post(path, { metadata: { generateName: "gen-" }, spec: { parentRef } });
    expect(json.details.name).toBe("gen-");
  });

  it("is judged too where the name follows from the object", async () => {
    const definition = await post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      metadata: { generateName: "gen-" },
      spec: {
        group: "g.test",
        scope: "Cluster",
        names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    });
    expect(definition.json.details.causes.map(({ field }: LooseJson) => field)).toEqual([
      "metadata.generateName",
      "metadata.name",
    ]);
    const service = await post("/apis/apiregistration.k8s.io/v1/apiservices", {
      metadata: { generateName: "gen-" },
      spec: { group: "g.test", version: "v1", groupPriorityMinimum: 1, versionPriority: 1 },
    });
    expect(service.json.details.causes.map(({ field }: LooseJson) => field)).toContain("metadata.generateName");
  });

  it.each([
    ["-", ["metadata.generateName", "metadata.name"]],
    ["a-", []],
    ["-a-", ["metadata.generateName", "metadata.name"]],
  ])("%j alone has mistakes at %j", async (generateName, fields) => {
    const { json } = await post(`${CORE}/configmaps?dryRun=All`, { metadata: { generateName } });
    expect((json.details?.causes ?? []).map(({ field }: LooseJson) => field)).toEqual(fields);
  });
});

describe("a new object", () => {
  const slice = (attribute: object) => ({
    metadata: { name: "s" },
    spec: {
      driver: "d.test",
      nodeName: "n",
      pool: { name: "p", resourceSliceCount: 1 },
      devices: [{ name: "a", attributes: { x: attribute } }],
    },
  });
  const ingress = (path: object) => ({
    metadata: { name: "i" },
    spec: { rules: [{ http: { paths: [path] } }] },
  });
  const claims = { devices: { requests: [{ name: "r", exactly: { deviceClassName: "c" } }] } };
  const PATH_TYPE = "spec.rules[0].http.paths[0].pathType";
  it.each<[what: string, path: string, body: object, errors: string[]]>([
    [
      "a template with metadata beyond labels and annotations",
      "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates",
      {
        metadata: { name: "t" },
        spec: { metadata: { labels: { a: "b" }, name: "x", uid: "u", generation: 0 }, spec: claims },
      },
      ["spec.metadata.name: Forbidden: cannot be set", "spec.metadata.uID: Forbidden: cannot be set"],
    ],
    [
      "an attribute with two values, one of them wrong",
      "/apis/resource.k8s.io/v1/resourceslices",
      slice({ int: 1, version: "x" }),
      [
        'spec.devices[0].attributes[x].version: Invalid value: "x": must be a string compatible with semver.org',
        'spec.devices[0].attributes[x]: Invalid value: {"IntValue":1,"BoolValue":null,"StringValue":null,"Vers',
      ],
    ],
    [
      "a path without a type, where nothing else is judged",
      "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
      ingress({ path: "x" }),
      [`${PATH_TYPE}: Required value: pathType must be specified`],
    ],
    [
      "a source beside flexVolume",
      "/api/v1/persistentvolumes",
      {
        metadata: { name: "v" },
        spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1" }, hostPath: { path: "/a" }, flexVolume: {} },
      },
      ["spec.flexVolume.driver: Required value"],
    ],
    [
      "a distinguisher that nobody knows",
      "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
      {
        metadata: { name: "f" },
        spec: { priorityLevelConfiguration: { name: "x" }, distinguisherMethod: { type: "x" }, rules: [] },
      },
      ['spec.distinguisherMethod.type: Unsupported value: {"Type":"x"}: supported values: "ByNamespace", "By'],
    ],
    [
      "a bundle of a local service, counted in bytes",
      "/apis/apiregistration.k8s.io/v1/apiservices",
      {
        metadata: { name: "v1.g.test" },
        spec: { group: "g.test", version: "v1", groupPriorityMinimum: 1, versionPriority: 1, caBundle: "AAAA" },
      },
      ['spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle'],
    ],
  ])("%s", async (_what, path, body, errors) => {
    const { status, json } = await post(`${path}?dryRun=All`, body);
    expect([status, causes(json)]).toEqual([422, errors.map((text) => expect.stringContaining(text.slice(0, 90)))]);
  });

  it.each([
    ["b".repeat(64), "IfNotPresent"],
    ["b".repeat(63), "Always"],
    ["a".repeat(238), "IfNotPresent"],
    ["a".repeat(237), "Always"],
  ])("pulls the image %s %s", async (image, policy) => {
    const body = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image }] } };
    const { json } = await post(`${CORE}/pods?dryRun=All`, body);
    expect(json.spec.containers[0].imagePullPolicy).toBe(policy);
  });
});

describe("a new object that names managers", () => {
  const entry = (apiVersion: string) => ({
    manager: "somebody",
    operation: "Update",
    apiVersion,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": { "f:handler": {} } },
  });
  it.each(["v1", "node.k8s.io/v9"])("of version %s, which its kind does not have, has them not", async (apiVersion) => {
    const body = { metadata: { name: "m", managedFields: [entry(apiVersion)] }, handler: "h" };
    const { status, json } = await post("/apis/node.k8s.io/v1/runtimeclasses?dryRun=All", body);
    expect(status).toBe(201);
    expect(json.metadata.managedFields.map(({ manager }: LooseJson) => manager)).not.toContain("somebody");
  });
});

describe("addresses of a slice", () => {
  it.each([
    [
      ["::1"],
      [
        'endpoints[0].addresses: Invalid value: "::1": must be an IPv4 address',
        'endpoints[0].addresses[0]: Invalid value: "::1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      ],
    ],
  ])("%j", async (addresses, errors) => {
    const body = { metadata: { name: "a" }, addressType: "IPv4", endpoints: [{ addresses }] };
    const path = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?dryRun=All";
    expect(causes((await post(path, body)).json)).toEqual(errors);
  });
});

describe("a write of a Scale", () => {
  it.each([
    [{}, "the name of the object (scaled based on URL) was undeterminable: name must be provided"],
    [
      { metadata: { name: "other" }, spec: { replicas: 1 } },
      "the name of the object (other) does not match the name on the URL (scaled)",
    ],
  ])("%j says whose it is", async (body, message) => {
    const selector = { matchLabels: { a: "b" } };
    const template = { metadata: { labels: { a: "b" } }, spec: CONTAINERS };
    await post(`${APPS}/deployments`, { metadata: { name: "scaled" }, spec: { selector, template } });
    const { status, json } = await put(`${APPS}/deployments/scaled/scale`, body);
    expect([status, json.message]).toEqual([400, message]);
  });
});

describe("deleting an event", () => {
  it.each(["Foreground", "Orphan", "Background"])("with %s does not wait: it has no dependents", async (policy) => {
    const name = `e-${policy.toLowerCase()}`;
    const involvedObject = { namespace: "default", name: "x" };
    expect((await post(`${CORE}/events`, { metadata: { name }, involvedObject })).status).toBe(201);
    const answer = await server.call("DELETE", `${CORE}/events/${name}?propagationPolicy=${policy}`);
    expect([answer.json.kind, answer.json.status]).toEqual(["Status", "Success"]);
    expect((await server.call("GET", `${CORE}/events/${name}`)).status).toBe(404);
  });
});

describe("an update", () => {
  it("of a Service that prefers two families and names none keeps the one it has", async () => {
    const service = {
      metadata: { name: "prefers" },
      spec: { ports: [{ port: 1 }], ipFamilyPolicy: "PreferDualStack" },
    };
    expect((await post(`${CORE}/services`, service)).status).toBe(201);
    const { status, json } = await put(`${CORE}/services/prefers`, service);
    expect([status, json.spec.ipFamilies]).toEqual([200, ["IPv4"]]);
  });

  it("of a slice without endpoints by the same is no change", async () => {
    const path = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
    const slice = { metadata: { name: "empty" }, addressType: "IPv4" };
    await post(path, { ...slice, endpoints: [] });
    const { json } = await put(`${path}/empty`, { ...slice, endpoints: null });
    expect(json.metadata.generation).toBe(1);
  });

  it("of a RuntimeClass is judged as a whole", async () => {
    const path = "/apis/node.k8s.io/v1/runtimeclasses";
    const created = await post(path, { metadata: { name: "r" }, handler: "h" });
    const { json } = await put(`${path}/r`, { ...created.json, handler: "" });
    expect(causes(json)).toEqual([
      expect.stringContaining('handler: Invalid value: "": a lowercase RFC 1123 label must consist of'),
      'handler: Invalid value: "": field is immutable',
    ]);
  });

  it("of the status of a policy needs whole conditions", async () => {
    const path = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
    const rules = [{ apiGroups: ["g.test"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["things"] }];
    const spec = { matchConstraints: { resourceRules: rules }, validations: [{ expression: "true" }] };
    await post(path, { metadata: { name: "p" }, spec });
    const patch = { status: { conditions: [{ type: "Extra", status: "True" }] } };
    const { status, json } = await server.call("PATCH", `${path}/p/status`, patch);
    expect([status, causes(json)]).toEqual([
      422,
      ["status.conditions[0].lastTransitionTime: Required value", "status.conditions[0].reason: Required value"],
    ]);
  });
});

describe("a message that shows a whole struct", () => {
  it("spells its members as upstream's working form does", async () => {
    const path = "/api/v1/persistentvolumes";
    const spec = { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } };
    const created = await post(path, { metadata: { name: "v" }, spec: { ...spec, hostPath: { path: "/a" } } });
    const rbd = { image: "x", monitors: ["m"] };
    const { json } = await put(`${path}/v`, { ...created.json, spec: { ...created.json.spec, rbd } });
    expect(json.message).toContain(
      ' "Glusterfs": null,\n  "NFS": null,\n- "RBD": null,\n+ "RBD": {\n+  "CephMonitors": [',
    );
    expect(json.message).toContain('+ },\n  "Quobyte": null,\n  "ISCSI": null,\n  "FlexVolume": null,\n');
  });
});

describe("a ServiceCIDR", () => {
  it("takes a status with the object itself", async () => {
    const status = {
      conditions: [
        { type: "Ready", status: "False", reason: "R", message: "m", lastTransitionTime: "2025-03-04T05:06:07Z" },
      ],
    };
    const path = "/apis/networking.k8s.io/v1/servicecidrs?dryRun=All";
    const { json } = await post(path, { metadata: { name: "c" }, spec: { cidrs: ["10.200.0.0/24"] }, status });
    expect(json.status).toEqual(status);
  });
});

describe("a name that becomes a host name", () => {
  it.each([
    ["a.b", "must not contain dots"],
    ["a".repeat(64), "must be no more than 63 characters"],
  ])("is warned about: %s", async (name, problem) => {
    const { warnings } = await post(`${CORE}/pods?dryRun=All`, { metadata: { name }, spec: CONTAINERS });
    expect(warnings.join()).toContain(
      `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${problem}]`,
    );
  });
});

describe("the labels that a job takes over from its pods", () => {
  const path = "/apis/batch/v1/namespaces/default/jobs?dryRun=All";
  it("are there", async () => {
    const { json } = await post(path, { metadata: { name: "j" }, spec: { template: JOB_POD } });
    expect(json.metadata.labels["job-name"]).toBe("j");
  });
  it("are not judged a second time", async () => {
    const { json } = await post(path, { metadata: { name: "j." }, spec: { template: JOB_POD } });
    expect(new Set(json.details.causes.map(({ field }: LooseJson) => field))).toEqual(
      new Set(["metadata.name", "spec.template.labels"]),
    );
  });
});

describe("a watch in a form that it does not have", () => {
  it("is told of the forms of a list, where a list could not be asked for so either", async () => {
    const accept = "application/json;as=APIGroup";
    const { status, json } = await server.call("GET", `${CORE}/configmaps?watch=1`, undefined, { accept });
    const words = "only the following media types are accepted: application/json, application/yaml, ";
    expect([status, json.message]).toEqual([406, expect.stringContaining(words)]);
  });
});

describe("paths that are no resources", () => {
  it.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])(
    "say the same to %s as to GET, where upstream does",
    async (method) => {
      for (const path of ["/", "/apis", "/apis/apps"]) {
        const [asked, got] = [await server.call(method, path), await server.call("GET", path)];
        expect([path, asked.status, asked.text]).toEqual([path, 200, got.text]);
      }
      for (const path of ["/api", "/api/v1", "/apis/apps/v1", "/version"])
        expect([path, (await server.call(method, path)).status]).toEqual([path, 405]);
    },
  );

  const ROUTED = "406: Not Acceptable\n\nAvailable representations: application/json";
  const MADE = "only the following media types are accepted: application/json, application/yaml, ";
  it.each([
    ["/apis", MADE],
    ["/apis/apps", MADE],
    ["/api", ROUTED],
    ["/apis/apps/v1", ROUTED],
    ["/version", ROUTED],
  ])("refuse forms that they do not have: %s", async (path, words) => {
    const answer = await server.call("GET", path, undefined, { accept: "image/png" });
    expect([answer.status, answer.json.message]).toEqual([406, expect.stringContaining(words)]);
  });

  it("have no dry run where they lead to somebody else", async () => {
    for (const part of ["exec", "attach", "portforward", "proxy"]) {
      const { status, json } = await post(`${CORE}/pods/none/${part}?dryRun=All`, undefined);
      expect([part, status, json.message]).toEqual([part, 400, "dryRun is not supported"]);
    }
  });
});

describe("YAML that is no object", () => {
  const yaml = { "content-type": "application/yaml" };
  const apply = { "content-type": "application/apply-patch+yaml" };
  it.each([
    ["just text", "string"],
    ["- a", "array"],
    ["5", "number"],
    ["true", "bool"],
  ])("is what it is: %s", async (text, word) => {
    const created = await server.call("POST", `${CORE}/configmaps`, text, yaml);
    expect(created.json.message).toContain(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${word}`,
    );
    const applied = await server.call("PATCH", `${CORE}/configmaps/a?fieldManager=m`, text, apply);
    expect(applied.json.message).toBe(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${word} into Go value of type map[string]interface {}`,
    );
  });
});
