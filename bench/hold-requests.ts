// Requests that are as large, wide or odd as may be, for the benchmark of what holds the event loop, and the objects that
// they need.

import type { LoadRequest } from "./load-client.ts";
import { samplePod } from "./sample-pod.ts";
import { CONFIG_MAPS } from "./server-process.ts";

/** Nearly as many keys as one map may have. */
const KEYS = 60_000;

const APPLY = "application/apply-patch+yaml";
const MERGE = "application/merge-patch+json";
const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/** Of the first three of wide objects that are many. */
const FEW = { few: "yes" };
export const SECRETS = "/api/v1/namespaces/default/secrets";
export const WIDES = "/apis/bench.example.com/v1/namespaces/default/wides";

/** One request, answered with success unless it says otherwise. */
export interface Ask {
  readonly row: string;
  readonly accept?: string;
  readonly status?: number;
  readonly request: (turn: string) => LoadRequest;
}

const keysOf = (count: number, value: (index: number) => unknown, key = "key-") =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${key}${index}`, value(index)]));
export const listOf = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));
export const post = (path: string, body: object): LoadRequest => ({ method: "POST", path, body: JSON.stringify(body) });
export const patch = (path: string, body: object, contentType = MERGE): LoadRequest => ({
  method: "PATCH",
  path,
  body: JSON.stringify(body),
  contentType,
});
export const get = (path: string): LoadRequest => ({ method: "GET", path });

const configMap = (name: string, data: unknown) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
export const wideMap = (name: string, key = "key-") =>
  configMap(
    name,
    keysOf(KEYS, () => "v", key),
  );
const mapOf = (keys: number) => keysOf(keys, () => "v");
const custom = (name: string, spec: unknown, labels = {}) => ({
  apiVersion: "bench.example.com/v1",
  kind: "Wide",
  metadata: { name, labels },
  spec,
});
const mapSpec = { map: mapOf(KEYS) };
const named = (count: number) => ({ list: listOf(count, (index) => ({ name: `n${index}` })) });
const listSpec = named(40_000);
const definition = (plural: string, kind: string, versions: readonly string[], schema: object) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.bench.example.com` },
  spec: {
    group: "bench.example.com",
    scope: "Namespaced",
    names: { plural, kind },
    versions: versions.map((name, index) => ({
      name,
      served: true,
      storage: index === 0,
      schema: { openAPIV3Schema: { type: "object", properties: { spec: schema } } },
    })),
  },
});
const strings = { type: "object", additionalProperties: { type: "string" } };
const wides = definition("wides", "Wide", ["v1"], {
  type: "object",
  properties: {
    map: strings,
    list: {
      type: "array",
      items: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    },
    ruled: {
      type: "array",
      maxItems: KEYS,
      items: { type: "string", maxLength: 4 },
      "x-kubernetes-validations": [{ rule: "self.all(x, x.matches('^[a-z]+$'))" }],
    },
  },
});
const pod = (name: string, containers: number) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: listOf(containers, (index) => ({ name: `c${index}`, image: "i" })) },
});
const yamlFlow = (name: string) =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {${listOf(3_000, (index) => `k${index}: v`).join(", ")}}}`;

const yamlAliases = (name: string) => `apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  containers:
  - name: c0
    image: i
    env: &env [${listOf(200, (index) => `{name: E${index}, value: v}`).join(", ")}]
