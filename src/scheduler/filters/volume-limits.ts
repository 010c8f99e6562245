// Filter: the node takes as many volumes more as the pod brings, by their drivers. Pure.

import type { NodeInfo } from "../state/node-info.ts";
import type { PodInfo } from "../state/pod-info.ts";
import { classOfClaim, type VolumeLookup } from "../state/volumes.ts";
import { type Filter, refusal } from "./filter.ts";

const TOO_MANY = refusal("NodeVolumeLimits", "node(s) exceed max volume count", true);

/** By a name of each volume that is the same for all who use it, its driver. */
type Attachable = ReadonlyMap<string, string>;

export const volumeLimits: Filter = (pod, { volumes }) => {
  if (pod.claims.length === 0) return undefined;
  const wanted = attachableOf([pod], volumes);
  if (wanted.size === 0) return undefined;
  return (node) => {
    const limits = volumes.drivers.limitsOf(node.name);
    if (limits.size === 0) return undefined;
    const there = attachedTo(node, volumes);
    const counts = new Map<string, number>();
    for (const driver of there.values()) counts.set(driver, (counts.get(driver) ?? 0) + 1);
    for (const [volume, driver] of wanted) {
      if (there.has(volume)) continue;
      const count = (counts.get(driver) ?? 0) + 1;
      if (count > (limits.get(driver) ?? Number.POSITIVE_INFINITY)) return TOO_MANY;
      counts.set(driver, count);
    }
    return undefined;
  };
};

/** Volumes of the pods there, and those that are not detached yet. */
function attachedTo(node: NodeInfo, volumes: VolumeLookup): Attachable {
  const there = attachableOf(node.pods.values(), volumes);
  for (const { spec } of volumes.drivers.attachmentsTo(node.name)) {
    const handle = volumes.volume(spec.source.persistentVolumeName ?? "")?.spec.csi?.volumeHandle;
    if (handle !== undefined && spec.attacher !== "") there.set(volumeName(spec.attacher, handle), spec.attacher);
  }
  return there;
}

function attachableOf(pods: Iterable<PodInfo>, volumes: VolumeLookup): Map<string, string> {
  const found = new Map<string, string>();
  for (const { namespace, claims } of pods)
    for (const { name } of claims) {
      const [driver, handle] = driverAndHandle(namespace, name, volumes);
      if (driver !== "" && handle !== "") found.set(volumeName(driver, handle), driver);
    }
  return found;
}

const NONE = ["", ""] as const;

function driverAndHandle(namespace: string, name: string, volumes: VolumeLookup): readonly [string, string] {
  const claim = volumes.claim(namespace, name);
  if (claim === undefined) return NONE;
  const volume = volumes.volume(claim.spec.volumeName ?? "");
  if (volume !== undefined)
    return volume.spec.csi === undefined ? NONE : [volume.spec.csi.driver, volume.spec.csi.volumeHandle];
  // None is made yet: it will be one of its class. A handle cannot begin with a blank line.
  const { provisioner = "" } = volumes.storageClass(classOfClaim(claim, volumes)) ?? {};
  return [provisioner, `\n${namespace}/${name}`];
}

const volumeName = (driver: string, handle: string): string => `${driver}/${handle}`;
