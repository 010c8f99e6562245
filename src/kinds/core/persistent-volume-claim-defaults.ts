// Defaults of claims, shared by claims, stateful sets and the ephemeral volumes of pods.

import type { PersistentVolumeClaimSpec } from "./persistent-volume-claim-schema.ts";
import { roundResourceList } from "./resource-list.ts";

export function defaultClaimSpec(spec: PersistentVolumeClaimSpec): void {
  roundResourceList(spec.resources.limits);
  roundResourceList(spec.resources.requests);
  spec.volumeMode ??= "Filesystem";
}

/** The old and the new field for the source of data say the same, unless the new one says more. */
export function normalizeDataSources(spec: PersistentVolumeClaimSpec): void {
  if (spec.dataSource && !spec.dataSourceRef) spec.dataSourceRef = { ...spec.dataSource };
  else if (spec.dataSourceRef && !spec.dataSource && !spec.dataSourceRef.namespace) {
    const { namespace: _namespace, ...source } = spec.dataSourceRef;
    spec.dataSource = source;
  }
}
