// With which rights pods and containers run.

import { type ObjectOf, opt, ptr, s } from "../../../schema/builder.ts";
import { INSIDE, LISTED } from "../../../schema/check-fields.ts";
import type { GatedPart, ValueCheck } from "../../../schema/schema.ts";
import { windowsSecurityContextOptions } from "./windows-options.ts";

export type SecurityContext = ObjectOf<typeof securityContext>;

// Without the gate there is only the usual view, which a stored object may have been given long ago.
const otherViews: GatedPart<{ procMount?: string }> = {
  gate: "ProcMountType",
  uses: ({ procMount = "Default" }) => procMount !== "Default",
  drop(context) {
    if (context.procMount !== undefined) context.procMount = "Default";
  },
};

export const securityContext = s.struct(
  "core.v1.SecurityContext",
  "With which rights a container runs.",
  { gated: [otherViews] },
  () => ({
    capabilities: ptr.of(
      capabilities,
      1,
      "Linux capabilities that are added or dropped. Not set, those of the container runtime.",
    ),
    privileged: ptr.boolean(
      2,
      "Whether processes have practically the rights of root on the node. Not set means false.",
    ),
    seLinuxOptions: ptr.of(
      seLinuxOptions,
      3,
      "SELinux context of the container. Not set, the runtime picks one at random for each container.",
    ),
    windowsOptions: ptr.of(windowsSecurityContextOptions, 10, "Settings for Windows; they win over the pod's own.", {
      must: INSIDE,
    }),
    runAsUser: ptr.int64(4, "Number of the user that runs the program. Not set, the user that the image names.", {
      must: POSIX_ID,
    }),
    runAsGroup: ptr.int64(8, "Number of the primary group of the program. Not set, the runtime's default.", {
      must: POSIX_ID,
    }),
    runAsNonRoot: ptr.boolean(5, "Whether the container is refused a start as root. Not set, no check is made."),
    readOnlyRootFilesystem: ptr.boolean(
      6,
      "Whether the container's own file system can only be read. Not set means false.",
    ),
    allowPrivilegeEscalation: ptr.boolean(
      7,
      "Whether a process may get more rights than its parent. Always so when `privileged` or with `CAP_SYS_ADMIN`.",
    ),
    procMount: ptr.enumOf(
      "ProcMountType",
      ["Default", "Unmasked"],
      9,
      "`Default` hides parts of `/proc`, `Unmasked` shows all of it and needs `hostUsers: false`. Not set, `Default`.",
      { must: LISTED },
    ),
    seccompProfile: ptr.of(seccompProfile, 11, "Which system calls are allowed. Not set, as the pod says."),
    appArmorProfile: ptr.of(appArmorProfile, 12, "AppArmor profile of the container. Not set, as the pod says."),
  }),
);

/** The number of a user or a group. */
export const POSIX_ID: ValueCheck = { least: 0, most: 2 ** 31 - 1 };

