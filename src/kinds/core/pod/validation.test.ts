// What pods must say: one row per rule, with what a server answers.

import { describe, expect, it } from "vitest";
import { counted } from "../../../base/steps.testing.ts";
import { completed, context } from "../../complete.testing.ts";
import type { Draft } from "../../define-kind.ts";
import { createErrors } from "../../validation.testing.ts";
import { pod } from "../pod.ts";
import type { Pod } from "./schema.ts";
import { validatePod } from "./validation.ts";

type Spec = NonNullable<Draft<Pod>["spec"]>;
type OneContainer = NonNullable<NonNullable<Spec["containers"]>[number]>;

const draft = (spec: Partial<Spec>, annotations = {}): Draft<Pod> => ({
  metadata: { name: "p", namespace: "n", annotations },
  spec: { containers: [{ name: "main", image: "i" }], ...spec },
});
const container = (part: Partial<OneContainer>): Partial<Spec> => ({
  containers: [{ name: "main", image: "i", ...part }],
});
const errors = (spec: Partial<Spec>, annotations = {}) => createErrors(pod, draft(spec, annotations));
/** Values that no schema of a client would let through. */
const odd = <T>(value: unknown): T => value as T;

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

describe("a pod on create", () => {
  it("of many containers is judged in steps", () => {
    const containers = Array.from({ length: 2_000 }, (_, index) => ({ name: `c${index}`, image: "i" }));
    const made = completed(pod, draft({ containers, initContainers: containers }));
    expect([...validatePod(made, context)].length).toBeGreaterThanOrEqual(16);
  });

  it("is good when it has a container with a name and an image", () => {
    expect(errors({})).toEqual([]);
  });

  const rows: [string, Partial<Spec>, string[]][] = [
    ["no containers", { containers: [] }, ["spec.containers: Required value"]],
    ["a container without image", odd({ containers: [{ name: "a" }] }), ["spec.containers[0].image: Required value"]],
    [
      "a bad container name",
      { containers: [{ name: "A", image: "i" }] },
      [`spec.containers[0].name: Invalid value: "A": ${LABEL}`],
    ],
    [
      "two containers of one name",
      {
        containers: [
          { name: "a", image: "i" },
          { name: "a", image: "i" },
        ],
      },
      ['spec.containers[1].name: Duplicate value: "a"'],
    ],
    [
      "spaces around an image",
      container({ image: " i" }),
      ['spec.containers[0].image: Invalid value: " i": must not have leading or trailing whitespace'],
    ],
    [
      "no port number",
      container({ ports: [{ containerPort: 0 }] }),
      ["spec.containers[0].ports[0].containerPort: Required value"],
    ],
    [
      "a variable name with =",
      container({ env: [{ name: "A=B" }] }),
      [
        "spec.containers[0].env[0].name: Invalid value: \"A=B\": a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')",
      ],
    ],
    [
      "a field that is no field",
      container({ env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.bogus" } } }] }),
      [
        'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "metadata.bogus": error converting fieldPath: field label not supported: metadata.bogus',
      ],
    ],
    [
      "a mount of a volume that is not there",
      container({ volumeMounts: [{ name: "x", mountPath: "/x" }] }),
      ['spec.containers[0].volumeMounts[0].name: Not found: "x"'],
    ],
    [
      "more requested than allowed",
      container({ resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }),
      ['spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
    ],
    [
      "an extended resource without limit",
      container({ resources: { requests: { "example.com/x": "1" } } }),
      ["spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources"],
    ],
    [
      "pages that do not divide",
      container({ resources: { limits: { "hugepages-2Mi": "3Mi", cpu: "1" } } }),
      [
        'spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
        'spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
      ],
    ],
    [
      "two handlers of a probe",
      container({ livenessProbe: { httpGet: { port: 80 }, tcpSocket: { port: 1 } } }),
      ["spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type"],
    ],
    [
      "a liveness probe that must succeed twice",
      container({ livenessProbe: { tcpSocket: { port: 1 }, successThreshold: 2 } }),
      ["spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1"],
    ],
    [
      "a probe of an init container",
      { initContainers: [{ name: "i", image: "i", livenessProbe: { tcpSocket: { port: 1 } } }] },
      [
        "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
      ],
    ],
    [
      "privileged without escalation",
      container({ securityContext: { privileged: true, allowPrivilegeEscalation: false } }),
      [
        "spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy",
        'spec.containers[0].securityContext: Invalid value: {"Capabilities":null,"Privileged":true,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
      ],
    ],
    [
      "ephemeral containers",
      { ephemeralContainers: [{ name: "e", image: "i" }] },
      ["spec.ephemeralContainers: Forbidden: cannot be set on create"],
    ],
    [
      "a DNS policy without servers",
      { dnsPolicy: "None" },
      ["spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"],
    ],
    [
      "an unknown restart policy",
      odd({ restartPolicy: "X" }),
      ['spec.restartPolicy: Unsupported value: "X": supported values: "Always", "OnFailure", "Never"'],
    ],
    [
      "no time to live",
      { activeDeadlineSeconds: 0 },
      ["spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"],
    ],
    [
      "a system that is none",
      { os: { name: "beos" } },
      ['spec.os: Unsupported value: "beos": supported values: "linux", "windows"'],
    ],
    [
      "Linux options on Windows",
      { os: { name: "windows" }, securityContext: { runAsUser: 1 }, hostPID: true },
      [
        "spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod",
        "spec.hostPID: Forbidden: cannot be set for a windows pod",
      ],
    ],
    [
      "a toleration with a value for any",
      { tolerations: [{ key: "a", operator: "Exists", value: "x" }] },
      ["spec.tolerations[0].operator: Invalid value: \"x\": value must be empty when `operator` is 'Exists'"],
    ],
    [
      "spreading without skew",
      { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule" }] },
      ["spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero"],
    ],
    [
      "affinity to no nodes",
      { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } },
      [
        "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term",
      ],
    ],
    [
      "a sysctl of the host",
      { hostNetwork: true, securityContext: { sysctls: [{ name: "net/core/somaxconn", value: "1" }] } },
      [
        "spec.securityContext.sysctls[0].name: Invalid value: \"net/core/somaxconn\": may not be specified when 'hostNetwork' is true",
      ],
    ],
    [
      "a claim of two sorts",
      { resourceClaims: [{ name: "a", resourceClaimName: "x", resourceClaimTemplateName: "y" }] },
      [
        'spec.resourceClaims[0]: Invalid value: {"Name":"a","ResourceClaimName":"x","ResourceClaimTemplateName":"y"}: at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
      ],
    ],
    [
      "a node before the gates are open",
      { nodeName: "n", schedulingGates: [{ name: "g" }] },
      ["spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"],
    ],
  ];
  it.each(rows)("is refused for %s", (_name, spec, expected) => {
    expect(errors(spec)).toEqual(expected);
  });

  const volumes: [string, NonNullable<Spec["volumes"]>[number], string[]][] = [
    [
      "two sources",
      { name: "a", emptyDir: {}, hostPath: { path: "/" } },
      ["spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"],
    ],
    ["no path on the host", { name: "a", hostPath: { path: "" } }, ["spec.volumes[0].hostPath.path: Required value"]],
    [
      "a path that leads out",
      { name: "a", configMap: { name: "c", items: [{ key: "k", path: "../x" }] } },
      ["spec.volumes[0].configMap.items[0].path: Invalid value: \"../x\": must not contain '..'"],
    ],
    [
      "a mode beyond 0777",
      { name: "a", secret: { secretName: "s", defaultMode: 512 } },
      [
        "spec.volumes[0].secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive",
      ],
    ],
    [
      "a disk without a name",
      { name: "a", gcePersistentDisk: { pdName: "" } },
      ["spec.volumes[0].persistentDisk.pdName: Required value"],
    ],
    [
      "a driver option of ours",
      { name: "a", flexVolume: { driver: "d", options: { "kubernetes.io/x": "1" } } },
      [
        'spec.volumes[0].flexVolume.options[kubernetes.io/x]: Invalid value: "kubernetes.io/x": kubernetes.io and k8s.io namespaces are reserved',
      ],
    ],
    [
      "a claim that asks for nothing",
      { name: "a", ephemeral: { volumeClaimTemplate: { spec: {} } } },
      [
        "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Required value: at least 1 access mode is required",
        "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value",
      ],
    ],
    [
      "two files of one path",
      {
        name: "a",
        projected: {
          sources: [
            {
              configMap: {
                name: "c",
                items: [
                  { key: "a", path: "p" },
                  { key: "b", path: "p" },
                ],
              },
            },
          ],
        },
      },
      ['spec.volumes[0].projected: Invalid value: "c": conflicting duplicate paths'],
    ],
    [
      "a file of nothing",
      { name: "a", downwardAPI: { items: [{ path: "x" }] } },
      ["spec.volumes[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required"],
    ],
  ];
  it.each(volumes)("is refused for a volume with %s", (_name, volume, expected) => {
    expect(errors({ volumes: [volume] })).toEqual(expected);
  });

  it("may be privileged where the server allows it", () => {
    const allowed = { ...context, allowPrivileged: true };
    expect(createErrors(pod, draft(container({ securityContext: { privileged: true } })), allowed)).toEqual([]);
  });

  it("judges annotations that mean something", () => {
    expect(
      errors(
        {},
        {
          "controller.kubernetes.io/pod-deletion-cost": "+1",
          "container.apparmor.security.beta.kubernetes.io/none": "x",
        },
      ),
    ).toEqual([
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/none]: Invalid value: "none": container not found',
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/none]: Invalid value: "x": invalid AppArmor profile name: "x"',
    ]);
  });

  it("takes keys that objects inherit for what they are", () => {
    const requests = odd<Record<string, string>>(JSON.parse('{"__proto__":"1","constructor":"1"}'));
    const gated = { ...context, gateEnabled: () => true };
    const value = draft({ ...container({ resources: { requests } }), resources: { limits: { cpu: "1" } } });
    const found = createErrors(pod, value, gated);
    expect(found.length).toBeGreaterThan(0);
    expect(found.every((text) => text.includes("resources.requests["))).toBe(true);
  });
});

describe("an affinity with many terms", () => {
  const many = <T>(term: T): T[] => Array.from({ length: 1_000 }, () => term);
  const near = { topologyKey: "zone" };
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  it.each<[string, NonNullable<Spec["affinity"]>]>([
    ["nodes", { nodeAffinity: { [preferred]: many({ weight: 1, preference: {} }) } }],
    ["pods, required", { podAffinity: { [required]: many(near) } }],
    ["pods, preferred", { podAntiAffinity: { [preferred]: many({ weight: 1, podAffinityTerm: near }) } }],
  ])("is judged in steps: %s", (_, affinity) => {
    const { result, steps } = counted(validatePod(completed(pod, draft({ affinity })), context));
    expect(result).toEqual([]);
    expect(steps).toBeGreaterThan(8);
  });
});
