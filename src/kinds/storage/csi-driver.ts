// CSIDriver: how a storage driver wants to be treated.

import { equalJson } from "../../base/json.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind } from "../define-kind.ts";
import type { CSIDriver } from "./csi-driver-schema.ts";
import { csiDriverSchema } from "./csi-driver-schema.ts";
import { validateCsiDriver, validateCsiDriverUpdate } from "./csi-driver-validation.ts";

export type { CSIDriver } from "./csi-driver-schema.ts";

export const csiDriver = defineKind({
  group: "storage",
  version: "v1",
  kind: "CSIDriver",
  resource: "csidrivers",
  scope: "Cluster",
  schema: csiDriverSchema,
  returnDeletedObject: true,
  columns: [
    NAME_COLUMN,
    { name: "AttachRequired", type: "boolean", cell: ({ spec }) => spec.attachRequired ?? true },
    { name: "PodInfoOnMount", type: "boolean", cell: ({ spec }) => spec.podInfoOnMount ?? false },
    { name: "StorageCapacity", type: "boolean", cell: ({ spec }) => spec.storageCapacity ?? false },
    { name: "TokenRequests", type: "string", cell: tokenRequestsCell },
    { name: "RequiresRepublish", type: "boolean", cell: ({ spec }) => spec.requiresRepublish ?? false },
    {
      name: "Modes",
      type: "string",
      cell: ({ spec }) => (spec.volumeLifecycleModes?.length ? spec.volumeLifecycleModes.join(",") : "<none>"),
    },
    AGE_COLUMN,
  ],
  hooks: {
    default({ spec }) {
      spec.attachRequired ??= true;
      spec.podInfoOnMount ??= false;
      spec.storageCapacity ??= false;
      spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
      if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ["Persistent"];
      spec.requiresRepublish ??= false;
      spec.seLinuxMount ??= false;
    },
    prepareForUpdate({ metadata, spec }, old) {
      // Created without one, it counts the changes of what may change.
      const changed = (["tokenRequests", "requiresRepublish", "seLinuxMount"] as const).some(
        (key) => !equalJson(spec[key], old.spec[key]),
      );
      if (changed) metadata.generation = (old.metadata.generation ?? 0) + 1;
    },
    validate: validateCsiDriver,
    validateUpdate: validateCsiDriverUpdate,
  },
});

function tokenRequestsCell({ spec }: CSIDriver): string {
  return (spec.tokenRequests ?? []).map(({ audience }) => audience).join(",") || "<unset>";
}
