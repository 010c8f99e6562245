// What became of a container: its runs, its image, its mounts and its user.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { resourceRequirements } from "./container.ts";
import { containerState } from "./container-state.ts";
import { resourceStatus } from "./resource-status.ts";
import { STOP_SIGNALS } from "./stop-signals.ts";

export type ContainerStatus = ObjectOf<typeof containerStatus>;

export const containerStatus = s.struct("core.v1.ContainerStatus", { doc: "What became of a container." }, () => ({
  name: s.string({ proto: 1, doc: "Name of the container in the pod." }),
  state: s.of(containerState, { proto: 2, optional: true, doc: "What the container does now." }),
  lastState: s.of(containerState, {
    proto: 3,
    optional: true,
    doc: "How its last run ended. Empty while it has not restarted.",
  }),
  ready: s.boolean({
    proto: 4,
    doc: "Whether the container passes its readiness probe; without one, whether it has started.",
  }),
  restartCount: s.int32({
    proto: 5,
    doc: "How often the container has been restarted. May start again from a lower number when records of old runs are gone.",
  }),
  image: s.string({ proto: 6, doc: "Image that runs. May be another name of it than the one that was asked for." }),
  imageID: s.string({ proto: 7, doc: "Identity of the image, usually a digest." }),
  containerID: s.string({ proto: 8, optional: true, doc: "Identity of the container, as `<runtime>://<id>`." }),
  started: s.boolean({
    proto: 9,
    optional: true,
    pointer: true,
    doc: "Whether the container runs and has passed its startup probe, if it has one.",
  }),
  allocatedResources: s.map("quantity", {
    alias: "ResourceList",
    proto: 10,
    optional: true,
    gate: "InPlacePodVerticalScalingAllocatedStatus",
    doc: "What the node has set aside for the container, by resource.",
  }),
  resources: s.of(resourceRequirements, {
    proto: 11,
    optional: true,
    pointer: true,
    gate: "InPlacePodVerticalScaling",
    doc: "Requests and limits that are in force for the container.",
  }),
  volumeMounts: s.list(volumeMountStatus, {
    proto: 12,
    optional: true,
    listType: "map",
    mapKeys: ["mountPath"],
    patchStrategy: ["merge"],
    patchMergeKey: "mountPath",
    gate: "RecursiveReadOnlyMounts",
    doc: "How volumes are mounted in the container.",
  }),
  user: s.of(containerUser, {
    proto: 13,
    optional: true,
    pointer: true,
    gate: "SupplementalGroupsPolicy",
    doc: "User and groups that the container's first process got at its start.",
  }),
  allocatedResourcesStatus: s.list(resourceStatus, {
    proto: 14,
    optional: true,
    listType: "map",
    mapKeys: ["name"],
    patchStrategy: ["merge"],
    patchMergeKey: "name",
    gate: "ResourceHealthStatus",
    doc: "Health of the devices that the container was given.",
  }),
  stopSignal: s.enumOf(STOP_SIGNALS, {
    alias: "Signal",
    proto: 15,
    optional: true,
    pointer: true,
    gate: "ContainerStopSignals",
    doc: "Signal by which the container is stopped.",
  }),
}));

export type VolumeMountStatus = ObjectOf<typeof volumeMountStatus>;

export const volumeMountStatus = s.struct(
  "core.v1.VolumeMountStatus",
  { doc: "How a volume is mounted in a container." },
  () => ({
    name: s.string({ proto: 1, doc: "Name of the mount, that of its volume." }),
    mountPath: s.string({ proto: 2, doc: "Directory of the container at which the volume appears." }),
    readOnly: s.boolean({ proto: 3, optional: true, doc: "Whether the container may only read." }),
    recursiveReadOnly: s.string({
      alias: "RecursiveReadOnlyMode",
      proto: 4,
      optional: true,
      pointer: true,
      gate: "RecursiveReadOnlyMounts",
      doc: "Whether mounts inside the volume are read-only too: `Disabled` or `Enabled`. Not set where it was not asked for.",
    }),
  }),
);

export type ContainerUser = ObjectOf<typeof containerUser>;

export const containerUser = s.struct(
  "core.v1.ContainerUser",
  { doc: "User and groups of a container's first process." },
  () => ({
    linux: s.of(linuxContainerUser, { proto: 1, optional: true, pointer: true, doc: "User and groups on Linux." }),
  }),
);

export type LinuxContainerUser = ObjectOf<typeof linuxContainerUser>;

export const linuxContainerUser = s.struct(
  "core.v1.LinuxContainerUser",
  { doc: "User and groups of a process on Linux." },
  () => ({
    uid: s.int64({ proto: 1, doc: "Number of the user." }),
    gid: s.int64({ proto: 2, doc: "Number of the primary group." }),
    supplementalGroups: s.list("int64", {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "Numbers of further groups.",
    }),
  }),
);
