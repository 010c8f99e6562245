// With which rights pods and containers run.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type SecurityContext = ObjectOf<typeof securityContext>;

export const securityContext = s.struct(
  "core.v1.SecurityContext",
  { doc: "With which rights a container runs." },
  () => ({
    capabilities: s.of(capabilities, { proto: 1, optional: true, pointer: true }),
    privileged: s.boolean({ proto: 2, optional: true, pointer: true }),
    seLinuxOptions: s.of(seLinuxOptions, { proto: 3, optional: true, pointer: true }),
    windowsOptions: s.of(windowsSecurityContextOptions, { proto: 10, optional: true, pointer: true }),
    runAsUser: s.int64({ proto: 4, optional: true, pointer: true }),
    runAsGroup: s.int64({ proto: 8, optional: true, pointer: true }),
    runAsNonRoot: s.boolean({ proto: 5, optional: true, pointer: true }),
    readOnlyRootFilesystem: s.boolean({ proto: 6, optional: true, pointer: true }),
    allowPrivilegeEscalation: s.boolean({ proto: 7, optional: true, pointer: true }),
    procMount: s.enumOf(["Default", "Unmasked"], { alias: "ProcMountType", proto: 9, optional: true, pointer: true }),
    seccompProfile: s.of(seccompProfile, { proto: 11, optional: true, pointer: true }),
    appArmorProfile: s.of(appArmorProfile, { proto: 12, optional: true, pointer: true }),
  }),
);

export type PodSecurityContext = ObjectOf<typeof podSecurityContext>;

export const podSecurityContext = s.struct("core.v1.PodSecurityContext", () => ({
  seLinuxOptions: s.of(seLinuxOptions, { proto: 1, optional: true, pointer: true }),
  windowsOptions: s.of(windowsSecurityContextOptions, { proto: 8, optional: true, pointer: true }),
  runAsUser: s.int64({ proto: 2, optional: true, pointer: true }),
  runAsGroup: s.int64({ proto: 6, optional: true, pointer: true }),
  runAsNonRoot: s.boolean({ proto: 3, optional: true, pointer: true }),
  supplementalGroups: s.list("int64", { proto: 4, optional: true, listType: "atomic" }),
  supplementalGroupsPolicy: s.enumOf(["Merge", "Strict"], {
    alias: "SupplementalGroupsPolicy",
    proto: 12,
    optional: true,
    pointer: true,
    gate: "SupplementalGroupsPolicy",
  }),
  fsGroup: s.int64({ proto: 5, optional: true, pointer: true }),
  sysctls: s.list(sysctl, { proto: 7, optional: true, listType: "atomic" }),
  fsGroupChangePolicy: s.enumOf(["Always", "OnRootMismatch"], {
    alias: "PodFSGroupChangePolicy",
    proto: 9,
    optional: true,
    pointer: true,
  }),
  seccompProfile: s.of(seccompProfile, { proto: 10, optional: true, pointer: true }),
  appArmorProfile: s.of(appArmorProfile, { proto: 11, optional: true, pointer: true }),
  seLinuxChangePolicy: s.string({
    alias: "PodSELinuxChangePolicy",
    proto: 13,
    optional: true,
    pointer: true,
    gate: "SELinuxChangePolicy",
  }),
}));

export type Capabilities = ObjectOf<typeof capabilities>;

export const capabilities = s.struct("core.v1.Capabilities", () => ({
  add: s.list("string", { alias: "Capability", proto: 1, optional: true, listType: "atomic" }),
  drop: s.list("string", { alias: "Capability", proto: 2, optional: true, listType: "atomic" }),
}));

export type SELinuxOptions = ObjectOf<typeof seLinuxOptions>;

export const seLinuxOptions = s.struct("core.v1.SELinuxOptions", () => ({
  user: s.string({ proto: 1, optional: true }),
  role: s.string({ proto: 2, optional: true }),
  type: s.string({ proto: 3, optional: true }),
  level: s.string({ proto: 4, optional: true }),
}));

export type WindowsSecurityContextOptions = ObjectOf<typeof windowsSecurityContextOptions>;

export const windowsSecurityContextOptions = s.struct("core.v1.WindowsSecurityContextOptions", () => ({
  gmsaCredentialSpecName: s.string({ proto: 1, optional: true, pointer: true }),
  gmsaCredentialSpec: s.string({ proto: 2, optional: true, pointer: true }),
  runAsUserName: s.string({ proto: 3, optional: true, pointer: true }),
  hostProcess: s.boolean({ proto: 4, optional: true, pointer: true }),
}));

export type SeccompProfile = ObjectOf<typeof seccompProfile>;

export const seccompProfile = s.struct(
  "core.v1.SeccompProfile",
  { unions: [{ discriminator: "type", fields: { localhostProfile: "LocalhostProfile" } }] },
  () => ({
    type: s.enumOf(["Localhost", "RuntimeDefault", "Unconfined"], { alias: "SeccompProfileType", proto: 1 }),
    localhostProfile: s.string({ proto: 2, optional: true, pointer: true }),
  }),
);

export type AppArmorProfile = ObjectOf<typeof appArmorProfile>;

export const appArmorProfile = s.struct(
  "core.v1.AppArmorProfile",
  { unions: [{ discriminator: "type", fields: { localhostProfile: "LocalhostProfile" } }] },
  () => ({
    type: s.enumOf(["Localhost", "RuntimeDefault", "Unconfined"], { alias: "AppArmorProfileType", proto: 1 }),
    localhostProfile: s.string({ proto: 2, optional: true, pointer: true }),
  }),
);

export type Sysctl = ObjectOf<typeof sysctl>;

export const sysctl = s.struct("core.v1.Sysctl", () => ({
  name: s.string({ proto: 1 }),
  value: s.string({ proto: 2 }),
}));
