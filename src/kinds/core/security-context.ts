// With which rights pods and containers run.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type SecurityContext = ObjectOf<typeof securityContext>;

export const securityContext = s.struct(
  "core.v1.SecurityContext",
  { doc: "With which rights a container runs." },
  () => ({
    capabilities: s.of(capabilities, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Linux capabilities that are added or dropped. Not set, those of the container runtime.",
    }),
    privileged: s.boolean({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Whether processes have practically the rights of root on the node. Not set means false.",
    }),
    seLinuxOptions: s.of(seLinuxOptions, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "SELinux context of the container. Not set, the runtime picks one at random for each container.",
    }),
    windowsOptions: s.of(windowsSecurityContextOptions, {
      proto: 10,
      optional: true,
      pointer: true,
      doc: "Settings for Windows; they win over the pod's own.",
    }),
    runAsUser: s.int64({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "Number of the user that runs the program. Not set, the user that the image names.",
    }),
    runAsGroup: s.int64({
      proto: 8,
      optional: true,
      pointer: true,
      doc: "Number of the primary group of the program. Not set, the runtime's default.",
    }),
    runAsNonRoot: s.boolean({
      proto: 5,
      optional: true,
      pointer: true,
      doc: "Whether the container is refused a start as root. Not set, no check is made.",
    }),
    readOnlyRootFilesystem: s.boolean({
      proto: 6,
      optional: true,
      pointer: true,
      doc: "Whether the container's own file system can only be read. Not set means false.",
    }),
    allowPrivilegeEscalation: s.boolean({
      proto: 7,
      optional: true,
      pointer: true,
      doc: "Whether a process may get more rights than its parent. Always so when `privileged` or with `CAP_SYS_ADMIN`.",
    }),
    procMount: s.enumOf(["Default", "Unmasked"], {
      alias: "ProcMountType",
      proto: 9,
      optional: true,
      pointer: true,
      doc: "`Default` hides parts of `/proc`, `Unmasked` shows all of it and needs `hostUsers: false`. Not set, `Default`.",
    }),
    seccompProfile: s.of(seccompProfile, {
      proto: 11,
      optional: true,
      pointer: true,
      doc: "Which system calls are allowed. Not set, as the pod says.",
    }),
    appArmorProfile: s.of(appArmorProfile, {
      proto: 12,
      optional: true,
      pointer: true,
      doc: "AppArmor profile of the container. Not set, as the pod says.",
    }),
  }),
);

export type PodSecurityContext = ObjectOf<typeof podSecurityContext>;

export const podSecurityContext = s.struct(
  "core.v1.PodSecurityContext",
  { doc: "With which rights the containers of a pod run, where they do not say it themselves." },
  () => ({
    seLinuxOptions: s.of(seLinuxOptions, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "SELinux context of all containers. Not set, the runtime picks one at random for each container.",
    }),
    windowsOptions: s.of(windowsSecurityContextOptions, {
      proto: 8,
      optional: true,
      pointer: true,
      doc: "Settings for Windows.",
    }),
    runAsUser: s.int64({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Number of the user that runs the programs. Not set, the user that the image names.",
    }),
    runAsGroup: s.int64({
      proto: 6,
      optional: true,
      pointer: true,
      doc: "Number of the primary group of the programs. Not set, the runtime's default.",
    }),
    runAsNonRoot: s.boolean({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Whether containers are refused a start as root. Not set, no check is made.",
    }),
    supplementalGroups: s.list("int64", {
      proto: 4,
      optional: true,
      listType: "atomic",
      doc: "Numbers of further groups for the first process of each container.",
    }),
    supplementalGroupsPolicy: s.enumOf(["Merge", "Strict"], {
      alias: "SupplementalGroupsPolicy",
      proto: 12,
      optional: true,
      pointer: true,
      gate: "SupplementalGroupsPolicy",
      doc: "`Merge`, also when not set, adds the groups that the image gives the user; `Strict` leaves them out.",
    }),
    fsGroup: s.int64({
      proto: 5,
      optional: true,
      pointer: true,
      doc: "Group that owns the files of volumes which support it, and that all containers belong to. Not set, volumes stay as they are.",
    }),
    sysctls: s.list(sysctl, {
      proto: 7,
      optional: true,
      listType: "atomic",
      doc: "Kernel parameters of the pod. Where they are not supported, the pod may fail to start.",
    }),
    fsGroupChangePolicy: s.enumOf(["Always", "OnRootMismatch"], {
      alias: "PodFSGroupChangePolicy",
      proto: 9,
      optional: true,
      pointer: true,
      doc: "When owners and modes in a volume are changed for `fsGroup`: `Always`, also when not set, or `OnRootMismatch`.",
    }),
    seccompProfile: s.of(seccompProfile, {
      proto: 10,
      optional: true,
      pointer: true,
      doc: "Which system calls the containers may make.",
    }),
    appArmorProfile: s.of(appArmorProfile, {
      proto: 11,
      optional: true,
      pointer: true,
      doc: "AppArmor profile of the containers.",
    }),
    seLinuxChangePolicy: s.string({
      alias: "PodSELinuxChangePolicy",
      proto: 13,
      optional: true,
      pointer: true,
      gate: "SELinuxChangePolicy",
      doc: "How volumes get their SELinux label: `MountOption` at once, where possible and also when not set, or `Recursive` file by file.",
    }),
  }),
);