export const podSecurityContext = s.struct(
  "core.v1.PodSecurityContext",
  "With which rights the containers of a pod run, where they do not say it themselves.",
  () => ({
    seLinuxOptions: ptr.of(
      seLinuxOptions,
      1,
      "SELinux context of all containers. Not set, the runtime picks one at random for each container.",
    ),
    windowsOptions: ptr.of(windowsSecurityContextOptions, 8, "Settings for Windows.", { must: INSIDE }),
    runAsUser: ptr.int64(2, "Number of the user that runs the programs. Not set, the user that the image names.", {
      must: POSIX_ID,
    }),
    runAsGroup: ptr.int64(6, "Number of the primary group of the programs. Not set, the runtime's default.", {
      must: POSIX_ID,
    }),
    runAsNonRoot: ptr.boolean(3, "Whether containers are refused a start as root. Not set, no check is made."),
    supplementalGroups: opt.atomic("int64", 4, "Numbers of further groups for the first process of each container.", {
      must: { each: POSIX_ID },
    }),
    supplementalGroupsPolicy: ptr.enumOf(
      "SupplementalGroupsPolicy",
      ["Merge", "Strict"],
      12,
      "`Merge`, also when not set, adds the groups that the image gives the user; `Strict` leaves them out.",
      { gate: "SupplementalGroupsPolicy", must: LISTED },
    ),
    fsGroup: ptr.int64(
      5,
      "Group that owns the files of volumes which support it, and that all containers belong to. Not set, volumes stay as they are.",
      { must: POSIX_ID },
    ),
    sysctls: opt.atomic(
      sysctl,
      7,
      "Kernel parameters of the pod. Where they are not supported, the pod may fail to start.",
    ),
    fsGroupChangePolicy: ptr.enumOf(
      "PodFSGroupChangePolicy",
      ["Always", "OnRootMismatch"],
      9,
      "When owners and modes in a volume are changed for `fsGroup`: `Always`, also when not set, or `OnRootMismatch`.",
      { must: LISTED },
    ),
    seccompProfile: ptr.of(seccompProfile, 10, "Which system calls the containers may make."),
    appArmorProfile: ptr.of(appArmorProfile, 11, "AppArmor profile of the containers."),
    seLinuxChangePolicy: ptr.named(
      "PodSELinuxChangePolicy",
      13,
      "How volumes get their SELinux label: `MountOption` at once, where possible and also when not set, or `Recursive` file by file.",
      { gate: "SELinuxChangePolicy" },
    ),
  }),
);

const capabilities = s.struct("core.v1.Capabilities", "Linux capabilities that a container gains or loses.", () => ({
  add: opt.atomic("string", 1, "Capabilities to add, such as `NET_ADMIN`.", { alias: "Capability" }),
  drop: opt.atomic("string", 2, "Capabilities to drop; `ALL` for all of them.", { alias: "Capability" }),
}));

const seLinuxOptions = s.struct("core.v1.SELinuxOptions", "Parts of an SELinux label.", () => ({
  user: opt.string(1, "SELinux user."),
  role: opt.string(2, "SELinux role."),
  type: opt.string(3, "SELinux type."),
  level: opt.string(4, "SELinux level."),
}));

export type SeccompProfile = ObjectOf<typeof seccompProfile>;

export const seccompProfile = s.struct(
  "core.v1.SeccompProfile",
  "Which system calls a container may make.",
  { unions: [{ discriminator: "type", fields: { localhostProfile: "LocalhostProfile" } }] },
  () => ({
    type: s.enumOf(
      "SeccompProfileType",
      ["Localhost", "RuntimeDefault", "Unconfined"],
      1,
      "`RuntimeDefault` for the profile of the container runtime, `Localhost` for a file of the node, `Unconfined` for none.",
      { must: { filled: "type is required when seccompProfile is set", listed: true } },
    ),
    localhostProfile: ptr.string(
      2,
      "Path of the file, below the seccomp directory of the node agent. With `Localhost`, and only then.",
    ),
  }),
);

export type AppArmorProfile = ObjectOf<typeof appArmorProfile>;

const appArmorProfile = s.struct(
  "core.v1.AppArmorProfile",
  "An AppArmor profile for containers.",
  { unions: [{ discriminator: "type", fields: { localhostProfile: "LocalhostProfile" } }] },
  () => ({
    type: s.enumOf(
      "AppArmorProfileType",
      ["Localhost", "RuntimeDefault", "Unconfined"],
      1,
      "`RuntimeDefault` for the profile of the container runtime, `Localhost` for one loaded on the node, `Unconfined` for none.",
    ),
    localhostProfile: ptr.string(2, "Name of a profile loaded on the node. With `Localhost`, and only then."),
  }),
);

const sysctl = s.struct("core.v1.Sysctl", "A kernel parameter.", () => ({
  name: s.string(1, "Name of the parameter."),
  value: s.string(2, "Value of the parameter."),
}));
