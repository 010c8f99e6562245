// Gives claims that waited for their first consumer the volumes that were found for them, and waits until they are bound.

import type { Clock } from "../base/clock.ts";
import type { Client } from "../client/client.ts";
import type { VolumePlan } from "./filters/volumes.ts";
import { isBound } from "./state/volumes.ts";
import type { VolumeCache } from "./volume-cache.ts";

/** As upstream: whoever binds and makes volumes has ten minutes. */
const PATIENCE_MS = 600_000;

export interface BindVolumesParts {
  readonly client: Client;
  readonly volumes: VolumeCache;
  readonly clock: Clock;
  readonly signal: AbortSignal;
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
          annotations: { [boundByControllerAnnotation]: "yes" },
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

function untilBound(plan: VolumePlan, nodeName: string, { volumes, clock, signal }: BindVolumesParts): Promise<void> {
  const claims = [...plan.bind.map(({ claim }) => claim), ...plan.provision].map(({ metadata }) => metadata);
  const made = new Set(plan.provision.map(({ metadata }) => metadata.uid));
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      watch.remove();
      timer.cancel();
      signal.removeEventListener("abort", aborted);
      settle();
    };
    const aborted = (): void => end(() => reject(signal.reason));
    const look = (): void => {
      let bound = 0;
      for (const { name, namespace = "", uid } of claims) {
        const claim = volumes.claim(namespace, name);
        if (claim === undefined) return end(() => reject(new Error(`persistentvolumeclaim "${name}" not found`)));
        if (isBound(claim, volumes)) bound += 1;
        // Who could not make the volume for this node gives the choice back.
        else if (made.has(uid) && hasSeen.has(uid) && !isSelected(claim)) {
          return end(() => reject(new Error(`selectedNode annotation reset for PVC "${name}"`)));
        } else if (isSelected(claim)) hasSeen.add(uid);
      }
      if (bound === claims.length) end(resolve);
    };
    const isSelected = (claim: { metadata: { annotations?: Record<string, string> } }): boolean =>
      claim.metadata.annotations?.[volumes.annotations.selectedNode] === nodeName;
    const hasSeen = new Set<string>();
    const timer = clock.setTimer(PATIENCE_MS, () => end(() => reject(new Error("binding volumes: timed out"))));
    let watch: { remove(): void } = { remove: () => undefined };
    signal.addEventListener("abort", aborted, { once: true });
    watch = volumes.onClaimChange(look);
    look();
  });
}
