// Containers of a pod, their ports, mounts and resources.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { envFromSource, envVar } from "./env.ts";
import { lifecycle, probe } from "./probe.ts";
import { securityContext } from "./security-context.ts";

export type Container = ObjectOf<typeof container>;

export const container = s.struct("core.v1.Container", { doc: "One container of a pod." }, () => ({
  name: s.string({ proto: 1, doc: "Unique among all containers of the pod; a DNS label. Cannot be changed." }),
  image: s.string({
    proto: 2,
    optional: true,
    doc: "Reference of the image, such as `registry/repository:tag`. Templates may leave it out where something else fills it in.",
  }),
  command: s.list("string", {
    proto: 3,
    optional: true,
    listType: "atomic",
    doc: "Program to start, without a shell. Not set, the entry point of the image. `$(NAME)` stands for a variable, `$$(NAME)` for itself.",
  }),
  args: s.list("string", {
    proto: 4,
    optional: true,
    listType: "atomic",
    doc: "Arguments of the program. Not set, the command of the image. `$(NAME)` stands for a variable, `$$(NAME)` for itself.",
  }),
  workingDir: s.string({
    proto: 5,
    optional: true,
    doc: "Directory in which the program starts. Not set, the one that the image names.",
  }),
  ports: s.list(containerPort, {
    proto: 6,
    optional: true,
    listType: "map",
    mapKeys: ["containerPort", "protocol"],
    patchStrategy: ["merge"],
    patchMergeKey: "containerPort",
    doc: "Ports on which the container listens. To name them is information only, except for `hostPort`: others are reachable too.",
  }),
  envFrom: s.list(envFromSource, {
    proto: 19,
    optional: true,
    listType: "atomic",
    doc: "Sources of whose keys every one becomes a variable. Of equal keys the last source wins, and `env` wins over all.",
  }),
  env: s.list(envVar, {
    proto: 7,
    optional: true,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge"],
    patchMergeKey: "name",
    doc: "Variables of the environment.",
  }),
  resources: s.of(resourceRequirements, {
    proto: 8,
    optional: true,
    doc: "What the container needs and the most it may use.",
  }),
  resizePolicy: s.list(containerResizePolicy, {
    proto: 23,
    optional: true,
    listType: "atomic",
    gate: "InPlacePodVerticalScaling",
    doc: "Whether the container restarts when its resources change while it runs, by resource. Not set, it does not.",
  }),
  restartPolicy: s.string({
    alias: "ContainerRestartPolicy",
    proto: 24,
    optional: true,
    pointer: true,
    gate: "SidecarContainers",
    doc: "When the container restarts, if not as the pod says. `Always` makes an init container run beside the others for the pod's whole life.",
  }),
  restartPolicyRules: s.list(containerRestartRule, {
    proto: 25,
    optional: true,
    listType: "atomic",
    gate: "ContainerRestartRules",
    doc: "What happens when the container exits, ahead of `restartPolicy`: the first rule that matches decides.",
  }),
  volumeMounts: s.list(volumeMount, {
    proto: 9,
    optional: true,
    listType: "map",
    mapKeys: ["mountPath"],
    patchStrategy: ["merge"],
    patchMergeKey: "mountPath",
    doc: "Volumes of the pod that the container sees as files.",
  }),
  volumeDevices: s.list(volumeDevice, {
    proto: 21,
    optional: true,
    listType: "map",
    mapKeys: ["devicePath"],
    patchStrategy: ["merge"],
    patchMergeKey: "devicePath",
    doc: "Volumes of the pod that the container sees as raw block devices.",
  }),
  livenessProbe: s.of(probe, {
    proto: 10,
    optional: true,
    pointer: true,
    doc: "Checks whether the container is alive; when it fails, the container is restarted. Not set, it always is.",
  }),
  readinessProbe: s.of(probe, {
    proto: 11,
    optional: true,
    pointer: true,
    doc: "Checks whether the container can serve; while it fails, services leave the pod out. Not set, it always can.",
  }),
  startupProbe: s.of(probe, {
    proto: 22,
    optional: true,
    pointer: true,
    doc: "Checks whether the container has started; until then the other probes wait. When it fails, the container is restarted.",
  }),
  lifecycle: s.of(lifecycle, {
    proto: 12,
    optional: true,
    pointer: true,
    doc: "What is done after the container starts and before it is stopped.",
  }),
  terminationMessagePath: s.string({
    proto: 13,
    optional: true,
    doc: "File in the container from which its last message is read. Not set, `/dev/termination-log`. Cannot be changed.",
  }),
  terminationMessagePolicy: s.enumOf(["FallbackToLogsOnError", "File"], {
    alias: "TerminationMessagePolicy",
    proto: 20,
    optional: true,
    doc: "`File` reads the last message from the file only; `FallbackToLogsOnError` takes the end of the log when an error left it empty.",
  }),
  imagePullPolicy: s.enumOf(["Always", "IfNotPresent", "Never"], {
    alias: "PullPolicy",
    proto: 14,
    optional: true,
    doc: "When the image is pulled. Not set, `Always` for the tag `latest` or none, else `IfNotPresent`. Cannot be changed.",
  }),
  securityContext: s.of(securityContext, {
    proto: 15,
    optional: true,
    pointer: true,
    doc: "With which rights the container runs. What is set here wins over the pod's own.",
  }),
  stdin: s.boolean({
    proto: 16,
    optional: true,
    doc: "Whether the container keeps a buffer for standard input. Without it a read meets the end of the file at once.",
  }),
  stdinOnce: s.boolean({
    proto: 17,
    optional: true,
    doc: "Whether standard input closes for good after the first client has left. Otherwise it stays open for later ones.",
  }),
  tty: s.boolean({ proto: 18, optional: true, doc: "Whether the container gets a terminal. Needs `stdin`." }),
}));

