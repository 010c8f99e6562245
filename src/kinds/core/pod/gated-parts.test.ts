// What goes from a pod with a gate beside the field itself.

import { expect, it } from "vitest";
import { atOnce } from "../../../base/steps.ts";
import { GatedFields } from "../../../schema/gated-fields.ts";
import { podSpec } from "./spec.ts";

const MOUNTS = [
  { name: "a", mountPath: "/a" },
  { name: "b", mountPath: "/b" },
];

it.each([
  [
    "restart policies, but of init containers that stay",
    "ContainerRestartRules",
    {
      initContainers: [{ restartPolicy: "Always" }, { restartPolicy: "Never" }],
      containers: [{ restartPolicy: "Always", restartPolicyRules: [{}] }],
      ephemeralContainers: [{ restartPolicy: "Always" }],
    },
    { initContainers: [{ restartPolicy: "Always" }, {}], containers: [{}], ephemeralContainers: [{}] },
  ],
  [
    "volumes with their mounts",
    "ImageVolume",
    { volumes: [{ name: "a", image: {} }, { name: "b" }], containers: [{ volumeMounts: MOUNTS }] },
    { volumes: [{ name: "b" }], containers: [{ volumeMounts: [MOUNTS[1]] }] },
  ],
  [
    "lists that are left without items",
    "ImageVolume",
    { volumes: [{ name: "a", image: {} }], containers: [{ volumeMounts: MOUNTS.slice(0, 1) }] },
    { containers: [{}] },
  ],
  [
    "signals, and a lifecycle that says nothing else",
    "ContainerStopSignals",
    { containers: [{ lifecycle: { stopSignal: "SIGHUP" } }, { lifecycle: { stopSignal: "SIGHUP", preStop: {} } }] },
    { containers: [{}, { lifecycle: { preStop: {} } }] },
  ],
  [
    "sleeping, and what says nothing else",
    "PodLifecycleSleepAction",
    { containers: [{ lifecycle: { preStop: { sleep: { seconds: 1 } } } }, { lifecycle: {} }] },
    { containers: [{}, { lifecycle: {} }] },
  ],
  [
    "users of its own",
    "UserNamespacesSupport",
    { hostUsers: false, containers: [{ securityContext: { procMount: "Unmasked" } }] },
    { containers: [{ securityContext: { procMount: "Unmasked" } }] },
  ],
  [
    "views of processes, but the usual one",
    "ProcMountType",
    {
      containers: [{ securityContext: { procMount: "Unmasked" } }, { securityContext: {} }],
      initContainers: [{ securityContext: { procMount: "Default" } }],
    },
    {
      containers: [{ securityContext: { procMount: "Default" } }, { securityContext: {} }],
      initContainers: [{ securityContext: { procMount: "Default" } }],
    },
  ],
])("drops %s", (_what, gate, value, expected) => {
  const spec = structuredClone(value);
  atOnce(new GatedFields(podSpec, (name) => name !== gate).drop(spec));
  expect(spec).toEqual(expected);
});
