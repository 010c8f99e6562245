// Ownership of the scale sub-resource: a Scale holds one field of its parent, so its managers are those who own that field.
// Requirements: document 1, "Server-side apply rules", rule 9, which the scale sub-resource is the exception to.

import type { Steps } from "../base/steps.ts";
import type { ManagedFieldsEntry } from "../meta/object.ts";
import { type FieldSet, fieldSet, hasPath, isEmptySet, subtractSets } from "./field-set.ts";
import {
  decodeManagedFieldsInSteps,
  encodeManagedFieldsInSteps,
  type Manager,
  managerId,
  withSet,
} from "./managed-fields.ts";
import { type FieldPath, fieldPath } from "./path-element.ts";

/** Where the replicas stand in each version of the parent, as `.spec.replicas`. */
type ReplicasPaths = ReadonlyMap<string, string>;

const SCALE_VERSION = "autoscaling/v1";
const SCALE_REPLICAS: FieldPath = fieldPath("spec", "replicas");

/** The managedFields of the Scale of a parent. Throws an Error when the parent's are broken. */
export function* scaleManagedFields(
  parent: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
): Steps<ManagedFieldsEntry[] | undefined> {
  const managers = new Map<string, Manager>();
  for (const [id, manager] of yield* decodeManagedFieldsInSteps(parent, true)) {
    const path = replicasPath(paths, manager.apiVersion);
    if (path === undefined || !hasPath(manager.set, path)) continue;
    managers.set(id, { ...withSet(manager, fieldSet(SCALE_REPLICAS)), apiVersion: SCALE_VERSION });
  }
  return yield* encodeManagedFieldsInSteps(managers, false);
}

/** The parent's managedFields after its Scale was written: the replicas belong to whom the Scale says. */
export function* parentManagedFields(
  parent: readonly ManagedFieldsEntry[] | undefined,
  scale: readonly ManagedFieldsEntry[] | undefined,
  apiVersion: string,
  paths: ReplicasPaths,
): Steps<ManagedFieldsEntry[] | undefined> {
  const owners = new Map<string, Manager>();
  for (const manager of (yield* decodeManagedFieldsInSteps(scale, true)).values()) {
    if (hasPath(manager.set, SCALE_REPLICAS)) owners.set(versionlessId(manager), manager);
  }
  const managers = new Map<string, Manager>();
  for (const [id, manager] of yield* decodeManagedFieldsInSteps(parent, true)) {
    const path = replicasPath(paths, manager.apiVersion);
    if (path === undefined || !hasPath(manager.set, path) || owners.delete(versionlessId(manager))) {
      managers.set(id, manager);
      continue;
    }
    const left: FieldSet = subtractSets(manager.set, fieldSet(path));
    if (!isEmptySet(left)) managers.set(id, withSet(manager, left));
  }
  const path = replicasPath(paths, apiVersion);
  for (const owner of path === undefined ? [] : owners.values()) {
    // Upstream writes no time here.
    const added: Manager = { ...owner, apiVersion, set: fieldSet(path!), encoded: undefined, time: undefined };
    managers.set(managerId(added), added);
  }
  return yield* encodeManagedFieldsInSteps(managers, true);
}

function replicasPath(paths: ReplicasPaths, apiVersion: string): FieldPath | undefined {
  const path = paths.get(apiVersion);
  return path === undefined ? undefined : fieldPath(...path.split(".").filter((name) => name !== ""));
}

/** A manager of the Scale and one of the parent are the same although they write different versions. */
const versionlessId = (manager: Manager): string => managerId({ ...manager, apiVersion: "" });
