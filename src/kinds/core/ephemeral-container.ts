// Containers added to a running pod, to look into it.

import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
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
  "A container added to a running pod to look into it; it cannot be changed or removed, and is never restarted.",
  () => ({
    ephemeralContainerCommon: s.inline(ephemeralContainerCommon, 1),
    targetContainerName: opt.string(
      2,
      "Container whose processes this one shall see, if the runtime can do that. Not set, it uses the pod's own namespaces.",
    ),
  }),
);

const ephemeralContainerCommon = s.struct(
  "core.v1.EphemeralContainerCommon",
  "What ephemeral containers share with others, though not all of it is allowed.",
  () => ({
    name: s.string(1, "Unique among all containers of the pod; a DNS label."),
    image: opt.string(2, "Reference of the image, such as `registry/repository:tag`."),
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
    ports: opt.listBy(["containerPort", "protocol"], containerPort, 6, "Not allowed here."),
    envFrom: opt.atomic(
      envFromSource,
      19,
      "Sources of whose keys every one becomes a variable. Of equal keys the last source wins, and `env` wins over all.",
    ),
    env: opt.listBy("name", envVar, 7, "Variables of the environment."),
    resources: opt.of(
      resourceRequirements,
      8,
      "Not allowed here: an ephemeral container uses what the pod has to spare.",
    ),
    resizePolicy: opt.atomic(containerResizePolicy, 23, "Not allowed here.", { gate: "InPlacePodVerticalScaling" }),
    restartPolicy: ptr.named(
      "ContainerRestartPolicy",
      24,
      "Not allowed here: an ephemeral container is never restarted.",
      { gate: "SidecarContainers" },
    ),
    restartPolicyRules: opt.atomic(containerRestartRule, 25, "Not allowed here.", { gate: "ContainerRestartRules" }),
    volumeMounts: opt.listBy(
      "mountPath",
      volumeMount,
      9,
      "Volumes of the pod that the container sees as files; parts of volumes (`subPath`) cannot be mounted.",
    ),
    volumeDevices: opt.listBy(
      "devicePath",
      volumeDevice,
      21,
      "Volumes of the pod that the container sees as raw block devices.",
    ),
    livenessProbe: ptr.of(probe, 10, "Not allowed here."),
    readinessProbe: ptr.of(probe, 11, "Not allowed here."),
    startupProbe: ptr.of(probe, 22, "Not allowed here."),
    lifecycle: ptr.of(lifecycle, 12, "Not allowed here."),
    terminationMessagePath: opt.string(
      13,
      "File in the container from which its last message is read. Not set, `/dev/termination-log`.",
    ),
    terminationMessagePolicy: opt.enumOf(
      "TerminationMessagePolicy",
      ["FallbackToLogsOnError", "File"],
      20,
      "`File` reads the last message from the file only; `FallbackToLogsOnError` takes the end of the log when an error left it empty.",
    ),
    imagePullPolicy: opt.enumOf(
      "PullPolicy",
      ["Always", "IfNotPresent", "Never"],
      14,
      "When the image is pulled. Not set, `Always` for the tag `latest` or none, else `IfNotPresent`.",
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
  }),
);
