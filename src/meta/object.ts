// What every object has: type and metadata. Requirements: document 1, "Object metadata".

import type { JsonObject } from "../base/json.ts";

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: "Apply" | "Update";
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: JsonObject;
  subresource?: string;
}

export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  selfLink?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

/** A decoded object of any kind. */
export interface ApiObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  // Kinds add fields; code that knows the kind uses its own type instead.
  [field: string]: unknown;
}

/** What counts a change of what is wished for. */
export function nextGeneration({ generation = 0 }: ObjectMeta): number {
  // Where clients say with which it begins, it may be beyond 2^53: there it stays.
  return Number.isSafeInteger(generation) ? generation + 1 : generation;
}

export interface ObjectKey {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** `v1` for the core group, `group/version` otherwise. */
export function apiVersionOf(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}

export function parseApiVersion(apiVersion: string): { group: string; version: string } | undefined {
  const parts = apiVersion.split("/", 3);
  if (parts.length === 1 && parts[0] !== "") return { group: "", version: parts[0]! };
  if (parts.length === 2 && parts[0] !== "" && parts[1] !== "") return { group: parts[0]!, version: parts[1]! };
  return undefined;
}
