// Gives claims that waited for their first consumer the volumes that were found for them, and waits until they are bound.

import type { Clock } from "../base/clock.ts";
import type { Client } from "../client/client.ts";
import type { Claim, VolumePlan } from "./filters/volumes.ts";
import { isBound } from "./state/volumes.ts";
import { untilDone } from "./until-done.ts";
import type { VolumeCache } from "./volume-cache.ts";

interface BindVolumesParts {
  readonly client: Client;
  readonly volumes: VolumeCache;
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

async function untilBound(
  plan: VolumePlan,
  nodeName: string,
  { volumes, clock, signal, patienceMs }: BindVolumesParts,
): Promise<void> {
  await untilDone({
    isDone: () => areBound(plan, nodeName, volumes),
    onChange: (changed) => volumes.onClaimChange(changed),
    patienceMs,
    lateMessage: "binding volumes: timed out",
    clock,
    signal,
  });
}

/** Fails when they never will be, for this node. */
function areBound({ bind, provision }: VolumePlan, nodeName: string, volumes: VolumeCache): boolean {
  const newest = ({ metadata: { namespace = "", name } }: Claim): Claim => {
    const claim = volumes.claim(namespace, name);
    if (claim === undefined) throw new Error(`persistentvolumeclaim "${name}" not found`);
    return claim;
  };
  for (const before of provision) {
    const claim = newest(before);
    const selected = claim.metadata.annotations?.[volumes.annotations.selectedNode];
    // Who could not make the volume for this node gives the choice back.
    const isNewer = claim.metadata.resourceVersion !== before.metadata.resourceVersion;
    if (isNewer && selected !== nodeName && !isBound(claim, volumes))
      throw new Error(`selectedNode annotation reset for PVC "${claim.metadata.name}"`);
  }
  return [...bind.map(({ claim }) => claim), ...provision].every((claim) => isBound(newest(claim), volumes));
}
