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

export const ephemeralContainer = s.struct(
  "core.v1.EphemeralContainer",
  {
    doc: "A container added to a running pod to look into it; it cannot be changed or removed, and is never restarted.",
  },
  () => ({
    ephemeralContainerCommon: s.inline(ephemeralContainerCommon, { proto: 1, protoName: "ephemeralContainerCommon" }),
    targetContainerName: s.string({
      proto: 2,
      optional: true,
      doc: "Container whose processes this one shall see, if the runtime can do that. Not set, it uses the pod's own namespaces.",
    }),
  }),
);

export type EphemeralContainerCommon = ObjectOf<typeof ephemeralContainerCommon>;

export const ephemeralContainerCommon = s.struct(
  "core.v1.EphemeralContainerCommon",
  { doc: "What ephemeral containers share with others, though not all of it is allowed." },
  () => ({
    name: s.string({ proto: 1, doc: "Unique among all containers of the pod; a DNS label." }),
    image: s.string({ proto: 2, optional: true, doc: "Reference of the image, such as `registry/repository:tag`." }),
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
      doc: "Not allowed here.",
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
      doc: "Not allowed here: an ephemeral container uses what the pod has to spare.",
    }),
    resizePolicy: s.list(containerResizePolicy, {
      proto: 23,
      optional: true,
      listType: "atomic",
      gate: "InPlacePodVerticalScaling",
      doc: "Not allowed here.",
    }),
    restartPolicy: s.string({
      alias: "ContainerRestartPolicy",
      proto: 24,
      optional: true,
      pointer: true,
      gate: "SidecarContainers",
      doc: "Not allowed here: an ephemeral container is never restarted.",
    }),
    restartPolicyRules: s.list(containerRestartRule, {
      proto: 25,
      optional: true,
      listType: "atomic",
      gate: "ContainerRestartRules",
      doc: "Not allowed here.",
    }),
    volumeMounts: s.list(volumeMount, {
      proto: 9,
      optional: true,
      listType: "map",
      mapKeys: ["mountPath"],
      patchStrategy: ["merge"],
      patchMergeKey: "mountPath",
      doc: "Volumes of the pod that the container sees as files; parts of volumes (`subPath`) cannot be mounted.",
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
    livenessProbe: s.of(probe, { proto: 10, optional: true, pointer: true, doc: "Not allowed here." }),
    readinessProbe: s.of(probe, { proto: 11, optional: true, pointer: true, doc: "Not allowed here." }),
    startupProbe: s.of(probe, { proto: 22, optional: true, pointer: true, doc: "Not allowed here." }),
    lifecycle: s.of(lifecycle, { proto: 12, optional: true, pointer: true, doc: "Not allowed here." }),
    terminationMessagePath: s.string({
      proto: 13,
      optional: true,
      doc: "File in the container from which its last message is read. Not set, `/dev/termination-log`.",
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
      doc: "When the image is pulled. Not set, `Always` for the tag `latest` or none, else `IfNotPresent`.",
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
  }),
);