export type ContainerPort = ObjectOf<typeof containerPort>;

export const containerPort = s.struct("core.v1.ContainerPort", { doc: "A port on which a container listens." }, () => ({
  name: s.string({
    proto: 1,
    optional: true,
    doc: "Unique in the pod, so that services can refer to it: up to 15 lower-case letters, digits and `-`.",
  }),
  hostPort: s.int32({
    proto: 2,
    optional: true,
    doc: "Port of the node that leads to this one, from 1 to 65535. With the node's network it must equal `containerPort`; most pods need none.",
  }),
  containerPort: s.int32({ proto: 3, doc: "Port on the address of the pod, from 1 to 65535." }),
  protocol: s.enumOf(["SCTP", "TCP", "UDP"], {
    alias: "Protocol",
    proto: 4,
    optional: true,
    default: "TCP",
    doc: "`TCP`, `UDP` or `SCTP`. Not set, `TCP`.",
  }),
  hostIP: s.string({
    proto: 5,
    optional: true,
    doc: "Address of the node to which `hostPort` is bound. Not set, all of them.",
  }),
}));

export type ResourceRequirements = ObjectOf<typeof resourceRequirements>;

export const resourceRequirements = s.struct(
  "core.v1.ResourceRequirements",
  { doc: "What a container needs and the most it may use." },
  () => ({
    limits: s.map("quantity", {
      alias: "ResourceList",
      proto: 1,
      optional: true,
      doc: "The most that may be used, by resource. A container is slowed down at its CPU limit and ended at its memory limit.",
    }),
    requests: s.map("quantity", {
      alias: "ResourceList",
      proto: 2,
      optional: true,
      doc: "What is set aside on the node, by resource. Not set, equal to `limits` where they are given.",
    }),
    claims: s.list(resourceClaim, {
      proto: 3,
      optional: true,
      listType: "map",
      mapKeys: ["name"],
      gate: "DynamicResourceAllocation",
      doc: "Claims of the pod whose devices the container uses. Cannot be changed.",
    }),
  }),
);

export type ResourceClaim = ObjectOf<typeof resourceClaim>;

