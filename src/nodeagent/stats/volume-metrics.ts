// How full claims are, in the words of upstream's metrics (`kubelet_volume_stats_*`). Pure.

import { type Family, familiesText, labelText } from "./metric-families.ts";
import type { VolumeUsage } from "./volume-usage.ts";

export interface ClaimUsage {
  readonly namespace: string;
  readonly usage: VolumeUsage & { readonly claim: string };
}

const FAMILIES = [
  ["available_bytes", "Number of available bytes in the volume", ({ availableBytes }) => availableBytes],
  ["capacity_bytes", "Capacity in bytes of the volume", ({ capacityBytes }) => capacityBytes],
  ["inodes", "Maximum number of inodes in the volume", ({ capacityInodes }) => capacityInodes],
  ["inodes_free", "Number of free inodes in the volume", ({ freeInodes }) => freeInodes],
  ["inodes_used", "Number of used inodes in the volume", ({ inodes }) => inodes],
  ["used_bytes", "Number of used bytes in the volume", ({ bytes }) => bytes],
] as const satisfies readonly (readonly [string, string, (usage: VolumeUsage) => number | undefined])[];

/** A claim that several pods use counts once. */
export function volumeMetrics(claims: readonly ClaimUsage[]): string {
  const once = new Map(claims.map((each) => [`${each.namespace}/${each.usage.claim}`, each]));
  return familiesText(
    FAMILIES.map(
      ([name, help, value]): Family => ({
        name: `kubelet_volume_stats_${name}`,
        type: "gauge",
        help: `[ALPHA] ${help}`,
        samples: [...once.values()].flatMap(({ namespace, usage }) => {
          const amount = value(usage);
          const labels = labelText({ namespace, persistentvolumeclaim: usage.claim });
          return amount === undefined ? [] : [{ labels, value: amount, timeMs: 0 }];
        }),
      }),
    ),
  );
}
