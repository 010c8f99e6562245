import { describe, expect, it } from "vitest";
import type { Container } from "../../kinds/core/pod/container.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { type EnvironmentFacts, environmentOf, environmentSources } from "./environment.ts";
import { FactError } from "./pod-facts.ts";

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
const FILES = new Map([
  ["v/good", `A=a\nEMPTY=\n${"K".repeat(128)}=k\nMOST=${"x".repeat(32 * 1024)}\nMORE=${"x".repeat(32 * 1024 + 1)}\n`],
  ["v/bad", "A\n"],
]);
const FACTS: EnvironmentFacts = {
  pod: { metadata: { name: "p", namespace: "n", labels: {} }, spec: { containers: [] }, status: {} } as unknown as Pod,
  addresses: { hostIPs: ["192.0.2.1"], podIPs: ["10.0.0.1"] },
  allocatable: { cpu: "4" },
  services: new Map([["DB_SERVICE_HOST", "10.0.0.9"]]),
  keysOf: (kind, name) => OBJECTS.get(`${kind}/${name}`),
  textOfFile: ({ volumeName, path }) => {
    const text = FILES.get(`${volumeName}/${path}`);
    if (text === undefined) throw new FactError(`${path} is not there`);
    return text;
  },
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

  const fileKey = (key: string, path = "good", optional = false): Env => [
    { name: "V", valueFrom: { fileKeyRef: { volumeName: "v", path, key, optional } } },
  ];

  it.each<[string, Env, Record<string, string>]>([
    ["takes variables of files", fileKey("A"), { V: "a" }],
    ["takes them under their longest name", fileKey("K".repeat(128)), { V: "k" }],
    ["takes the largest of them", fileKey("MOST"), { V: "x".repeat(32 * 1024) }],
    ["leaves out those that a file may lack", fileKey("absent", "good", true), {}],
    ["leaves out those that a file may leave empty", fileKey("EMPTY", "good", true), {}],
  ])("%s", (_, env, expected) => {
    expect(environment({ env })).toEqual(expected);
  });

  it.each<[string, Env]>([
    ['environment variable key "absent" not found in file "good" of the volume "v"', fileKey("absent")],
    ['environment variable key "EMPTY" not found in file "good" of the volume "v"', fileKey("EMPTY")],
    ["exceeds maximum length of 128 characters", fileKey("K".repeat(129), "good", true)],
    ['environment variable value for key "MORE" exceeds maximum size of 32KB', fileKey("MORE", "good", true)],
    [
      `couldn't parse env file "bad" of the volume "v": line 1 is not of the form NAME=value`,
      fileKey("A", "bad", true),
    ],
    ["absent is not there", fileKey("A", "absent", true)],
  ])("fails with: %s", (message, env) => {
    expect(() => environment({ env })).toThrow(FactError);
    expect(() => environment({ env })).toThrow(message);
  });

  it("has nothing of files where values do not come from them", () => {
    const container = { name: "c", resources: {}, env: fileKey("A", "good", true) };
    const { textOfFile: _, ...facts } = FACTS;
    expect(() => environmentOf(container, facts)).toThrow("the source of the variable is not supported on this node");
  });

  it("names the objects that it is read from", () => {
    const sources = environmentSources({
      envFrom: [{ configMapRef: { name: "a" } }, { secretRef: { name: "b" } }],
      env: [
        { name: "x", valueFrom: { configMapKeyRef: { name: "c", key: "k" } } },
        { name: "y", valueFrom: { secretKeyRef: { name: "d", key: "k" } } },
        ...fileKey("A"),
      ],
    });
    expect(sources.files).toMatchObject([{ volumeName: "v", path: "good" }]);
    expect([[...sources.configMaps], [...sources.secrets]]).toEqual([
      ["a", "c"],
      ["b", "d"],
    ]);
  });
});
