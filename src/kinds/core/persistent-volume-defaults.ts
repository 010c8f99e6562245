// Defaults that the spec of a persistent volume has wherever it stands: in a volume, or in an attachment.

import type { PersistentVolumeSpec } from "./persistent-volume-schema.ts";
import { roundResourceList } from "./resource-list.ts";

export function defaultPersistentVolumeSpec(spec: PersistentVolumeSpec): void {
  roundResourceList(spec.capacity);
  if (spec.hostPath) spec.hostPath.type ??= "";
}
