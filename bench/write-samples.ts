// The writes that are measured: what clients send most, in the size in which they send it.

import type { LoadRequest } from "./load-client.ts";

export interface WriteSample {
  readonly name: string;
  /** The next write; those of one slot change one object, where objects are changed. */
  next(slot: number): LoadRequest;
  /** To be sent once for each slot, where the writes need an object that is there. */
  first?(slot: number): LoadRequest;
}

const JSON_TYPE = "application/json";
const APPLY_TYPE = "application/apply-patch+yaml";

/** In a namespace that exists. */
export function writeSamples(namespace: string): readonly WriteSample[] {
  const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const options = "fieldManager=bench&force=true";
  let serial = 0;
  return [
    sample("create ConfigMap", () => ["POST", configMaps, configMap(`c-${serial++}`, { payload: "x".repeat(1024) })]),
    sample("create Pod", () => ["POST", `/api/v1/namespaces/${namespace}/pods`, pod(serial++)]),
    {
      ...sample("update ConfigMap", (slot) => [
        "PUT",
        `${configMaps}/u-${slot}`,
        configMap(`u-${slot}`, { payload: "x".repeat(1024), turn: String(serial++) }),
      ]),
      first: (slot) => request("POST", configMaps, configMap(`u-${slot}`, {})),
    },
    sample("apply one field", (slot) => [
      "PATCH",
      `${configMaps}/a-${slot}?${options}`,
      manyKeys(`a-${slot}`, serial++),
    ]),
    sample("apply an image", (slot) => ["PATCH", `${deployments}/d-${slot}?${options}`, deployment(slot, serial++)]),
  ];
}

function sample(
  name: string,
  write: (slot: number) => readonly [method: string, path: string, body: unknown],
): WriteSample {
  return { name, next: (slot) => request(...write(slot)) };
}

function request(method: string, path: string, body: unknown): LoadRequest {
  return { method, path, body: JSON.stringify(body), contentType: method === "PATCH" ? APPLY_TYPE : JSON_TYPE };
}

function configMap(name: string, data: Readonly<Record<string, string>>): unknown {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels: { "example.com/name": "bench" } }, data };
}

/** With the number of fields of a small Deployment. */
function manyKeys(name: string, turn: number): unknown {
  const data = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`key-${index}`, `value ${index} ${"y".repeat(40)}`]),
  );
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name,
      labels: { app: "bench", tier: "web", track: "stable", "example.com/name": "bench" },
      annotations: { a: "1", b: "2", c: "3", "example.com/note": "y" },
    },
    data: { ...data, "key-7": `revision ${turn}` },
  };
}

function pod(index: number): unknown {
  const app = `app-${index % 100}`;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `pod-${index}`,
      labels: { app, tier: "web", "example.com/name": app, index: String(index) },
      annotations: { "example.com/note": "n".repeat(120) },
    },
    spec: {
      containers: [
        {
          name: "web",
          image: `registry.example/web:${index % 10}`,
          ports: [{ containerPort: 8080, name: "http" }],
          env: [
            { name: "A", value: "one" },
            { name: "B", value: "two" },
          ],
          resources: { requests: { cpu: "100m", memory: "64Mi" } },
        },
      ],
      terminationGracePeriodSeconds: 30,
    },
  };
}

function deployment(slot: number, turn: number): unknown {
  const app = `d-${slot}`;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: app, labels: { app } },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app } },
      template: {
        metadata: { labels: { app } },
        spec: {
          containers: [
            {
              name: "web",
              image: `registry.example/web:${turn}`,
              ports: [{ containerPort: 80, name: "http" }],
              env: [
                { name: "A", value: "1" },
                { name: "B", value: "2" },
              ],
              resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "1", memory: "256Mi" } },
            },
          ],
        },
      },
    },
  };
}
