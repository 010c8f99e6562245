// Containers of a pod, their ports, mounts and resources.

import { dns1123LabelProblems } from "../../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, s } from "../../../schema/builder.ts";
import { FILLED } from "../../../schema/check-fields.ts";
import { envFromSource, envVar } from "./env.ts";
import { lifecycle, probe } from "./probe.ts";
import { securityContext } from "./security-context.ts";

export type Container = ObjectOf<typeof container>;

export const container = s.struct("core.v1.Container", "One container of a pod.", containerMembers);

export function containerMembers() {
  return {
    name: s.string(1, "Unique among all containers of the pod; a DNS label. Cannot be changed.", {
      must: { filled: true, form: dns1123LabelProblems },
    }),
    image: opt.string(
      2,
      "Reference of the image, such as `registry/repository:tag`. Templates may leave it out where something else fills it in.",
      { must: FILLED },
    ),
    command: opt.atomic(
      "string",
      3,
      "Program to start, without a shell. Not set, the entry point of the image. `$(NAME)` stands for a variable, `$$(NAME)` for itself.",
    ),
    args: opt.atomic(
      "string",
      4,
      "Arguments of the program. Not set, the command of the image. `$(NAME)` stands for a variable, `$$(NAME)` for itself.",
    ),
    workingDir: opt.string(5, "Directory in which the program starts. Not set, the one that the image names."),
    ports: opt.listBy(
      ["containerPort", "protocol"],
      containerPort,
      6,
      "Ports on which the container listens. To name them is information only, except for `hostPort`: others are reachable too.",
    ),
    envFrom: opt.atomic(
      envFromSource,
      19,
      "Sources of whose keys every one becomes a variable. Of equal keys the last source wins, and `env` wins over all.",
    ),
    env: opt.listBy("name", envVar, 7, "Variables of the environment."),
    resources: opt.of(resourceRequirements, 8, "What the container needs and the most it may use."),
    resizePolicy: opt.atomic(
      containerResizePolicy,
      23,
      "Whether the container restarts when its resources change while it runs, by resource. Not set, it does not.",
      { gate: "InPlacePodVerticalScaling" },
    ),
    restartPolicy: ptr.named(
      "ContainerRestartPolicy",
      24,
      "When the container restarts, if not as the pod says. `Always` makes an init container run beside the others for the pod's whole life.",
    ),
    restartPolicyRules: opt.atomic(
      containerRestartRule,
      25,
      "What happens when the container exits, ahead of `restartPolicy`: the first rule that matches decides.",
      { gate: "ContainerRestartRules" },
    ),
    volumeMounts: opt.listBy("mountPath", volumeMount, 9, "Volumes of the pod that the container sees as files."),
    volumeDevices: opt.listBy(
      "devicePath",
      volumeDevice,
      21,
      "Volumes of the pod that the container sees as raw block devices.",
    ),
    livenessProbe: ptr.of(
      probe,
      10,
      "Checks whether the container is alive; when it fails, the container is restarted. Not set, it always is.",
    ),
    readinessProbe: ptr.of(
      probe,
      11,
      "Checks whether the container can serve; while it fails, services leave the pod out. Not set, it always can.",
    ),
    startupProbe: ptr.of(
      probe,
      22,
      "Checks whether the container has started; until then the other probes wait. When it fails, the container is restarted.",
    ),
    lifecycle: ptr.of(lifecycle, 12, "What is done after the container starts and before it is stopped."),
    terminationMessagePath: opt.string(
      13,
      "File in the container from which its last message is read. Not set, `/dev/termination-log`. Cannot be changed.",
    ),
    terminationMessagePolicy: opt.enumOf(
      "TerminationMessagePolicy",
      ["FallbackToLogsOnError", "File"],
      20,
      "`File` reads the last message from the file only; `FallbackToLogsOnError` takes the end of the log when an error left it empty.",
      { must: { filled: true, listed: ["File", "FallbackToLogsOnError"] } },
    ),
    imagePullPolicy: opt.enumOf(
      "PullPolicy",
      ["Always", "IfNotPresent", "Never"],
      14,
      "When the image is pulled. Not set, `Always` for the tag `latest` or none, else `IfNotPresent`. Cannot be changed.",
      { must: { filled: true, listed: true } },
    ),
    securityContext: ptr.of(
      securityContext,
      15,
      "With which rights the container runs. What is set here wins over the pod's own.",
    ),
    stdin: opt.boolean(
      16,
      "Whether the container keeps a buffer for standard input. Without it a read meets the end of the file at once.",
    ),
    stdinOnce: opt.boolean(
      17,
      "Whether standard input closes for good after the first client has left. Otherwise it stays open for later ones.",
    ),
    tty: opt.boolean(18, "Whether the container gets a terminal. Needs `stdin`."),
  };
}

export type ContainerPort = ObjectOf<typeof containerPort>;

