// The sub-resources that several kinds have: status, written apart from the rest of the object, and scale.
// Requirements: document 1, "Sub-resources".

import type { ObjectMeta } from "../meta/object.ts";
import type { HookContext, Subresource, Work } from "./define-kind.ts";

interface Owner {
  metadata: ObjectMeta;
  status?: unknown;
}

interface StatusOptions {
  /** Labels too come from the stored object, as for the kinds of `apps`. */
  readonly keepLabels?: boolean;
  /** All metadata comes from the stored object, but what the server manages. */
  readonly keepMetadata?: boolean;
  /** What a server-side apply through this endpoint does not own. By default the spec. */
  readonly resetFields?: readonly (readonly string[])[];
}

/** The number of replicas alone, of kinds that keep it in the usual place. */
export function scaleSubresource<T>(selector: (object: T) => string | undefined): Subresource<T> {
  return {
    type: "scale",
    verbs: ["get", "patch", "update"],
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    selector,
  };
}

/** A write through it changes the status and the metadata, nothing else. */
export function statusSubresource<T extends Owner>(
  options: StatusOptions = {},
  prepare?: (object: T, old: T, context: HookContext) => Work,
): Extract<Subresource<T>, { type: "object" }> {
  return {
    type: "object",
    verbs: ["get", "update", "patch"],
    resetFields: options.resetFields ?? [["spec"]],
    prepareForUpdate(object, old, context) {
      restoreAllBut(object, old, ["status", "metadata"]);
      if (options.keepMetadata) object.metadata = serverManagedFrom(object.metadata, old.metadata);
      else if (options.keepLabels) restore(object.metadata, old.metadata, "labels");
      return prepare?.(object, old, context);
    },
  };
}

/** A write to the object itself leaves the status as it is stored. */
export function keepStatus<T extends { status?: unknown }>(object: T, old: T): void {
  restore(object, old, "status");
}

/** Takes every member from `old` but the named ones and the type. The two share them: who changes one copies it. */
export function restoreAllBut<T extends object>(object: T, old: T, kept: readonly (keyof T)[]): void {
  const stay = new Set<PropertyKey>([...kept, "kind", "apiVersion"]);
  for (const key of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (!stay.has(key)) restore(object, old, key as keyof T);
  }
}

/** Takes one member from `old`, also its absence. */
export function restore<T extends object>(object: T, old: T, key: keyof T): void {
  if (old[key] === undefined) delete object[key];
  else object[key] = old[key];
}

/** Old metadata with the parts of the new that every write carries: resourceVersion and managedFields. */
function serverManagedFrom(metadata: ObjectMeta, old: ObjectMeta): ObjectMeta {
  const kept: ObjectMeta = { ...old };
  restore(kept, metadata, "resourceVersion");
  restore(kept, metadata, "managedFields");
  return kept;
}
