// Gives claims that waited for their first consumer the volumes that were found for them, and waits until they are bound.

import type { Clock } from "../base/clock.ts";
import type { Client } from "../client/client.ts";
import type { Informer } from "../client/informer.ts";
import type { Node } from "../kinds/core/node.ts";
import { type Claim, matcherOfVolume, type VolumePlan } from "./filters/volumes.ts";
import { isBound } from "./state/volumes.ts";
import { untilDone } from "./until-done.ts";
import type { VolumeCache } from "./volume-cache.ts";

interface BindVolumesParts {
  readonly client: Client;
  readonly volumes: VolumeCache;
  readonly nodes: Informer<Node>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** So long whoever binds and makes volumes has. */
  readonly patienceMs: number;
}

export const hasWork = ({ bind, provision }: VolumePlan): boolean => bind.length > 0 || provision.length > 0;

/** Nobody else is given these volumes meanwhile. */
export function promiseVolumes({ bind }: VolumePlan, volumes: VolumeCache): void {
  for (const { claim, volume } of bind)
    volumes.promise(volume.metadata.name, `${claim.metadata.namespace}/${claim.metadata.name}`);
}

export function releaseVolumes({ bind }: VolumePlan, volumes: VolumeCache): void {
  for (const { volume } of bind) volumes.release(volume.metadata.name);
}

/** Fails when the volumes are not bound in time, or not for this node. */
export async function bindVolumes(plan: VolumePlan, nodeName: string, parts: BindVolumesParts): Promise<void> {
  const { client } = parts;
  const { boundByControllerAnnotation, selectedNodeAnnotation } = client.names;
  for (const { claim, volume } of plan.bind) {
    const { name, namespace = "", uid, resourceVersion } = claim.metadata;
    const claimRef = { kind: "PersistentVolumeClaim", apiVersion: "v1", namespace, name, uid, resourceVersion };
    await client.core.v1.persistentVolumes().patch(volume.metadata.name, {
      merge: {
        metadata: {
          resourceVersion: volume.metadata.resourceVersion,
          // What a user kept for the claim stays the user's word.
          ...(volume.spec.claimRef === undefined ? { annotations: { [boundByControllerAnnotation]: "yes" } } : {}),
        },
        spec: { claimRef },
      },
    });
  }
  for (const { metadata } of plan.provision) {
    await client.core.v1.persistentVolumeClaims(metadata.namespace).patch(metadata.name, {
      merge: {
        metadata: { resourceVersion: metadata.resourceVersion, annotations: { [selectedNodeAnnotation]: nodeName } },
      },
    });
  }
  await untilBound(plan, nodeName, parts);
}

async function untilBound(plan: VolumePlan, nodeName: string, parts: BindVolumesParts): Promise<void> {
  const { volumes, nodes, clock, signal, patienceMs } = parts;
  await untilDone({
    isDone: () => areBound(plan, nodeName, parts),
    onChange(changed) {
      const ofVolumes = volumes.onChange(changed);
      const ofNodes = nodes.addHandlers({ deleted: changed }, { onlyChanges: true });
      return {
        remove() {
          ofVolumes.remove();
          ofNodes.remove();
        },
      };
    },
    patienceMs,
    lateMessage: `${PRE_BIND}: context deadline exceeded`,
    clock,
    signal,
  });
}

/** Upstream's words. */
const PRE_BIND = 'running PreBind plugin "VolumeBinding": binding volumes';

/** Fails when they never will be, for this node. */
function areBound(
  { bind, provision }: VolumePlan,
  nodeName: string,
  { volumes, nodes }: Pick<BindVolumesParts, "volumes" | "nodes">,
): boolean {
  const node = nodes.cache.get({ name: nodeName });
  if (node === undefined)
    throw new Error(`${PRE_BIND}: failed to get node "${nodeName}": node "${nodeName}" not found`);
  const newest = ({ metadata: { namespace = "", name } }: Claim): Claim => {
    const claim = volumes.claim(namespace, name);
    if (claim === undefined) throw new Error(`${PRE_BIND}: persistentvolumeclaim "${name}" not found`);
    return claim;
  };
  for (const { volume: before } of bind) {
    const { name, resourceVersion } = before.metadata;
    const volume = volumes.volume(name);
    if (volume === undefined)
      throw new Error(`${PRE_BIND}: failed to check binding: persistentvolume "${name}" not found`);
    // Whoever binds volumes takes back what does not fit.
    if (volume.metadata.resourceVersion !== resourceVersion && !volume.spec.claimRef?.uid)
      throw new Error(`${PRE_BIND}: ClaimRef got reset for pv "${name}"`);
  }
  for (const before of provision) {
    const claim = newest(before);
    const selected = claim.metadata.annotations?.[volumes.annotations.selectedNode];
    // Who could not make the volume for this node gives the choice back.
    const isNewer = claim.metadata.resourceVersion !== before.metadata.resourceVersion;
    if (isNewer && selected !== nodeName && !isBound(claim, volumes)) {
      const { annotations = {}, name } = claim.metadata;
      const isBare = Object.keys(annotations).length === 0;
      throw new Error(
        `${PRE_BIND}: ${isBare ? "selectedNode annotation reset" : "provisioning failed"} for PVC "${name}"`,
      );
    }
  }
  return [...bind.map(({ claim }) => claim), ...provision].every((each) => {
    const claim = newest(each);
    const volume = volumes.volume(claim.spec.volumeName ?? "");
    if (volume === undefined) return false;
    // Whoever has made it has made it elsewhere.
    if (matcherOfVolume(volume)?.matches({ name: nodeName, labels: node.metadata.labels ?? {} }) === false)
      throw new Error(
        `${PRE_BIND}: pv "${volume.metadata.name}" node affinity doesn't match node "${nodeName}": no matching NodeSelectorTerms`,
      );
    return isBound(claim, volumes);
  });
}