export const resourceClaim = s.struct(
  "core.v1.ResourceClaim",
  { doc: "A claim of the pod that a container uses." },
  () => ({
    name: s.string({ proto: 1, doc: "Name of an entry in `resourceClaims` of the pod." }),
    request: s.string({
      proto: 2,
      optional: true,
      doc: "The one request of the claim that is made available. Not set, all of them.",
    }),
  }),
);

export type ContainerResizePolicy = ObjectOf<typeof containerResizePolicy>;

export const containerResizePolicy = s.struct(
  "core.v1.ContainerResizePolicy",
  { doc: "What a change of one resource means for a running container." },
  () => ({
    resourceName: s.string({ alias: "ResourceName", proto: 1, doc: "`cpu` or `memory`." }),
    restartPolicy: s.string({
      alias: "ResourceResizeRestartPolicy",
      proto: 2,
      doc: "`NotRequired` applies the change while the container runs, `RestartContainer` restarts it.",
    }),
  }),
);

export type ContainerRestartRule = ObjectOf<typeof containerRestartRule>;

export const containerRestartRule = s.struct(
  "core.v1.ContainerRestartRule",
  { doc: "What happens when a container exits in a certain way." },
  () => ({
    action: s.string({
      alias: "ContainerRestartRuleAction",
      proto: 1,
      omitEmpty: true,
      doc: "What is done when the rule matches; only `Restart` is known.",
    }),
    exitCodes: s.of(containerRestartRuleOnExitCodes, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The exit codes for which the rule holds.",
    }),
  }),
);

export type ContainerRestartRuleOnExitCodes = ObjectOf<typeof containerRestartRuleOnExitCodes>;

export const containerRestartRuleOnExitCodes = s.struct(
  "core.v1.ContainerRestartRuleOnExitCodes",
  { doc: "A set of exit codes." },
  () => ({
    operator: s.string({
      alias: "ContainerRestartRuleOnExitCodesOperator",
      proto: 1,
      omitEmpty: true,
      doc: "`In` for the codes that are listed, `NotIn` for all others.",
    }),
    values: s.list("int32", { proto: 2, optional: true, listType: "set", doc: "The codes, at most 255." }),
  }),
);

export type VolumeMount = ObjectOf<typeof volumeMount>;

export const volumeMount = s.struct("core.v1.VolumeMount", { doc: "A volume that a container sees as files." }, () => ({
  name: s.string({ proto: 1, doc: "Name of the volume in the pod." }),
  readOnly: s.boolean({ proto: 2, optional: true, doc: "Whether the container may only read. Not set means false." }),
  recursiveReadOnly: s.string({
    alias: "RecursiveReadOnlyMode",
    proto: 7,
    optional: true,
    pointer: true,
    gate: "RecursiveReadOnlyMounts",
    doc: "Whether mounts inside the volume are read-only too: `Disabled`, `IfPossible` or `Enabled`. Needs `readOnly`; not set, `Disabled`.",
  }),
  mountPath: s.string({
    proto: 3,
    doc: "Directory of the container at which the volume appears. Must not contain `:`.",
  }),
  subPath: s.string({
    proto: 4,
    optional: true,
    doc: "Part of the volume that is mounted. Not set, its root. Not together with `subPathExpr`.",
  }),
  mountPropagation: s.enumOf(["Bidirectional", "HostToContainer", "None"], {
    alias: "MountPropagationMode",
    proto: 5,
    optional: true,
    pointer: true,
    doc: "Whether later mounts pass from node to container (`HostToContainer`), both ways (`Bidirectional`) or not at all (`None`, if not set).",
  }),
  subPathExpr: s.string({
    proto: 6,
    optional: true,
    doc: "Like `subPath`, with `$(NAME)` replaced by variables of the container.",
  }),
}));

export type VolumeDevice = ObjectOf<typeof volumeDevice>;

export const volumeDevice = s.struct(
  "core.v1.VolumeDevice",
  { doc: "A volume that a container sees as a raw block device." },
  () => ({
    name: s.string({ proto: 1, doc: "Name of the volume in the pod; its claim must have the mode `Block`." }),
    devicePath: s.string({ proto: 2, doc: "Path of the device in the container." }),
  }),
);