const containerPort = s.struct("core.v1.ContainerPort", "A port on which a container listens.", () => ({
  name: opt.string(
    1,
    "Unique in the pod, so that services can refer to it: up to 15 lower-case letters, digits and `-`.",
  ),
  hostPort: opt.int32(
    2,
    "Port of the node that leads to this one, from 1 to 65535. With the node's network it must equal `containerPort`; most pods need none.",
  ),
  containerPort: s.int32(3, "Port on the address of the pod, from 1 to 65535."),
  protocol: opt.enumOf("Protocol", ["SCTP", "TCP", "UDP"], 4, "`TCP`, `UDP` or `SCTP`. Not set, `TCP`.", {
    default: "TCP",
  }),
  hostIP: opt.string(5, "Address of the node to which `hostPort` is bound. Not set, all of them."),
}));

export type ResourceRequirements = ObjectOf<typeof resourceRequirements>;

export const resourceRequirements = s.struct(
  "core.v1.ResourceRequirements",
  "What a container needs and the most it may use.",
  () => ({
    limits: opt.map(
      "quantity",
      1,
      "The most that may be used, by resource. A container is slowed down at its CPU limit and ended at its memory limit.",
      { alias: "ResourceList" },
    ),
    requests: opt.map(
      "quantity",
      2,
      "What is set aside on the node, by resource. Not set, equal to `limits` where they are given.",
      { alias: "ResourceList" },
    ),
    claims: opt.list(resourceClaim, 3, "Claims of the pod whose devices the container uses. Cannot be changed.", {
      listType: "map",
      mapKeys: ["name"],
      gate: "DynamicResourceAllocation",
    }),
  }),
);

export type ResourceClaim = ObjectOf<typeof resourceClaim>;

const resourceClaim = s.struct("core.v1.ResourceClaim", "A claim of the pod that a container uses.", () => ({
  name: s.string(1, "Name of an entry in `resourceClaims` of the pod."),
  request: opt.string(2, "The one request of the claim that is made available. Not set, all of them."),
}));

export type ContainerResizePolicy = ObjectOf<typeof containerResizePolicy>;

const containerResizePolicy = s.struct(
  "core.v1.ContainerResizePolicy",
  "What a change of one resource means for a running container.",
  () => ({
    resourceName: s.named("ResourceName", 1, "`cpu` or `memory`."),
    restartPolicy: s.named(
      "ResourceResizeRestartPolicy",
      2,
      "`NotRequired` applies the change while the container runs, `RestartContainer` restarts it.",
    ),
  }),
);

export type ContainerRestartRule = ObjectOf<typeof containerRestartRule>;

const containerRestartRule = s.struct(
  "core.v1.ContainerRestartRule",
  "What happens when a container exits in a certain way.",
  () => ({
    action: s.named("ContainerRestartRuleAction", 1, "What is done when the rule matches; only `Restart` is known.", {
      omitEmpty: true,
    }),
    exitCodes: ptr.of(containerRestartRuleOnExitCodes, 2, "The exit codes for which the rule holds."),
  }),
);

const containerRestartRuleOnExitCodes = s.struct(
  "core.v1.ContainerRestartRuleOnExitCodes",
  "A set of exit codes.",
  () => ({
    operator: s.named(
      "ContainerRestartRuleOnExitCodesOperator",
      1,
      "`In` for the codes that are listed, `NotIn` for all others.",
      { omitEmpty: true },
    ),
    values: opt.set("int32", 2, "The codes, at most 255."),
  }),
);

export type VolumeMount = ObjectOf<typeof volumeMount>;

const volumeMount = s.struct("core.v1.VolumeMount", "A volume that a container sees as files.", () => ({
  name: s.string(1, "Name of the volume in the pod."),
  readOnly: opt.boolean(2, "Whether the container may only read. Not set means false."),
  recursiveReadOnly: ptr.named(
    "RecursiveReadOnlyMode",
    7,
    "Whether mounts inside the volume are read-only too: `Disabled`, `IfPossible` or `Enabled`. Needs `readOnly`; not set, `Disabled`.",
    { gate: "RecursiveReadOnlyMounts" },
  ),
  mountPath: s.string(3, "Directory of the container at which the volume appears. Must not contain `:`."),
  subPath: opt.string(4, "Part of the volume that is mounted. Not set, its root. Not together with `subPathExpr`."),
  mountPropagation: ptr.enumOf(
    "MountPropagationMode",
    ["Bidirectional", "HostToContainer", "None"],
    5,
    "Whether later mounts pass from node to container (`HostToContainer`), both ways (`Bidirectional`) or not at all (`None`, if not set).",
  ),
  subPathExpr: opt.string(6, "Like `subPath`, with `$(NAME)` replaced by variables of the container."),
}));

const volumeDevice = s.struct("core.v1.VolumeDevice", "A volume that a container sees as a raw block device.", () => ({
  name: s.string(1, "Name of the volume in the pod; its claim must have the mode `Block`."),
  devicePath: s.string(2, "Path of the device in the container."),
}));
