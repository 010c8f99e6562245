// What may change in a pod, by which endpoint.

import { describe, expect, it } from "vitest";
import { counted } from "../../../base/steps.testing.ts";
import { completed, context } from "../../complete.testing.ts";
import type { Draft } from "../../define-kind.ts";
import { updateErrors } from "../../validation.testing.ts";
import { pod } from "../pod.ts";
import type { Pod } from "./schema.ts";
import { validateEphemeralContainersUpdate } from "./update-validation.ts";

type Spec = NonNullable<Draft<Pod>["spec"]>;
type Status = NonNullable<Draft<Pod>["status"]>;

const draft = (spec: Partial<Spec> = {}, status: Partial<Status> = {}): Draft<Pod> => ({
  metadata: { name: "p", namespace: "n" },
  spec: { containers: [{ name: "main", image: "i" }], ...spec },
  status,
});
const update = (spec: Partial<Spec>, old: Partial<Spec> = {}) => updateErrors(pod, draft(spec), draft(old));

const ONLY =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

describe("an update of a pod", () => {
  const allowed: [string, Partial<Spec>, Partial<Spec>][] = [
    [
      "an image",
      { containers: [{ name: "main", image: "j", imagePullPolicy: "Always" }] },
      { containers: [{ name: "main", image: "i", imagePullPolicy: "Always" }] },
    ],
    ["a deadline", { activeDeadlineSeconds: 5 }, {}],
    [
      "a further toleration",
      {
        tolerations: [
          { key: "a", operator: "Exists" },
          { key: "b", operator: "Exists" },
        ],
      },
      { tolerations: [{ key: "a", operator: "Exists" }] },
    ],
    ["a grace that was negative", { terminationGracePeriodSeconds: 1 }, { terminationGracePeriodSeconds: -5 }],
    ["the end of a gate", {}, { schedulingGates: [{ name: "g" }] }],
    [
      "a narrower place while it waits",
      { nodeSelector: { a: "b", c: "d" } },
      { nodeSelector: { a: "b" }, schedulingGates: [{ name: "g" }] },
    ],
  ];
  it.each(allowed)("may bring %s", (_name, spec, old) => {
    expect(update(spec, old)).toEqual([]);
  });

  const refused: [string, Partial<Spec>, Partial<Spec>, string[]][] = [
    [
      "a container more",
      {
        containers: [
          { name: "main", image: "i" },
          { name: "b", image: "i" },
        ],
      },
      {},
      ["spec.containers: Forbidden: pod updates may not add or remove containers"],
    ],
    [
      "a later deadline",
      { activeDeadlineSeconds: 9 },
      { activeDeadlineSeconds: 5 },
      ["spec.activeDeadlineSeconds: Invalid value: 9: must be less than or equal to previous value"],
    ],
    [
      "no deadline any more",
      {},
      { activeDeadlineSeconds: 5 },
      ["spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value"],
    ],
    [
      "a toleration less",
      {},
      { tolerations: [{ key: "a", operator: "Exists" }] },
      ["spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"],
    ],
    [
      "a new gate",
      { schedulingGates: [{ name: "g" }] },
      {},
      ["spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g'"],
    ],
    [
      "another place while it waits",
      { nodeSelector: { a: "x" } },
      { nodeSelector: { a: "b" }, schedulingGates: [{ name: "g" }] },
      [
        'spec.nodeSelector: Invalid value: {"a":"x"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      ],
    ],
  ];
  it.each(refused)("may not bring %s", (_name, spec, old, expected) => {
    expect(update(spec, old)).toEqual(expected);
  });

  it("shows what else has changed as a difference of the whole spec", () => {
    expect(update({ nodeSelector: { a: "b" } })).toEqual([
      `spec: Forbidden: ${ONLY}
@@ -39,7 +39,9 @@
  "TerminationGracePeriodSeconds": 30,
  "ActiveDeadlineSeconds": null,
  "DNSPolicy": "ClusterFirst",
- "NodeSelector": null,
+ "NodeSelector": {
+  "a": "b"
+ },
  "ServiceAccountName": "",
  "AutomountServiceAccountToken": null,
  "NodeName": "",
`,
    ]);
  });

  it("does not look for the difference of very large ones", () => {
    const env = Array.from({ length: 3_000 }, (_, index) => ({ name: `V${index}`, value: "v" }));
    const containers = [{ name: "main", image: "i", env }];
    expect(update({ containers, nodeSelector: { a: "b" } }, { containers })).toEqual([
      `spec: Forbidden: ${ONLY}\n(more than 3000 values: the difference is not shown)`,
    ]);
  });

  it("forgives what the stored pod already gets away with", () => {
    const bad = {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "In" as const, values: ["b c"] }] }],
          },
        },
      },
    };
    expect(update(bad, bad)).toEqual([]);
  });
});

