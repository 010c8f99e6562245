// What becomes of a volume that its claim has left, as far as a manager without drivers can do it. Pure.

import type { Names } from "../../meta/names.ts";
import type { Volume } from "./match-volume.ts";

interface ReclaimFailure {
  readonly reason: "VolumeFailedDelete" | "VolumeFailedRecycle";
  readonly message: string;
}

/** Why it can be neither deleted nor emptied; undefined where it stays as it is, or somebody else sees to it. */
export function whyNotReclaimed({ metadata, spec }: Volume, names: Names): ReclaimFailure | undefined {
  const { annotations = {} } = metadata;
  switch (spec.persistentVolumeReclaimPolicy) {
    case "Recycle":
      return { reason: "VolumeFailedRecycle", message: "No recycler plugin found for the volume!" };
    case "Delete": {
      // Whoever has made it deletes it.
      if (annotations[names.provisionedByAnnotation] || spec.csi !== undefined) return undefined;
      return { reason: "VolumeFailedDelete", message: notDeleted(metadata.name, spec) };
    }
    default:
      return undefined;
  }
}

function notDeleted(name: string, { hostPath, nfs }: Volume["spec"]): string {
  // Upstream's manager removes folders below /tmp of its own machine; nothing of the kind is done here.
  if (hostPath?.path.includes("/tmp/")) return `host_path deleter is not enabled: ${hostPath.path} stays as it is`;
  if (hostPath !== undefined) return `host_path deleter only supports /tmp/.+ but received provided ${hostPath.path}`;
  const why = nfs === undefined ? "no volume plugin matched" : "no deletable volume plugin matched";
  return `error getting deleter volume plugin for volume "${name}": ${why}`;
}
