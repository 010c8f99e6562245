// The pod that empties a volume so that it can be given to another claim, as upstream's manager makes it. Pure.

import type { Pod } from "../../kinds/core/pod.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import type { Names } from "../../meta/names.ts";
import { parseQuantity, quantityToInteger } from "../../meta/quantity.ts";
import type { Volume } from "./match-volume.ts";

export const RECYCLER_NAMESPACE = "default";
const PREFIX = "recycler-for-";

/** The same for every attempt: two managers do not empty a volume side by side. */
export const recyclerPodName = (volumeName: string): string => `${PREFIX}${volumeName}`;

/** The volume that a pod of this name empties; none for all other pods. */
export function volumesOfRecycler({ metadata: { namespace, name = "" } }: Pod): readonly string[] {
  return namespace === RECYCLER_NAMESPACE && name.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : [];
}

/** Undefined for volumes that only their drivers could empty. */
export function recyclerPod({ metadata, spec }: Volume, names: Names): Draft<Pod> | undefined {
  const { hostPath, nfs, capacity } = spec;
  const source =
    hostPath !== undefined
      ? { hostPath: { path: hostPath.path } }
      : nfs !== undefined && { nfs: { server: nfs.server, path: nfs.path } };
  if (source === false) return undefined;
  const seconds = timeoutSeconds(capacity?.["storage"], hostPath !== undefined ? 60 : 300);
  return {
    metadata: { name: recyclerPodName(metadata.name), namespace: RECYCLER_NAMESPACE },
    spec: {
      activeDeadlineSeconds: seconds,
      restartPolicy: "Never",
      volumes: [{ name: "vol", ...source }],
      containers: [
        {
          name: "pv-recycler",
          image: names.recyclerImage,
          command: ["/bin/sh"],
          args: ["-c", 'test -e /scrub && find /scrub -mindepth 1 -delete && test -z "$(ls -A /scrub)" || exit 1'],
          volumeMounts: [{ name: "vol", mountPath: "/scrub" }],
        },
      ],
    },
  };
}

const GIB = 2n ** 30n;
const SECONDS_PER_GIB = 30n;

/** Large volumes get more time. */
function timeoutSeconds(storage: string | undefined, least: number): number {
  const quantity = storage === undefined ? undefined : parseQuantity(storage);
  const whole = quantity === undefined ? 0n : quantityToInteger(quantity) / GIB;
  return Math.max(least, Number(whole * SECONDS_PER_GIB));
}
