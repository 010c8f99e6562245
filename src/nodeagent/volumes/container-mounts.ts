// Where the volumes of a pod appear in one of its containers.

import type { Container, VolumeMount } from "../../kinds/core/pod/container.ts";
import type { EphemeralContainer } from "../../kinds/core/pod/ephemeral-container.ts";
import { expandVariables } from "../containers/expand-variables.ts";
import { FactError } from "../containers/pod-facts.ts";
import type { Mount } from "../cri/container-messages.ts";
import type { ReadyVolume } from "./pod-volumes.ts";
import { openSubPath } from "./sub-path.ts";

interface MountFacts {
  readonly volumes: ReadonlyMap<string, ReadyVolume>;
  readonly environment: ReadonlyMap<string, string>;
  /** Whether kernel and runtime can make the mounts inside of a mount read-only too. */
  readonly canRecursiveReadOnly: boolean;
}

/** Fails with FactError, or with SubPathError where a part of a volume would leave it. */
export async function containerMounts(container: Container | EphemeralContainer, facts: MountFacts): Promise<Mount[]> {
  const mounts: Mount[] = [];
  for (const mount of container.volumeMounts ?? []) mounts.push(await mountOf(mount, facts));
  return mounts;
}

async function mountOf(mount: VolumeMount, { volumes, environment, canRecursiveReadOnly }: MountFacts): Promise<Mount> {
  const volume = volumes.get(mount.name);
  if (volume === undefined) throw new FactError(`cannot find volume "${mount.name}" to mount at ${mount.mountPath}`);
  const subPath = mount.subPathExpr ? expanded(mount.subPathExpr, environment) : (mount.subPath ?? "");
  const readonly = (mount.readOnly ?? false) || volume.readOnly;
  const containerPath = mount.mountPath.startsWith("/") ? mount.mountPath : `/${mount.mountPath}`;
  if (volume.image !== undefined)
    return { containerPath, hostPath: "", readonly, image: { image: volume.image }, imageSubPath: subPath };
  return {
    containerPath,
    hostPath: subPath === "" ? volume.path : await openSubPath(volume.path, subPath),
    readonly,
    propagation: PROPAGATION[mount.mountPropagation ?? "None"],
    ...(isRecursiveReadOnly(mount, readonly, canRecursiveReadOnly) ? { recursiveReadOnly: true } : {}),
  };
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
  if (missing !== undefined) throw new FactError(`missing value for "${missing}" in subPathExpr`);
  return path;
}
