// Admission: volumes, claims and attribute classes stay while they are used; a controller lets them go.

import type { Names } from "../meta/names.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { concerns } from "./match-request.ts";

export function storageObjectInUseProtection(names: Names, gateEnabled: (gate: string) => boolean): AdmissionPlugin {
  const finalizerOf = (request: AdmissionRequest): string | undefined => {
    if (concerns(request, "", "persistentvolumeclaims")) return names.pvcProtectionFinalizer;
    if (concerns(request, "", "persistentvolumes")) return names.pvProtectionFinalizer;
    const isAttributes = concerns(request, names.group("storage"), "volumeattributesclasses");
    return isAttributes && gateEnabled("VolumeAttributesClass") ? names.vacProtectionFinalizer : undefined;
  };
  return {
    name: "StorageObjectInUseProtection",
    resources: ["persistentvolumeclaims", "persistentvolumes", "volumeattributesclasses"],
    handles: (request) => request.operation === "CREATE" && finalizerOf(request) !== undefined,
    mutate(request) {
      const finalizer = finalizerOf(request)!;
      const { metadata } = request.object!;
      const finalizers = metadata.finalizers ?? [];
      if (!finalizers.includes(finalizer)) metadata.finalizers = [...finalizers, finalizer];
    },
  };
}
