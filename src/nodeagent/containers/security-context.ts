// With which rights a container runs: what it says itself wins over what its pod says, and the image comes last.

import type { Container } from "../../kinds/core/pod/container.ts";
import type { AppArmorProfile } from "../../kinds/core/pod/security-context.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { LinuxContainerSecurityContext } from "../cri/container-messages.ts";
import type { NamespaceOption } from "../cri/security-messages.ts";
import { FactError } from "./pod-facts.ts";
import type { RuntimeSeccomp } from "./seccomp-profile.ts";

/** The user that an image names: a number, or a name that only the image can resolve. */
export interface ImageUser {
  readonly uid?: number | undefined;
  readonly username?: string | undefined;
}

interface SecurityParts {
  readonly namespaces: NamespaceOption;
  readonly seccomp: RuntimeSeccomp;
  readonly imageUser: ImageUser;
}

/** Fails with FactError where the container would run as root and must not. */
export function securityContextOf(
  pod: Pod,
  container: Pick<Container, "name" | "securityContext">,
  { namespaces, seccomp, imageUser }: SecurityParts,
): LinuxContainerSecurityContext {
  const own = container.securityContext ?? {};
  const shared = pod.spec.securityContext ?? {};
  const user = own.runAsUser ?? shared.runAsUser;
  const group = own.runAsGroup ?? shared.runAsGroup;
  if (own.runAsNonRoot ?? shared.runAsNonRoot) refuseRoot(numberOf(user), imageUser, pod, container.name);
  const uid = numberOf(user) ?? imageUser.uid;
  const selinux = own.seLinuxOptions ?? shared.seLinuxOptions;
  const apparmor = own.appArmorProfile ?? shared.appArmorProfile;
  return {
    capabilities: {
      addCapabilities: [...(own.capabilities?.add ?? [])],
      dropCapabilities: [...(own.capabilities?.drop ?? [])],
    },
    privileged: own.privileged ?? false,
    namespaceOptions: namespaces,
    ...(selinux === undefined ? {} : { selinuxOptions: selinux }),
    ...(uid === undefined ? {} : { runAsUser: { value: uid } }),
    ...(uid === undefined && imageUser.username ? { runAsUsername: imageUser.username } : {}),
    ...(group === undefined ? {} : { runAsGroup: { value: Number(group) } }),
    readonlyRootfs: own.readOnlyRootFilesystem ?? false,
    supplementalGroups: supplementalGroupsOf(pod),
    ...(shared.supplementalGroupsPolicy === undefined
      ? {}
      : { supplementalGroupsPolicy: shared.supplementalGroupsPolicy }),
    noNewPrivs: own.allowPrivilegeEscalation === false,
    ...pathsOf(own.procMount),
    seccomp,
    ...(apparmor === undefined ? {} : appArmorOf(apparmor)),
  };
}

/** Groups of the first process of every container, and of the sandbox. */
export function supplementalGroupsOf({ spec }: Pod): number[] {
  const { supplementalGroups, fsGroup } = spec.securityContext ?? {};
  return [...(fsGroup === undefined ? [] : [fsGroup]), ...(supplementalGroups ?? [])].map(Number);
}

/** In both forms: runtimes from before the first know the second alone. */
function appArmorOf({ type, localhostProfile = "" }: AppArmorProfile) {
  if (type !== "Localhost")
    return {
      apparmor: { profileType: type },
      apparmorProfile: type === "Unconfined" ? "unconfined" : "runtime/default",
    };
  return {
    apparmor: { profileType: type, localhostRef: localhostProfile },
    apparmorProfile: `localhost/${localhostProfile}`,
  };
}

export const numberOf = (value: number | bigint | undefined): number | undefined =>
  value === undefined ? undefined : Number(value);

function refuseRoot(user: number | undefined, image: ImageUser, { metadata }: Pod, name: string): void {
  const where = `(pod: "${metadata.name}_${metadata.namespace}(${metadata.uid})", container: ${name})`;
  if (user === 0) throw new FactError(`container's runAsUser breaks non-root policy ${where}`);
  if (user !== undefined) return;
  // An image that names nobody runs as root.
  if (image.uid === 0 || (image.uid === undefined && !image.username))
    throw new FactError(`container has runAsNonRoot and image will run as root ${where}`);
  if (image.uid === undefined)
    throw new FactError(
      `container has runAsNonRoot and image has non-numeric user (${image.username}), cannot verify user is non-root ${where}`,
    );
}

const MASKED_PATHS = [
  "/proc/asound",
  "/proc/acpi",
  "/proc/interrupts",
  "/proc/kcore",
  "/proc/keys",
  "/proc/latency_stats",
  "/proc/timer_list",
  "/proc/timer_stats",
  "/proc/sched_debug",
  "/proc/scsi",
  "/sys/firmware",
  "/sys/devices/virtual/powercap",
];
const READONLY_PATHS = ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"];

function pathsOf(procMount: string | undefined): Pick<LinuxContainerSecurityContext, "maskedPaths" | "readonlyPaths"> {
  return procMount === "Unmasked" ? {} : { maskedPaths: MASKED_PATHS, readonlyPaths: READONLY_PATHS };
}
