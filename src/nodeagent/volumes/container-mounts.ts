// Where the volumes of a pod appear in one of its containers.

import { join } from "node:path";
import type { Container, VolumeMount } from "../../kinds/core/pod/container.ts";
import type { EphemeralContainer } from "../../kinds/core/pod/ephemeral-container.ts";
import { expandVariables } from "../containers/expand-variables.ts";
import { FactError } from "../containers/pod-facts.ts";
import type { Device, Mount } from "../cri/container-messages.ts";
import { bindOpenFile } from "./mounts.ts";
import type { ReadyVolume } from "./pod-volumes.ts";
import { withSubPath } from "./sub-path.ts";

interface MountFacts {
  readonly volumes: ReadonlyMap<string, ReadyVolume>;
  readonly environment: ReadonlyMap<string, string>;
  /** Whether kernel and runtime can make the mounts inside of a mount read-only too. */
  readonly canRecursiveReadOnly: boolean;
  /** Where parts of volumes are shown for this container, one directory below for each. Undefined where nothing can be
   * mounted: the runtime gets the path of the part then. */
  readonly subPaths: string | undefined;
}

/** Fails with FactError; what it does not say of a part of a volume that cannot be shown is its cause. */
export async function containerMounts(container: Container | EphemeralContainer, facts: MountFacts): Promise<Mount[]> {
  const mounts: Mount[] = [];
  for (const [index, mount] of (container.volumeMounts ?? []).entries())
    mounts.push(await mountOf(mount, facts, container.name, index));
  return mounts;
}

/** What the container gets as devices. Fails with FactError. */
export function containerDevices(
  { volumeDevices }: Container | EphemeralContainer,
  volumes: ReadonlyMap<string, ReadyVolume>,
): Device[] {
  return (volumeDevices ?? []).map(({ name, devicePath }) => {
    const volume = volumes.get(name);
    if (volume === undefined) throw new FactError(`cannot find volume "${name}" to pass into container`);
    if (!volume.isDevice)
      throw new FactError(`volume ${name} has volumeMode Filesystem, but is specified in volumeDevices`);
    return { hostPath: volume.path, containerPath: devicePath, permissions: volume.readOnly ? "r" : "mrw" };
  });
}

async function mountOf(mount: VolumeMount, facts: MountFacts, container: string, index: number): Promise<Mount> {
  const { volumes, environment, canRecursiveReadOnly, subPaths } = facts;
  const volume = volumes.get(mount.name);
  if (volume === undefined) throw new FactError(`cannot find volume "${mount.name}" to mount at ${mount.mountPath}`);
  if (volume.isDevice)
    throw new FactError(`volume ${mount.name} has volumeMode Block, but is specified in volumeMounts`);
  const subPath = mount.subPathExpr ? expanded(mount.subPathExpr, environment) : (mount.subPath ?? "");
  const readonly = (mount.readOnly ?? false) || volume.readOnly;
  const containerPath = mount.mountPath.startsWith("/") ? mount.mountPath : `/${mount.mountPath}`;
  if (volume.image !== undefined)
    return { containerPath, hostPath: "", readonly, image: { image: volume.image }, imageSubPath: subPath };
  const part = async () => {
    const target = subPaths && join(subPaths, mount.name, container, String(index));
    return await showPart(volume.path, subPath, target).catch((cause: unknown) => {
      const message = `failed to prepare subPath for volumeMount "${mount.name}" of container "${container}"`;
      throw new FactError(message, { cause });
    });
  };
  return {
    containerPath,
    hostPath: subPath === "" ? volume.path : await part(),
    readonly,
    propagation: PROPAGATION[mount.mountPropagation ?? "None"],
    ...(isRecursiveReadOnly(mount, readonly, canRecursiveReadOnly) ? { recursiveReadOnly: true } : {}),
  };
}

/** A container that shares the volume could exchange the path before the runtime has mounted it. */
async function showPart(volume: string, subPath: string, target: string | undefined): Promise<string> {
  return await withSubPath(volume, subPath, async (path, descriptor) => {
    if (target === undefined) return path;
    await bindOpenFile(descriptor, target);
    return target;
  });
}

const PROPAGATION = {
  None: "PROPAGATION_PRIVATE",
  HostToContainer: "PROPAGATION_HOST_TO_CONTAINER",
  Bidirectional: "PROPAGATION_BIDIRECTIONAL",
} as const;

function isRecursiveReadOnly(
  { name, recursiveReadOnly = "Disabled" }: VolumeMount,
  readonly: boolean,
  can: boolean,
): boolean {
  if (recursiveReadOnly === "Disabled" || !readonly) return false;
  if (!can && recursiveReadOnly === "Enabled")
    throw new FactError(`volume mount "${name}" asks for recursive read-only, which kernel or runtime cannot do`);
  return can;
}

/** Every variable must be known: a path with a hole in it would lead to another place. */
function expanded(expression: string, environment: ReadonlyMap<string, string>): string {
  let missing: string | undefined;
  const path = expandVariables(expression, (name) => {
    const value = environment.get(name);
    if (value === undefined) missing ??= name;
    return value;
  });
  if (missing !== undefined) throw new FactError(`missing value for ${missing}`);
  return path;
}
