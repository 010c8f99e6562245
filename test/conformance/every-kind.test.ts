// Every kind that is stored: created, read, listed, watched, updated and deleted, in every encoding it is served in.
// Specification: document 1, "Operations by HTTP request", "Media types".

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { beforeAll, it } from "vitest";
import { decodeProtobuf, encodeProtobuf } from "../../src/codec/protobuf.ts";
import { decodeYaml, encodeYaml } from "../../src/codec/yaml.ts";
import { callInProcess } from "../../src/http/in-process.ts";
import { ALL_KINDS } from "../../src/kinds/all-kinds.ts";
import type { Kind } from "../../src/kinds/define-kind.ts";
import { certificateRequestPem } from "./certificate-request.testing.ts";
import { type Api, api, type Body, inBothDialects, OpenWatch } from "./conformance.testing.ts";

const STORED = ALL_KINDS.filter((kind) => kind.resource !== "" && !kind.virtual && kind.verbs.includes("create"));

const labels = { app: "a" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
const workload = { selector: { matchLabels: labels }, template };
const jobTemplate = { template: { spec: { ...template.spec, restartPolicy: "Never" } } };

/** What each kind needs beyond its name. `api` knows the names of the dialect. */
const MINIMAL: Readonly<Record<string, (api: Api) => object>> = {
  APIService: () => ({
    spec: {
      group: "g.example.com",
      version: "v1",
      groupPriorityMinimum: 1,
      versionPriority: 1,
      service: { name: "s", namespace: "n" },
      insecureSkipTLSVerify: true,
    },
  }),
  CSIDriver: () => ({ spec: {} }),
  CSINode: () => ({ spec: { drivers: [] } }),
  CSIStorageCapacity: () => ({ storageClassName: "fast" }),
  CertificateSigningRequest: () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const request = Buffer.from(certificateRequestPem("alice", publicKey, privateKey)).toString("base64");
    return { spec: { request, signerName: "example.com/signer", usages: ["client auth"] } };
  },
  ClusterRoleBinding: ({ names }) => ({
    roleRef: { apiGroup: names.group("rbac.authorization"), kind: "ClusterRole", name: "view" },
  }),
  ControllerRevision: () => ({ revision: 1, data: { a: 1 } }),
  CronJob: () => ({ spec: { schedule: "* * * * *", jobTemplate: { spec: jobTemplate } } }),
  CustomResourceDefinition: () => ({
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  }),
  DaemonSet: () => ({ spec: workload }),
  Deployment: () => ({ spec: workload }),
  DeviceClass: () => ({ spec: {} }),
  EndpointSlice: () => ({ addressType: "IPv4", endpoints: [] }),
  Event: () => ({}),
  FlowSchema: () => ({ spec: { priorityLevelConfiguration: { name: "exempt" } } }),
  HorizontalPodAutoscaler: () => ({
    spec: { maxReplicas: 1, scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" } },
  }),
  IPAddress: () => ({ spec: { parentRef: { resource: "services", name: "s", namespace: "n" } } }),
  Ingress: () => ({ spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } } }),
  IngressClass: () => ({ spec: { controller: "example.com/c" } }),
  Job: () => ({ spec: jobTemplate }),
  Lease: () => ({ spec: {} }),
  NetworkPolicy: () => ({ spec: { podSelector: {} } }),
  PersistentVolume: () => ({
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/tmp" } },
  }),
  PersistentVolumeClaim: () => ({
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  }),
  Pod: () => ({ spec: template.spec }),
  PodDisruptionBudget: () => ({ spec: { selector: { matchLabels: labels } } }),
  PodTemplate: () => ({ template }),
  PriorityClass: () => ({ value: 1 }),
  PriorityLevelConfiguration: () => ({ spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } } }),
  ReplicaSet: () => ({ spec: workload }),
  ReplicationController: () => ({ spec: { selector: labels, template } }),
  ResourceClaim: () => ({ spec: {} }),
  ResourceClaimTemplate: () => ({ spec: { spec: {} } }),
  ResourceSlice: () => ({
    spec: { driver: "d.example.com", nodeName: "n", pool: { name: "p", generation: 1, resourceSliceCount: 1 } },
  }),
  RoleBinding: ({ names }) => ({
    roleRef: { apiGroup: names.group("rbac.authorization"), kind: "ClusterRole", name: "view" },
  }),
  RuntimeClass: () => ({ handler: "h" }),
  Service: () => ({ spec: { ports: [{ port: 80 }] } }),
  ServiceCIDR: () => ({ spec: { cidrs: ["192.0.2.0/24"] } }),
  StatefulSet: () => ({ spec: { ...workload, serviceName: "s" } }),
  StorageClass: () => ({ provisioner: "example.com/p" }),
  ValidatingAdmissionPolicy: () => ({
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["none"] }],
      },
      validations: [{ expression: "true" }],
    },
  }),
  ValidatingAdmissionPolicyBinding: () => ({ spec: { policyName: "p", validationActions: ["Deny"] } }),
  VolumeAttachment: () => ({
    spec: { attacher: "a.example.com", nodeName: "n", source: { persistentVolumeName: "pv" } },
  }),
  VolumeAttributesClass: () => ({ driverName: "d.example.com", parameters: { a: "b" } }),
};

/** Names that must have a form of their own. */
const NAMES: Readonly<Record<string, string>> = {
  APIService: "v1.g.example.com",
  CustomResourceDefinition: "things.example.com",
  IPAddress: "192.0.2.7",
  CSIDriver: "d.example.com",
};

/** The server writes their status as soon as they are created. */
const STATUS_BY_SERVER = new Set(["CustomResourceDefinition"]);