export type Capabilities = ObjectOf<typeof capabilities>;

export const capabilities = s.struct(
  "core.v1.Capabilities",
  { doc: "Linux capabilities that a container gains or loses." },
  () => ({
    add: s.list("string", {
      alias: "Capability",
      proto: 1,
      optional: true,
      listType: "atomic",
      doc: "Capabilities to add, such as `NET_ADMIN`.",
    }),
    drop: s.list("string", {
      alias: "Capability",
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "Capabilities to drop; `ALL` for all of them.",
    }),
  }),
);

export type SELinuxOptions = ObjectOf<typeof seLinuxOptions>;

export const seLinuxOptions = s.struct("core.v1.SELinuxOptions", { doc: "Parts of an SELinux label." }, () => ({
  user: s.string({ proto: 1, optional: true, doc: "SELinux user." }),
  role: s.string({ proto: 2, optional: true, doc: "SELinux role." }),
  type: s.string({ proto: 3, optional: true, doc: "SELinux type." }),
  level: s.string({ proto: 4, optional: true, doc: "SELinux level." }),
}));

export type WindowsSecurityContextOptions = ObjectOf<typeof windowsSecurityContextOptions>;

export const windowsSecurityContextOptions = s.struct(
  "core.v1.WindowsSecurityContextOptions",
  { doc: "Rights of containers on Windows." },
  () => ({
    gmsaCredentialSpecName: s.string({
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Name of the credential spec of a group-managed service account.",
    }),
    gmsaCredentialSpec: s.string({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The credential spec itself; usually filled in by a webhook from its name.",
    }),
    runAsUserName: s.string({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "User that runs the program. Not set, the user that the image names.",
    }),
    hostProcess: s.boolean({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "Whether the containers are processes of the node; all of a pod must agree, and it needs `hostNetwork`.",
    }),
  }),
);

export type SeccompProfile = ObjectOf<typeof seccompProfile>;

export const seccompProfile = s.struct(
  "core.v1.SeccompProfile",
  {
    doc: "Which system calls a container may make.",
    unions: [{ discriminator: "type", fields: { localhostProfile: "LocalhostProfile" } }],
  },
  () => ({
    type: s.enumOf(["Localhost", "RuntimeDefault", "Unconfined"], {
      alias: "SeccompProfileType",
      proto: 1,
      doc: "`RuntimeDefault` for the profile of the container runtime, `Localhost` for a file of the node, `Unconfined` for none.",
    }),
    localhostProfile: s.string({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Path of the file, below the seccomp directory of the node agent. With `Localhost`, and only then.",
    }),
  }),
);

export type AppArmorProfile = ObjectOf<typeof appArmorProfile>;

export const appArmorProfile = s.struct(
  "core.v1.AppArmorProfile",
  {
    doc: "An AppArmor profile for containers.",
    unions: [{ discriminator: "type", fields: { localhostProfile: "LocalhostProfile" } }],
  },
  () => ({
    type: s.enumOf(["Localhost", "RuntimeDefault", "Unconfined"], {
      alias: "AppArmorProfileType",
      proto: 1,
      doc: "`RuntimeDefault` for the profile of the container runtime, `Localhost` for one loaded on the node, `Unconfined` for none.",
    }),
    localhostProfile: s.string({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Name of a profile loaded on the node. With `Localhost`, and only then.",
    }),
  }),
);

export type Sysctl = ObjectOf<typeof sysctl>;

export const sysctl = s.struct("core.v1.Sysctl", { doc: "A kernel parameter." }, () => ({
  name: s.string({ proto: 1, doc: "Name of the parameter." }),
  value: s.string({ proto: 2, doc: "Value of the parameter." }),
}));
