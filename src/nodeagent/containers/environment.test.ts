import { describe, expect, it } from "vitest";
import type { Container } from "../../kinds/core/pod/container.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { type EnvironmentFacts, environmentOf, environmentSources } from "./environment.ts";

const OBJECTS = new Map([
  [
    "ConfigMap/settings",
    new Map([
      ["color", Buffer.from("blue")],
      ["size", Buffer.from("10")],
    ]),
  ],
  [
    "Secret/keys",
    new Map([
      ["token", Buffer.from("t0k")],
      ["color", Buffer.from("red")],
    ]),
  ],
]);
const FACTS: EnvironmentFacts = {
  pod: { metadata: { name: "p", namespace: "n", labels: {} }, spec: { containers: [] }, status: {} } as unknown as Pod,
  addresses: { hostIPs: ["192.0.2.1"], podIPs: ["10.0.0.1"] },
  allocatable: { cpu: "4" },
  services: new Map([["DB_SERVICE_HOST", "10.0.0.9"]]),
  keysOf: (kind, name) => OBJECTS.get(`${kind}/${name}`),
};
const environment = (container: Partial<Container>) => {
  const { DB_SERVICE_HOST, ...own } = Object.fromEntries(
    environmentOf({ name: "c", resources: {}, ...container }, FACTS),
  );
  expect(DB_SERVICE_HOST).toBeDefined();
  return own;
};
type Env = NonNullable<Container["env"]>;
type EnvFrom = NonNullable<Container["envFrom"]>;

describe("the environment of a container", () => {
  it.each<[string, { env?: Env; envFrom?: EnvFrom }, Record<string, string>]>([
    ["takes plain values", { env: [{ name: "A", value: "a" }, { name: "E" }] }, { A: "a", E: "" }],
    [
      "expands what is known by then",
      {
        env: [
          { name: "A", value: "$(B)" },
          { name: "B", value: "b" },
          { name: "C", value: "$(B)$(DB_SERVICE_HOST)" },
        ],
      },
      { A: "$(B)", B: "b", C: "b10.0.0.9" },
    ],
    [
      "takes all keys of sources, the later winning",
      {
        envFrom: [
          { configMapRef: { name: "settings" } },
          { prefix: "K_", secretRef: { name: "keys" } },
          { secretRef: { name: "keys" } },
        ],
      },
      { color: "red", size: "10", K_token: "t0k", K_color: "red", token: "t0k" },
    ],
    [
      "lets env win over envFrom, and refer to it",
      { envFrom: [{ configMapRef: { name: "settings" } }], env: [{ name: "color", value: "dark $(color)" }] },
      { color: "dark blue", size: "10" },
    ],
    [
      "takes single keys, fields and resources",
      {
        env: [
          { name: "S", valueFrom: { configMapKeyRef: { name: "settings", key: "size" } } },
          { name: "T", valueFrom: { secretKeyRef: { name: "keys", key: "token" } } },
          { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
          { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "0" } } },
        ],
      },
      { S: "10", T: "t0k", IP: "10.0.0.1", CPU: "4" },
    ],
    [
      "leaves out what is optional and missing",
      {
        envFrom: [{ configMapRef: { name: "absent", optional: true } }],
        env: [
          { name: "A", valueFrom: { configMapKeyRef: { name: "absent", key: "k", optional: true } } },
          { name: "B", valueFrom: { secretKeyRef: { name: "keys", key: "absent", optional: true } } },
        ],
      },
      {},
    ],
  ])("%s", (_, container, expected) => {
    expect(environment(container)).toEqual(expected);
  });

  it.each<[string, { env?: Env; envFrom?: EnvFrom }]>([
    ['configmap "absent" not found', { envFrom: [{ configMapRef: { name: "absent" } }] }],
    ['secret "absent" not found', { env: [{ name: "A", valueFrom: { secretKeyRef: { name: "absent", key: "k" } } }] }],
    [
      "couldn't find key k in Secret n/keys",
      { env: [{ name: "A", valueFrom: { secretKeyRef: { name: "keys", key: "k" } } }] },
    ],
  ])("fails with: %s", (message, container) => {
    expect(() => environment(container)).toThrow(message);
  });

  it("names the objects that it is read from", () => {
    const sources = environmentSources({
      envFrom: [{ configMapRef: { name: "a" } }, { secretRef: { name: "b" } }],
      env: [
        { name: "x", valueFrom: { configMapKeyRef: { name: "c", key: "k" } } },
        { name: "y", valueFrom: { secretKeyRef: { name: "d", key: "k" } } },
      ],
    });
    expect([[...sources.configMaps], [...sources.secrets]]).toEqual([
      ["a", "c"],
      ["b", "d"],
    ]);
  });
});