${listOf(89, (index) => `  - {name: c${index + 1}, image: i, env: *env}`).join("\n")}
`;

/** Stored before, so that requests can read and change it; what comes later needs the definitions among it. */
export const STORED: readonly LoadRequest[] = [
  { method: "POST", path: CRDS, body: JSON.stringify(wides) },
  post(CONFIG_MAPS, wideMap("wide")),
  post(CONFIG_MAPS, configMap("middling", mapOf(3_000))),
  post(CONFIG_MAPS, configMap("escaped", { text: "<".repeat(1_000_000) })),
  ...listOf(20, (index) => post(CONFIG_MAPS, configMap(`large-${index}`, { text: "x".repeat(1_000_000) }))),
  ...listOf(30, (index) =>
    post(SECRETS, {
      metadata: { name: `wide-${index}`, labels: index < 3 ? FEW : {} },
      data: keysOf(KEYS, () => "dg=="),
    }),
  ),
];
export const LATER: readonly LoadRequest[] = [
  post(WIDES, custom("map", mapSpec)),
  post(WIDES, custom("list", listSpec)),
  post(WIDES, custom("middling", named(3_000))),
  ...listOf(3, (index) => post(WIDES, custom(`list-${index}`, listSpec, FEW))),
  ...listOf(10_000, (index) =>
    post("/api/v1/namespaces/default/pods", { ...samplePod, metadata: { name: `pod-${index}` } }),
  ),
];

export const ASKS: readonly Ask[] = [
  { row: "one map of 60,000 keys, create", request: (turn) => post(CONFIG_MAPS, wideMap(`new-${turn}`)) },
  { row: "the same, merge patch", request: (turn) => patch(`${CONFIG_MAPS}/wide`, { data: { "key-7": turn } }) },
  {
    row: "the same, first apply",
    status: 201,
    request: (turn) => patch(`${CONFIG_MAPS}/applied-${turn}?fieldManager=m`, wideMap(`applied-${turn}`), APPLY),
  },
  { row: "the same, get", request: () => get(`${CONFIG_MAPS}/wide`) },
  {
    row: "the same, get as protobuf",
    accept: "application/vnd.kubernetes.protobuf",
    request: () => get(`${CONFIG_MAPS}/wide`),
  },
  { row: "the same, get as YAML", accept: "application/yaml", request: () => get(`${CONFIG_MAPS}/wide`) },
  { row: "custom map of 60,000 keys, create", request: (turn) => post(WIDES, custom(`new-${turn}`, mapSpec)) },
  { row: "the same, merge patch", request: (turn) => patch(`${WIDES}/map`, { spec: { map: { "key-7": turn } } }) },
  { row: "custom map list of 40,000, create", request: (turn) => post(WIDES, custom(`new-${turn}`, listSpec)) },
  {
    row: "the same, apply over another's",
    request: (turn) => patch(`${WIDES}/list?fieldManager=${turn}&force=true`, custom("list", listSpec), APPLY),
  },
  {
    row: "rule that matches 60,000 texts, create",
    request: (turn) => post(WIDES, custom(`new-${turn}`, { ruled: listOf(KEYS, () => "v") })),
  },
  {
    row: "definition of 60,000 properties, create",
    request: (turn) => {
      const properties = keysOf(KEYS, () => ({ type: "string" }));
      return post(CRDS, definition(`p${turn}s`, `P${turn}`, ["v1"], { type: "object", properties }));
    },
  },
  {
    row: "definition of 1,500 versions, create",
    request: (turn) => {
      const versions = listOf(1_500, (index) => `v${index + 1}`);
      return post(CRDS, definition(`v${turn}s`, `V${turn}`, versions, { type: "object" }));
    },
  },
  {
    row: "definition with a default of 60,000 keys, create",
    request: (turn) =>
      post(CRDS, definition(`d${turn}s`, `D${turn}`, ["v1"], { ...strings, default: keysOf(KEYS, () => "v") })),
  },
  {
    row: "role of 15,000 rules, create",
    request: (turn) => {
      const rules = listOf(15_000, (index) => ({ apiGroups: [""], resources: [`r${index}`], verbs: ["get"] }));
      const metadata = { name: `role-${turn}` };
      return post("/apis/rbac.authorization.k8s.io/v1/clusterroles", { metadata, rules });
    },
  },
  {
    row: "Endpoints of 30,000 addresses, create",
    request: (turn) => {
      const addresses = listOf(30_000, (index) => ({ ip: `10.${index >> 14}.${(index >> 7) & 127}.${index & 127}` }));
      const metadata = { name: `endpoints-${turn}` };
      return post("/api/v1/namespaces/default/endpoints", {
        metadata,
        subsets: [{ addresses, ports: [{ port: 80 }] }],
      });
    },
  },
  {
    row: "pod of 4,000 containers, create",
    request: (turn) => post("/api/v1/namespaces/default/pods", pod(`wide-${turn}`, 4_000)),
  },
  {
    row: "60,000 finalizers, create",
    request: (turn) => {
      const finalizers = listOf(KEYS, (index) => `example.com/f${index}`);
      return post(CONFIG_MAPS, { ...configMap(`final-${turn}`, {}), metadata: { name: `final-${turn}`, finalizers } });
    },
  },
  {
    row: "a megabyte stored as six of escapes, merge patch",
    request: (turn) => patch(`${CONFIG_MAPS}/escaped`, { metadata: { labels: { turn } } }),
  },
  {
    row: "20 objects of a megabyte, list as protobuf",
    accept: "application/vnd.kubernetes.protobuf",
    request: () => get(CONFIG_MAPS),
  },
  {
    row: "YAML of 32 KB in a flow mapping, create",
    request: (turn) => ({
      method: "POST",
      path: CONFIG_MAPS,
      body: yamlFlow(`yaml-${turn}`),
      contentType: "application/yaml",
    }),
  },
  {
    row: "YAML whose aliases stand for 18,000 variables, create",
    request: (turn) => ({
      method: "POST",
      path: "/api/v1/namespaces/default/pods",
      body: yamlAliases(`alias-${turn}`),
      contentType: "application/yaml",
    }),
  },
  {
    row: "9,000 containers in 27 KB, refused",
    status: 422,
    request: (turn) =>
      post("/api/v1/namespaces/default/pods", {
        metadata: { name: `dense-${turn}` },
        spec: { containers: listOf(9_000, () => ({})) },
      }),
  },
  {
    row: "a number of three million digits, refused",
    status: 400,
    request: () => ({ method: "POST", path: CONFIG_MAPS, body: `{"data":${"1".repeat(3_000_000)}}` }),
  },
  {
    row: "three million bytes that are no text, refused",
    status: 400,
    request: () => ({ method: "POST", path: CONFIG_MAPS, body: `{"data":"${"\\ud800".repeat(500_000)}` }),
  },
  // What is not large is soon done at once, and that must be short, too.
  {
    row: "map of 1,500 keys, first apply",
    status: 201,
    request: (turn) =>
      patch(`${CONFIG_MAPS}/few-${turn}?fieldManager=m`, configMap(`few-${turn}`, mapOf(1_500)), APPLY),
  },
  {
    row: "map of 3,000 keys, get as protobuf",
    accept: "application/vnd.kubernetes.protobuf",
    request: () => get(`${CONFIG_MAPS}/middling`),
  },
  { row: "map of 16,000 keys, create", request: (turn) => post(CONFIG_MAPS, configMap(`many-${turn}`, mapOf(16_000))) },
  {
    row: "custom map list of 3,000, apply over another's",
    request: (turn) =>
      patch(`${WIDES}/middling?fieldManager=${turn}&force=true`, custom("middling", named(3_000)), APPLY),
  },
  {
    row: "pod of 150 containers, create",
    request: (turn) => post("/api/v1/namespaces/default/pods", pod(`middling-${turn}`, 150)),
  },
  {
    row: "selector of 4,096 values, list",
    request: () => get(`${CONFIG_MAPS}?labelSelector=app+in+(${listOf(4_096, (index) => `v${index}`).join(",")})`),
  },
  { row: "10,000 pods, list", request: () => get("/api/v1/pods") },
  {
    row: "10,000 pods, list as protobuf",
    accept: "application/vnd.kubernetes.protobuf",
    request: () => get("/api/v1/pods"),
  },
  {
    row: "10,000 pods, list as Table",
    accept: "application/json;as=Table;v=v1;g=meta.k8s.io",
    request: () => get("/api/v1/pods"),
  },
];
