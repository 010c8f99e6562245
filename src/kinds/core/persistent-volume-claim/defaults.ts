// Defaults of claims, shared by claims, stateful sets and the ephemeral volumes of pods.

import type { Names } from "../../../meta/names.ts";
import type { HookContext } from "../../define-kind.ts";
import { roundResourceList } from "../resource-list.ts";
import type { PersistentVolumeClaimSpec } from "./schema.ts";

export function defaultClaimSpec(spec: PersistentVolumeClaimSpec): void {
  roundResourceList(spec.resources.limits);
  roundResourceList(spec.resources.requests);
  spec.volumeMode ??= "Filesystem";
}

/** The old and the new field for the source of data say the same, unless the new one says more. */
export function settleDataSources(
  spec: PersistentVolumeClaimSpec,
  old: PersistentVolumeClaimSpec | undefined,
  { names, gateEnabled }: HookContext,
): void {
  // Another namespace cannot be left out: what would be left names another source.
  if (spec.dataSourceRef?.namespace && !old?.dataSourceRef && !gateEnabled("CrossNamespaceVolumeDataSource"))
    delete spec.dataSourceRef;
  if (!spec.dataSourceRef && !old?.dataSource && !old?.dataSourceRef) dropForeignDataSource(spec, names);
  normalizeDataSources(spec);
}

function normalizeDataSources(spec: PersistentVolumeClaimSpec): void {
  if (spec.dataSource && !spec.dataSourceRef) spec.dataSourceRef = { ...spec.dataSource };
  else if (spec.dataSourceRef && !spec.dataSource && !spec.dataSourceRef.namespace) {
    const { namespace: _namespace, ...source } = spec.dataSourceRef;
    spec.dataSource = source;
  }
}

/** The old field names claims and snapshots only: others are for the new one. */
function dropForeignDataSource(spec: PersistentVolumeClaimSpec, names: Names): void {
  if (!spec.dataSource) return;
  const { kind, apiGroup } = spec.dataSource;
  const isClaim = kind === "PersistentVolumeClaim" && !apiGroup;
  const isSnapshot = kind === "VolumeSnapshot" && apiGroup === names.snapshotGroup;
  if (!isClaim && !isSnapshot) delete spec.dataSource;
}
