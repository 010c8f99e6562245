// Defaults that the spec of a persistent volume has wherever it stands: in a volume, or in an attachment.

import { roundResourceList } from "../resource-list.ts";
import type { PersistentVolumeSpec } from "./schema.ts";

export function defaultPersistentVolumeSpec(spec: PersistentVolumeSpec): void {
  roundResourceList(spec.capacity);
  if (spec.hostPath) spec.hostPath.type ??= "";
}
