// Containers added to a running pod, to look into it.

import { type ObjectOf, s } from "../../schema/builder.ts";
import {
  containerPort,
  containerResizePolicy,
  containerRestartRule,
  resourceRequirements,
  volumeDevice,
  volumeMount,
} from "./container.ts";
import { envFromSource, envVar } from "./env.ts";
import { lifecycle, probe } from "./probe.ts";
import { securityContext } from "./security-context.ts";

export type EphemeralContainer = ObjectOf<typeof ephemeralContainer>;

export const ephemeralContainer = s.struct("core.v1.EphemeralContainer", () => ({
  ephemeralContainerCommon: s.inline(ephemeralContainerCommon, { proto: 1, protoName: "ephemeralContainerCommon" }),
  targetContainerName: s.string({ proto: 2, optional: true }),
}));

export type EphemeralContainerCommon = ObjectOf<typeof ephemeralContainerCommon>;

export const ephemeralContainerCommon = s.struct("core.v1.EphemeralContainerCommon", () => ({
  name: s.string({ proto: 1 }),
  image: s.string({ proto: 2, optional: true }),
  command: s.list("string", { proto: 3, optional: true, listType: "atomic" }),
  args: s.list("string", { proto: 4, optional: true, listType: "atomic" }),
  workingDir: s.string({ proto: 5, optional: true }),
  ports: s.list(containerPort, {
    proto: 6,
    optional: true,
    listType: "map",
    mapKeys: ["containerPort", "protocol"],
    patchStrategy: ["merge"],
    patchMergeKey: "containerPort",
  }),
  envFrom: s.list(envFromSource, { proto: 19, optional: true, listType: "atomic" }),
  env: s.list(envVar, {
    proto: 7,
    optional: true,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge"],
    patchMergeKey: "name",
  }),
  resources: s.of(resourceRequirements, { proto: 8, optional: true }),
  resizePolicy: s.list(containerResizePolicy, {
    proto: 23,
    optional: true,
    listType: "atomic",
    gate: "InPlacePodVerticalScaling",
  }),
  restartPolicy: s.string({
    alias: "ContainerRestartPolicy",
    proto: 24,
    optional: true,
    pointer: true,
    gate: "SidecarContainers",
  }),
  restartPolicyRules: s.list(containerRestartRule, {
    proto: 25,
    optional: true,
    listType: "atomic",
    gate: "ContainerRestartRules",
  }),
  volumeMounts: s.list(volumeMount, {
    proto: 9,
    optional: true,
    listType: "map",
    mapKeys: ["mountPath"],
    patchStrategy: ["merge"],
    patchMergeKey: "mountPath",
  }),
  volumeDevices: s.list(volumeDevice, {
    proto: 21,
    optional: true,
    listType: "map",
    mapKeys: ["devicePath"],
    patchStrategy: ["merge"],
    patchMergeKey: "devicePath",
  }),
  livenessProbe: s.of(probe, { proto: 10, optional: true, pointer: true }),
  readinessProbe: s.of(probe, { proto: 11, optional: true, pointer: true }),
  startupProbe: s.of(probe, { proto: 22, optional: true, pointer: true }),
  lifecycle: s.of(lifecycle, { proto: 12, optional: true, pointer: true }),
  terminationMessagePath: s.string({ proto: 13, optional: true }),
  terminationMessagePolicy: s.enumOf(["FallbackToLogsOnError", "File"], {
    alias: "TerminationMessagePolicy",
    proto: 20,
    optional: true,
  }),
  imagePullPolicy: s.enumOf(["Always", "IfNotPresent", "Never"], { alias: "PullPolicy", proto: 14, optional: true }),
  securityContext: s.of(securityContext, { proto: 15, optional: true, pointer: true }),
  stdin: s.boolean({ proto: 16, optional: true }),
  stdinOnce: s.boolean({ proto: 17, optional: true }),
  tty: s.boolean({ proto: 18, optional: true }),
}));
