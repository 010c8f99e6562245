// Defaults of the volumes of a pod.

import type { HookContext } from "../../define-kind.ts";
import { defaultClaimSpec } from "../persistent-volume-claim/defaults.ts";
import { defaultPullPolicy } from "../pod/image-tag.ts";
import type { DownwardAPIVolumeFile } from "./file-volumes.ts";
import type { ProjectedVolumeSource } from "./projected-volume.ts";
import type { Volume } from "./volume.ts";

// 0644
const FILE_MODE = 420;
const TOKEN_SECONDS = 3600;

export function defaultVolume(volume: Volume, context: HookContext): void {
  // A name alone is a volume too: an empty directory.
  if (Object.keys(volume).every((key) => key === "name")) volume.emptyDir = {};
  if (volume.hostPath) volume.hostPath.type ??= "";
  if (volume.secret) volume.secret.defaultMode ??= FILE_MODE;
  if (volume.configMap) volume.configMap.defaultMode ??= FILE_MODE;
  if (volume.downwardAPI) {
    volume.downwardAPI.defaultMode ??= FILE_MODE;
    defaultFiles(volume.downwardAPI.items);
  }
  if (volume.projected) defaultProjected(volume.projected);
  if (volume.ephemeral?.volumeClaimTemplate) defaultClaimSpec(volume.ephemeral.volumeClaimTemplate.spec);
  if (volume.image && context.gateEnabled("ImageVolume")) {
    volume.image.pullPolicy ||= defaultPullPolicy(volume.image.reference);
  }
}

function defaultProjected(projected: ProjectedVolumeSource): void {
  projected.defaultMode ??= FILE_MODE;
  for (const source of projected.sources ?? []) {
    if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= TOKEN_SECONDS;
    defaultFiles(source.downwardAPI?.items);
  }
}

function defaultFiles(files: readonly DownwardAPIVolumeFile[] | undefined): void {
  for (const { fieldRef } of files ?? []) if (fieldRef) fieldRef.apiVersion ||= "v1";
}
