// Admission: a claim that names no class gets the default one.

import type { PersistentVolumeClaim } from "../kinds/core/persistent-volume-claim.ts";
import type { StorageClass } from "../kinds/storage/storage-class.ts";
import type { Names } from "../meta/names.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { concerns } from "./match-request.ts";
import type { Lookup } from "./mirrors.ts";

export function defaultStorageClass(names: Names, classes: Lookup<StorageClass> | undefined): AdmissionPlugin {
  return {
    name: "DefaultStorageClass",
    resources: ["persistentvolumeclaims"],
    handles: (request) => request.operation === "CREATE" && concerns(request, "", "persistentvolumeclaims"),
    mutate({ object }) {
      const { metadata, spec } = object as unknown as PersistentVolumeClaim;
      // Even an empty name is a choice: no class.
      if (spec.storageClassName != null || hasOwn(metadata.annotations, names.betaStorageClassAnnotation)) return;
      const chosen = newestDefault(names, classes);
      if (chosen?.metadata.name !== undefined) spec.storageClassName = chosen.metadata.name;
    },
  };
}

/** Several may be marked: the newest counts, then the first by name. */
function newestDefault(names: Names, classes: Lookup<StorageClass> | undefined): StorageClass | undefined {
  let best: StorageClass | undefined;
  for (const one of classes?.values() ?? []) {
    if (isDefault(names, one) && (best === undefined || isBetter(one, best))) best = one;
  }
  return best;
}

function isDefault(names: Names, { metadata: { annotations } }: StorageClass): boolean {
  const marks = [names.defaultStorageClassAnnotation, names.betaDefaultStorageClassAnnotation];
  return marks.some((mark) => hasOwn(annotations, mark) && annotations?.[mark] === "true");
}

function isBetter(a: StorageClass, b: StorageClass): boolean {
  const [bornA, bornB] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
  return bornA === bornB ? (a.metadata.name ?? "") < (b.metadata.name ?? "") : bornA > bornB;
}

function hasOwn(record: Readonly<Record<string, string>> | undefined, key: string): boolean {
  return record !== undefined && Object.hasOwn(record, key);
}
