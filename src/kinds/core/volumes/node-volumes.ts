// Volumes that the node itself has or makes: directories, disks, and what it fetches into them.

import { opt, ptr, s } from "../../../schema/builder.ts";
import { FILLED } from "../../../schema/check-fields.ts";

export const emptyDirVolumeSource = s.struct(
  "core.v1.EmptyDirVolumeSource",
  "An empty directory that lives as long as the pod does on its node.",
  () => ({
    medium: opt.named(
      "StorageMedium",
      1,
      "Where it is kept: on the node's disk if empty, in memory with `Memory`, in huge pages with `HugePages` or `HugePages-<size>`.",
    ),
    sizeLimit: ptr.quantity(
      2,
      "The most that it may hold; beyond it the pod is evicted. Not set, no limit of its own.",
    ),
  }),
);

export const hostPathVolumeSource = s.struct(
  "core.v1.HostPathVolumeSource",
  "A file or directory of the node.",
  () => ({
    path: s.string(1, "Path on the node; a symbolic link is followed. Must not contain `..`."),
    type: ptr.enumOf(
      "HostPathType",
      ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"],
      2,
      "What must be at the path, or be made there if there is nothing. Empty, also when not set, no check is made.",
    ),
  }),
);

export const localVolumeSource = s.struct(
  "core.v1.LocalVolumeSource",
  "A disk, partition or directory of one node.",
  () => ({
    path: s.string(1, "Path on the node, of a directory or, with the mode `Block`, of a device."),
    fsType: ptr.string(
      2,
      "File system to make and mount when the path is a device, such as `ext4` or `xfs`. Not set, the node agent chooses.",
    ),
  }),
);

export const imageVolumeSource = s.struct(
  "core.v1.ImageVolumeSource",
  "The files of an image or other OCI artifact.",
  () => ({
    reference: opt.string(
      1,
      "Reference of the image or artifact, as for containers. Templates may leave it out where something else fills it in.",
    ),
    pullPolicy: opt.enumOf(
      "PullPolicy",
      ["Always", "IfNotPresent", "Never"],
      2,
      "When it is pulled. Not set, `Always` for the tag `latest` or none, else `IfNotPresent`.",
    ),
  }),
);

export const gitRepoVolumeSource = s.struct(
  "core.v1.GitRepoVolumeSource",
  "A clone of a Git repository; deprecated.",
  () => ({
    repository: s.string(1, "Address of the repository.", { must: FILLED }),
    revision: opt.string(2, "Commit that is checked out. Not set, the tip of the default branch."),
    directory: opt.string(
      3,
      "Directory of the clone in the volume; `.` for the volume itself. Not set, named after the repository.",
    ),
  }),
);
