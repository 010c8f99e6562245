// What becomes of a volume that its claim has left, as far as a manager without drivers can do it. Pure.

import type { Pod } from "../../kinds/core/pod.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import type { Names } from "../../meta/names.ts";
import type { Volume } from "./match-volume.ts";
import { recyclerPod } from "./recycler-pod.ts";

type Reclaim =
  /** It stays as it is, or somebody else sees to it. */
  | { readonly type: "leave" }
  | ReclaimFailure
  /** A folder of the manager's own machine goes, and the volume with it. */
  | { readonly type: "delete folder"; readonly path: string }
  /** A pod empties it, and it is free for others. */
  | { readonly type: "empty"; readonly pod: Draft<Pod> };

interface ReclaimFailure {
  readonly type: "fail";
  readonly reason: "VolumeFailedDelete" | "VolumeFailedRecycle";
  readonly message: string;
}

/** `deletesFolders`: those below /tmp may be deleted. */
export function reclaimOf(volume: Volume, names: Names, deletesFolders: boolean): Reclaim {
  const { metadata, spec } = volume;
  const { annotations = {} } = metadata;
  switch (spec.persistentVolumeReclaimPolicy) {
    case "Recycle": {
      const pod = recyclerPod(volume, names);
      if (pod !== undefined) return { type: "empty", pod };
      return failure("VolumeFailedRecycle", "No recycler plugin found for the volume!");
    }
    case "Delete": {
      // Whoever has made it deletes it.
      if (annotations[names.provisionedByAnnotation] || spec.csi !== undefined) return { type: "leave" };
      const path = spec.hostPath?.path;
      if (path !== undefined && BELOW_TMP.test(path) && deletesFolders) return { type: "delete folder", path };
      return failure("VolumeFailedDelete", notDeleted(metadata.name, spec));
    }
    default:
      return { type: "leave" };
  }
}

/** Upstream looks for it anywhere in a path; a folder elsewhere that is called tmp is not meant. */
const BELOW_TMP = /^\/tmp\/[^/]/;

function notDeleted(name: string, { hostPath, nfs }: Volume["spec"]): string {
  if (hostPath !== undefined && BELOW_TMP.test(hostPath.path))
    return `host_path deleter is not enabled: ${hostPath.path} stays as it is`;
  if (hostPath !== undefined) return `host_path deleter only supports /tmp/.+ but received provided ${hostPath.path}`;
  const why = nfs === undefined ? "no volume plugin matched" : "no deletable volume plugin matched";
  return `error getting deleter volume plugin for volume "${name}": ${why}`;
}

const failure = (reason: ReclaimFailure["reason"], message: string): ReclaimFailure => ({
  type: "fail",
  reason,
  message,
});
