// Containers of a pod, their ports, mounts and resources.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { envFromSource, envVar } from "./env.ts";
import { lifecycle, probe } from "./probe.ts";
import { securityContext } from "./security-context.ts";

export type Container = ObjectOf<typeof container>;

export const container = s.struct("core.v1.Container", { doc: "One container of a pod." }, () => ({
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

export type ContainerPort = ObjectOf<typeof containerPort>;

export const containerPort = s.struct("core.v1.ContainerPort", () => ({
  name: s.string({ proto: 1, optional: true }),
  hostPort: s.int32({ proto: 2, optional: true }),
  containerPort: s.int32({ proto: 3 }),
  protocol: s.enumOf(["SCTP", "TCP", "UDP"], { alias: "Protocol", proto: 4, optional: true, default: "TCP" }),
  hostIP: s.string({ proto: 5, optional: true }),
}));

export type ResourceRequirements = ObjectOf<typeof resourceRequirements>;

export const resourceRequirements = s.struct(
  "core.v1.ResourceRequirements",
  { doc: "What a container needs and the most it may use." },
  () => ({
    limits: s.map("quantity", { alias: "ResourceList", proto: 1, optional: true }),
    requests: s.map("quantity", { alias: "ResourceList", proto: 2, optional: true }),
    claims: s.list(resourceClaim, {
      proto: 3,
      optional: true,
      listType: "map",
      mapKeys: ["name"],
      gate: "DynamicResourceAllocation",
    }),
  }),
);

export type ResourceClaim = ObjectOf<typeof resourceClaim>;

export const resourceClaim = s.struct("core.v1.ResourceClaim", () => ({
  name: s.string({ proto: 1 }),
  request: s.string({ proto: 2, optional: true }),
}));

export type ContainerResizePolicy = ObjectOf<typeof containerResizePolicy>;

export const containerResizePolicy = s.struct("core.v1.ContainerResizePolicy", () => ({
  resourceName: s.string({ alias: "ResourceName", proto: 1 }),
  restartPolicy: s.string({ alias: "ResourceResizeRestartPolicy", proto: 2 }),
}));

export type ContainerRestartRule = ObjectOf<typeof containerRestartRule>;

export const containerRestartRule = s.struct("core.v1.ContainerRestartRule", () => ({
  action: s.string({ alias: "ContainerRestartRuleAction", proto: 1, omitEmpty: true }),
  exitCodes: s.of(containerRestartRuleOnExitCodes, { proto: 2, optional: true, pointer: true }),
}));

export type ContainerRestartRuleOnExitCodes = ObjectOf<typeof containerRestartRuleOnExitCodes>;

export const containerRestartRuleOnExitCodes = s.struct("core.v1.ContainerRestartRuleOnExitCodes", () => ({
  operator: s.string({ alias: "ContainerRestartRuleOnExitCodesOperator", proto: 1, omitEmpty: true }),
  values: s.list("int32", { proto: 2, optional: true, listType: "set" }),
}));

export type VolumeMount = ObjectOf<typeof volumeMount>;

export const volumeMount = s.struct("core.v1.VolumeMount", () => ({
  name: s.string({ proto: 1 }),
  readOnly: s.boolean({ proto: 2, optional: true }),
  recursiveReadOnly: s.string({
    alias: "RecursiveReadOnlyMode",
    proto: 7,
    optional: true,
    pointer: true,
    gate: "RecursiveReadOnlyMounts",
  }),
  mountPath: s.string({ proto: 3 }),
  subPath: s.string({ proto: 4, optional: true }),
  mountPropagation: s.enumOf(["Bidirectional", "HostToContainer", "None"], {
    alias: "MountPropagationMode",
    proto: 5,
    optional: true,
    pointer: true,
  }),
  subPathExpr: s.string({ proto: 6, optional: true }),
}));

export type VolumeDevice = ObjectOf<typeof volumeDevice>;

export const volumeDevice = s.struct("core.v1.VolumeDevice", () => ({
  name: s.string({ proto: 1 }),
  devicePath: s.string({ proto: 2 }),
}));
