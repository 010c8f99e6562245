// What the scheduler knows of the drivers of storage: what their nodes take, what is attached to them, how much is left.

import type { CSIStorageCapacity } from "../../kinds/storage/csi-storage-capacity.ts";
import type { VolumeAttachment } from "../../kinds/storage/volume-attachment.ts";

export interface DriverLookup {
  /** How many volumes a node takes, by the driver; those that set no limit are not there. */
  limitsOf(nodeName: string): ReadonlyMap<string, number>;
  attachmentsTo(nodeName: string): Iterable<VolumeAttachment>;
  /** Whether a driver says how much storage is left. */
  tellsCapacity(driver: string): boolean;
  /** Of a class: all that a node with these labels can reach, and maybe others. */
  capacitiesNear(className: string, labels: Readonly<Record<string, string>>): Iterable<CSIStorageCapacity>;
}