type Encoding = "json" | "yaml" | "protobuf";

inBothDialects("every kind", (dialect) => {
  let server: Api;
  beforeAll(async () => {
    server = await api(dialect);
    await server.post("/api/v1/namespaces", { metadata: { name: "kinds" } });
    await server.post("/api/v1/namespaces/kinds/serviceaccounts", { metadata: { name: "default" } });
  });

  const cases = STORED.flatMap((kind) =>
    encodingsOf(kind).map((encoding) => [kind.kind, kind.version, encoding, kind] as const),
  );
  it.each(cases)("%s %s in %s", async (_word, _version, encoding, kind) => {
    await walkThrough(server, kind, encoding);
  });
});

function encodingsOf(kind: Kind): Encoding[] {
  return kind.protobuf ? ["json", "yaml", "protobuf"] : ["json", "yaml"];
}

async function walkThrough(server: Api, kind: Kind, encoding: Encoding): Promise<void> {
  const { names } = server;
  const group = names.group(kind.group);
  const apiVersion = group === "" ? kind.version : `${group}/${kind.version}`;
  const base = group === "" ? `/api/${kind.version}` : `/apis/${apiVersion}`;
  const collection =
    kind.scope === "Namespaced" ? `${base}/namespaces/kinds/${kind.resource}` : `${base}/${kind.resource}`;
  const name = NAMES[kind.kind] ?? `${kind.kind.toLowerCase()}-${kind.version}`;
  const object = {
    apiVersion,
    kind: kind.kind,
    metadata: { name },
    ...eventFields(kind),
    ...MINIMAL[kind.kind]?.(server),
  };

  const send = async (method: string, url: string, body?: Body) => {
    const mediaType = encoding === "protobuf" ? names.protobufMediaType : `application/${encoding}`;
    const answer = await callInProcess(server.server.handler, {
      method,
      url,
      headers: { accept: mediaType, "content-type": mediaType, "user-agent": "conformance/1" },
      ...(body === undefined ? {} : { body: encode(kind, encoding, body) }),
    });
    return { status: answer.status, bytes: answer.body };
  };
  const read = (bytes: Uint8Array): Body => decode(kind, encoding, bytes);

  const created = await send("POST", collection, object);
  assert.equal(created.status, 201, Buffer.from(created.bytes).toString());
  const got = await send("GET", `${collection}/${name}`);
  if (!STATUS_BY_SERVER.has(kind.kind)) assert.deepEqual(read(got.bytes), read(created.bytes));

  // Whatever the encoding, it is the same object.
  const plain = (await server.get(`${collection}/${name}`)).json;
  assert.deepEqual(read(encode(kind, encoding, plain)), read(got.bytes));

  const listed = (await server.get(`${collection}?fieldSelector=metadata.name%3D${name}`)).json;
  assert.equal(listed.items.length, 1);
  const watch = await OpenWatch.open(
    server,
    `${collection}?watch=1&resourceVersion=${plain.metadata.resourceVersion}&fieldSelector=metadata.name%3D${name}`,
    {},
  );

  // Sent back unchanged, it stays what it is; with a label it becomes a new version.
  const same = await send("PUT", `${collection}/${name}`, read(got.bytes));
  assert.equal(same.status, 200, Buffer.from(same.bytes).toString());
  assert.equal(
    (await server.get(`${collection}/${name}`)).json.metadata.resourceVersion,
    plain.metadata.resourceVersion,
  );
  const labelled = { ...plain, metadata: { ...plain.metadata, labels: { ...plain.metadata.labels, x: "y" } } };
  const updated = await send("PUT", `${collection}/${name}`, labelled);
  assert.equal(updated.status, 200, Buffer.from(updated.bytes).toString());

  const [event] = await watch.take(1);
  assert.equal(event?.type, "MODIFIED");
  assert.equal(event?.object.metadata.labels.x, "y");
  await watch.close();

  const current = (await server.get(`${collection}/${name}`)).json;
  const { finalizers, ...metadata } = current.metadata;
  if (finalizers !== undefined) await server.put(`${collection}/${name}`, { ...current, metadata });
  const deleted = await server.delete(`${collection}/${name}?gracePeriodSeconds=0&propagationPolicy=Background`);
  assert.equal(deleted.status, 200, deleted.text);
  for (let attempt = 0; (await server.get(`${collection}/${name}`)).status !== 404; attempt += 1) {
    assert.ok(attempt < 200, `${kind.kind} is still there: ${(await server.get(`${collection}/${name}`)).text}`);
    await new Promise((resolve) => setImmediate(resolve));
    // What ends later ends through its own finalizers: the server's for definitions and namespaces.
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Events name what they are about, in the words of their group. */
function eventFields(kind: Kind): object {
  if (kind.kind !== "Event") return {};
  if (kind.group === "") return { involvedObject: { namespace: "kinds" } };
  return {
    eventTime: "2030-01-01T00:00:00.000000Z",
    action: "a",
    reason: "r",
    type: "Normal",
    reportingController: "example.com/c",
    reportingInstance: "i",
    regarding: { namespace: "kinds" },
  };
}

function encode(kind: Kind, encoding: Encoding, object: Body): Uint8Array {
  if (encoding === "protobuf") return encodeProtobuf(object, kind.schema);
  return encoding === "yaml" ? encodeYaml(object) : Buffer.from(JSON.stringify(object));
}

function decode(kind: Kind, encoding: Encoding, bytes: Uint8Array): Body {
  if (encoding === "protobuf") return decodeProtobuf(bytes, kind.schema);
  return encoding === "yaml" ? decodeYaml(bytes).value : JSON.parse(Buffer.from(bytes).toString());
}
