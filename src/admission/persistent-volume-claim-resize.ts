// Admission: only a bound claim whose class allows it may grow.

import type { PersistentVolumeClaim } from "../kinds/core/persistent-volume-claim.ts";
import type { StorageClass } from "../kinds/storage/storage-class.ts";
import type { Names } from "../meta/names.ts";
import { compareQuantities, parseQuantity, quantityOfInt } from "../meta/quantity.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { concerns } from "./match-request.ts";
import type { Lookup } from "./mirrors.ts";
import { refusal } from "./refusal.ts";

export function persistentVolumeClaimResize(names: Names, classes: Lookup<StorageClass> | undefined): AdmissionPlugin {
  return {
    name: "PersistentVolumeClaimResize",
    resources: ["persistentvolumeclaims"],
    handles: (request) => request.operation === "UPDATE" && concerns(request, "", "persistentvolumeclaims"),
    validate(request) {
      const claim = request.object as unknown as PersistentVolumeClaim;
      const old = request.oldObject as unknown as PersistentVolumeClaim;
      if (compareQuantities(sizeOf(claim), sizeOf(old)) <= 0) return;
      if (old.status?.phase !== "Bound") throw refusal(request, "Only bound persistent volume claims can be expanded");
      const className = classOf(names, old);
      const allowed = className !== "" && classes?.get("", className)?.allowVolumeExpansion === true;
      if (allowed) return;
      throw refusal(
        request,
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
      );
    },
  };
}

function sizeOf({ spec }: PersistentVolumeClaim) {
  return parseQuantity(spec.resources?.requests?.["storage"] ?? "0") ?? quantityOfInt(0);
}

function classOf(names: Names, { metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.[names.betaStorageClassAnnotation] ?? spec.storageClassName ?? "";
}
