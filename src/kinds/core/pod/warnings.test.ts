// What a server says about pods that it takes.

import { describe, expect, it } from "vitest";
import type { Draft } from "../../define-kind.ts";
import { createWarnings, updateWarnings } from "../../validation.testing.ts";
import { pod } from "../pod.ts";
import { podTemplate } from "../pod-template.ts";
import type { Pod } from "./schema.ts";

type Spec = NonNullable<Draft<Pod>["spec"]>;

const warnings = (spec: Partial<Spec>, annotations = {}) =>
  createWarnings(pod, {
    metadata: { name: "p", annotations },
    spec: { containers: [{ name: "main", image: "i" }], ...spec },
  });

describe("warnings about a pod", () => {
  it("are none about a plain one", () => {
    expect(warnings({})).toEqual([]);
  });

  const rows: [string, Partial<Spec>, string[]][] = [
    [
      "labels that go away",
      { nodeSelector: { "beta.kubernetes.io/os": "linux" } },
      ['spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead'],
    ],
    [
      "a constraint that matches nothing",
      { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule" }] },
      ["spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod"],
    ],
    [
      "volumes of old",
      {
        volumes: [
          { name: "g", gitRepo: { repository: "r" } },
          { name: "s", storageos: { volumeName: "v" } },
        ],
      },
      [
        "spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+",
        "spec.volumes[1].storageOS: deprecated in v1.22, non-functional in v1.25+",
      ],
    ],
    [
      "files over files",
      {
        volumes: [
          {
            name: "c",
            configMap: {
              name: "m",
              items: [
                { key: "a", path: "x" },
                { key: "b", path: "x/y" },
              ],
            },
          },
        ],
      },
      ['volume "c" (ConfigMap "m"): overlapping paths: "x/y" with "x"'],
    ],
    [
      "a hidden variable",
      {
        containers: [
          {
            name: "main",
            image: "i",
            env: [
              { name: "A", value: "1" },
              { name: "A", value: "2" },
            ],
          },
        ],
      },
      ['spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply'],
    ],
    [
      "a port said twice",
      { containers: [{ name: "main", image: "i", ports: [{ containerPort: 80 }, { containerPort: 80 }] }] },
      ["spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]"],
    ],
    [
      "parts of a byte",
      { containers: [{ name: "main", image: "i", resources: { requests: { memory: "1m" } } }] },
      ['spec.containers[0].resources.requests[memory]: fractional byte value "1m" is invalid, must be an integer'],
    ],
    [
      "secrets without a name",
      { imagePullSecrets: [{ name: "a" }, { name: "a" }, {}] },
      ['spec.imagePullSecrets[1].name: duplicate name "a"', 'spec.imagePullSecrets[2].name: invalid empty name ""'],
    ],
  ];
  it.each(rows)("name %s", (_name, spec, expected) => {
    expect(warnings(spec)).toEqual(expected);
  });

  it("are no more about secrets than an answer could show", () => {
    const imagePullSecrets = Array.from({ length: 5_000 }, (_, index) => (index === 1 ? { name: "a" } : {}));
    const about = warnings({ imagePullSecrets });
    expect([about.length, about[0]]).toEqual([4_096, 'spec.imagePullSecrets[2].name: duplicate name ""']);
  });

  it("let a variable add to itself", () => {
    expect(
      warnings({
        containers: [
          {
            name: "main",
            image: "i",
            env: [
              { name: "P", value: "a" },
              { name: "P", value: "$(P):b" },
            ],
          },
        ],
      }),
    ).toEqual([]);
  });

  it("name annotations that do nothing, at the place of a template too", () => {
    const key = "seccomp.security.alpha.kubernetes.io/pod";
    const detail = 'non-functional in v1.27+; use the "seccompProfile" field instead';
    expect(warnings({}, { [key]: "runtime/default" })).toEqual([`metadata.annotations[${key}]: ${detail}`]);
    const template = {
      metadata: { annotations: { [key]: "x" } },
      spec: { containers: [{ name: "main", image: "i" }] },
    };
    expect(createWarnings(podTemplate, { metadata: { name: "t" }, template })).toEqual([
      `template.metadata.annotations[${key}]: ${detail}`,
    ]);
  });

  it("are not repeated to who changes something else", () => {
    const spec = { containers: [{ name: "main", image: "i" }], nodeSelector: { "beta.kubernetes.io/os": "linux" } };
    expect(updateWarnings(pod, { metadata: { name: "p" }, spec }, { metadata: { name: "p" }, spec })).toEqual([]);
    const template = (generation: number) => ({ metadata: { name: "t", generation }, template: { spec } });
    expect(updateWarnings(podTemplate, template(1), template(1))).toEqual([]);
    expect(updateWarnings(podTemplate, template(2), template(1))).toHaveLength(1);
  });
});
