// What became of a container: its runs, its image, its mounts and its user.

import { type ObjectOf, opt, ptr, s } from "../../../schema/builder.ts";
import { INSIDE } from "../../../schema/check-fields.ts";
import { resourceRequirements } from "./container.ts";
import { containerState } from "./container-state.ts";
import { resourceStatus } from "./resource-status.ts";
import { POSIX_ID } from "./security-context.ts";
import { STOP_SIGNALS } from "./stop-signals.ts";

export type ContainerStatus = ObjectOf<typeof containerStatus>;

export const containerStatus = s.struct("core.v1.ContainerStatus", "What became of a container.", () => ({
  name: s.string(1, "Name of the container in the pod."),
  state: opt.of(containerState, 2, "What the container does now."),
  lastState: opt.of(containerState, 3, "How its last run ended. Empty while it has not restarted."),
  ready: s.boolean(4, "Whether the container passes its readiness probe; without one, whether it has started."),
  restartCount: s.int32(
    5,
    "How often the container has been restarted. May start again from a lower number when records of old runs are gone.",
  ),
  image: s.string(6, "Image that runs. May be another name of it than the one that was asked for."),
  imageID: s.string(7, "Identity of the image, usually a digest."),
  containerID: opt.string(8, "Identity of the container, as `<runtime>://<id>`."),
  started: ptr.boolean(9, "Whether the container runs and has passed its startup probe, if it has one."),
  allocatedResources: opt.map("quantity", 10, "What the node has set aside for the container, by resource.", {
    alias: "ResourceList",
    gate: "InPlacePodVerticalScaling",
  }),
  resources: ptr.of(resourceRequirements, 11, "Requests and limits that are in force for the container.", {
    gate: "InPlacePodVerticalScaling",
  }),
  volumeMounts: opt.listBy("mountPath", volumeMountStatus, 12, "How volumes are mounted in the container.", {
    gate: "RecursiveReadOnlyMounts",
  }),
  user: ptr.of(containerUser, 13, "User and groups that the container's first process got at its start.", {
    gate: "SupplementalGroupsPolicy",
  }),
  allocatedResourcesStatus: opt.listBy(
    "name",
    resourceStatus,
    14,
    "Health of the devices that the container was given.",
    { gate: "ResourceHealthStatus" },
  ),
  stopSignal: ptr.enumOf("Signal", STOP_SIGNALS, 15, "Signal by which the container is stopped."),
}));

const volumeMountStatus = s.struct("core.v1.VolumeMountStatus", "How a volume is mounted in a container.", () => ({
  name: s.string(1, "Name of the mount, that of its volume."),
  mountPath: s.string(2, "Directory of the container at which the volume appears."),
  readOnly: opt.boolean(3, "Whether the container may only read."),
  recursiveReadOnly: ptr.named(
    "RecursiveReadOnlyMode",
    4,
    "Whether mounts inside the volume are read-only too: `Disabled` or `Enabled`. Not set where it was not asked for.",
    { gate: "RecursiveReadOnlyMounts" },
  ),
}));

export const containerUser = s.struct(
  "core.v1.ContainerUser",
  "User and groups of a container's first process.",
  () => ({
    linux: ptr.of(linuxContainerUser, 1, "User and groups on Linux.", { must: INSIDE }),
  }),
);

const linuxContainerUser = s.struct("core.v1.LinuxContainerUser", "User and groups of a process on Linux.", () => ({
  uid: s.int64(1, "Number of the user.", { must: POSIX_ID }),
  gid: s.int64(2, "Number of the primary group.", { must: POSIX_ID }),
  supplementalGroups: opt.atomic("int64", 3, "Numbers of further groups.", { must: { each: POSIX_ID } }),
}));