describe("ephemeral containers", () => {
  const old = draft({ ephemeralContainers: [{ name: "e", image: "i" }] });
  const errors = (containers: NonNullable<Spec["ephemeralContainers"]>) =>
    updateErrors(pod, draft({ ephemeralContainers: containers }), old, "ephemeralcontainers");

  it("come beside those that are there", () => {
    expect(
      errors([
        { name: "e", image: "i" },
        { name: "f", image: "i", targetContainerName: "main" },
      ]),
    ).toEqual([]);
  });

  it("stay, and stay as they are", () => {
    expect(errors([])).toEqual([
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be removed\n',
    ]);
    expect(errors([{ name: "e", image: "j" }])[0]).toContain('- "Image": "i"');
  });

  it("that change are compared in steps", () => {
    const many = (image: string) =>
      completed(
        pod,
        draft({ ephemeralContainers: Array.from({ length: 20 }, (_, at) => ({ name: `e${at}`, image })) }),
      );
    const steps = (now: string) => counted(validateEphemeralContainersUpdate(many(now), many("i"), context)).steps;
    expect(steps("j")).toBe(steps("i") + 20);
  });

  it("have no ports and look at containers that are there", () => {
    expect(
      errors([
        { name: "e", image: "i" },
        { name: "f", image: "i", targetContainerName: "x", ports: [{ containerPort: 1 }] },
      ]),
    ).toEqual([
      'spec.ephemeralContainers[1].targetContainerName: Not found: "x"',
      "spec.ephemeralContainers[1].ports: Forbidden: cannot be set for an Ephemeral Container",
    ]);
  });
});

describe("a resize", () => {
  const sized = (resources: object, rest: Partial<Spec> = {}) =>
    draft({ containers: [{ name: "main", image: "i", resources }], ...rest }, { qosClass: "Burstable" });
  const old = sized({ requests: { cpu: "1" } });

  it("changes amounts", () => {
    expect(updateErrors(pod, sized({ requests: { cpu: "2" } }), old, "resize")).toEqual([]);
  });

  it("changes neither the class nor anything else", () => {
    expect(updateErrors(pod, sized({}), old, "resize")).toEqual([
      'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
      "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed",
    ]);
    expect(updateErrors(pod, sized({ requests: { cpu: "1", "ephemeral-storage": "1" } }), old, "resize")).toEqual([
      "spec: Forbidden: only cpu and memory resources are mutable",
    ]);
  });
});

describe("a status", () => {
  const errors = (status: Partial<Status>, old: Partial<Status> = {}, spec: Partial<Spec> = {}) =>
    updateErrors(pod, draft(spec, status), draft(spec, old), "status", context);
  const ended = {
    name: "main",
    state: { terminated: { exitCode: 0 } },
    ready: false,
    restartCount: 0,
    image: "i",
    imageID: "",
  };

  it("names addresses, one of each family", () => {
    expect(errors({ podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] })).toEqual([]);
    expect(errors({ podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }] })).toEqual([
      'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"10.0.0.2"}]: may specify no more than one IP for each IP family',
    ]);
  });

  it("lets a container that has ended start again only by its policy", () => {
    const running = { ...ended, state: { running: {} } };
    expect(errors({ containerStatuses: [running] }, { containerStatuses: [ended] })).toEqual([]);
    expect(
      errors({ containerStatuses: [running] }, { containerStatuses: [ended] }, { restartPolicy: "Never" }),
    ).toEqual(["status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"]);
  });

  it("keeps the class of service", () => {
    expect(errors({ qosClass: "Burstable" }, { qosClass: "BestEffort" })).toEqual([
      'status.qosClass: Invalid value: "Burstable": field is immutable',
    ]);
  });
});
