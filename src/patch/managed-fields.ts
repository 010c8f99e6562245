// The entries of metadata.managedFields, read into managers and written back in upstream's form and order.
// Requirements: document 1, "Field-ownership entry".

import type { Steps } from "../base/steps.ts";
import type { ManagedFieldsEntry } from "../meta/object.ts";
import { compareByBytes } from "../schema/sorted-keys.ts";
import { EMPTY_SET, type FieldSet, unionSets } from "./field-set.ts";
import { decodeFieldSet, decodeFieldSetInSteps, encodeFieldSet, encodeFieldSetInSteps } from "./fields-v1.ts";

/** One manager with what it owns. Appliers are told apart by name and sub-resource, updaters by version too. */
export interface Manager {
  readonly name: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly set: FieldSet;
  /** The wire form of the set, when it is known. */
  readonly encoded?: NonNullable<ManagedFieldsEntry["fieldsV1"]> | undefined;
}

/** By identity, see managerId. */
export type Managers = ReadonlyMap<string, Manager>;

/** Updaters beyond this many are merged, oldest first. */
export const MAX_UPDATE_MANAGERS = 10;
const OLDEST_MANAGER = "ancient-changes";

/** Sorts as upstream's identifiers do, which decides the order of conflicts. */
export function managerId(manager: Pick<Manager, "name" | "operation" | "apiVersion" | "subresource">): string {
  const { name, operation, apiVersion, subresource } = manager;
  const version = operation === "Apply" ? "" : `,"apiVersion":${JSON.stringify(apiVersion)}`;
  const part = subresource === "" ? "" : `,"subresource":${JSON.stringify(subresource)}`;
  return `{"manager":${JSON.stringify(name)},"operation":"${operation}"${version}${part}}`;
}

/**
 * Some steps for each manager, one where it is not `large`. Throws an Error when an entry is broken; the caller decides
 * what then holds.
 */
export function* decodeManagedFieldsInSteps(
  entries: readonly ManagedFieldsEntry[] | null | undefined,
  large: boolean,
): Steps<Map<string, Manager>> {
  const managers = new Map<string, Manager>();
  for (const [index, entry] of (entries ?? []).entries()) {
    if (entry.operation !== "Apply" && entry.operation !== "Update")
      throw new Error("operation must be `Apply` or `Update`");
    if (entry.apiVersion === undefined || entry.apiVersion === "") throw new Error("apiVersion must not be empty");
    if (entry.fieldsType === undefined || entry.fieldsType === "") {
      throw new Error(`missing fieldsType in managed fields entry ${index}`);
    }
    if (entry.fieldsType !== "FieldsV1") {
      throw new Error(`invalid fieldsType "${entry.fieldsType}" in managed fields entry ${index}`);
    }
    const manager: Manager = {
      name: entry.manager ?? "",
      operation: entry.operation,
      apiVersion: entry.apiVersion,
      subresource: entry.subresource ?? "",
      time: entry.time ?? undefined,
      set: large ? yield* decodeFieldSetInSteps(entry.fieldsV1) : decodeFieldSet(entry.fieldsV1),
      encoded: entry.fieldsV1,
    };
    managers.set(managerId(manager), manager);
    yield;
  }
  return managers;
}

/** Undefined when nobody owns anything. Some steps for each manager, one where it is not `large`. */
export function* encodeManagedFieldsInSteps(
  managers: Managers,
  large: boolean,
): Steps<ManagedFieldsEntry[] | undefined> {
  if (managers.size === 0) return undefined;
  const entries: ManagedFieldsEntry[] = [];
  for (const manager of [...managers.values()].sort(compareManagers)) {
    if (entries.length > 0) yield;
    const encoded = large && manager.encoded === undefined ? yield* encodeFieldSetInSteps(manager.set) : undefined;
    entries.push(entryOf(encoded === undefined ? manager : { ...manager, encoded }));
  }
  return entries;
}

/** Member by member, in upstream's order: every write does this, and spread objects are slow to make. */
export function entryOf(manager: Omit<Manager, "set"> & { readonly set?: FieldSet }): ManagedFieldsEntry {
  const entry: ManagedFieldsEntry = {};
  if (manager.name !== "") entry.manager = manager.name;
  entry.operation = manager.operation;
  entry.apiVersion = manager.apiVersion;
  if (manager.time !== undefined) entry.time = manager.time;
  entry.fieldsType = "FieldsV1";
  entry.fieldsV1 = manager.encoded ?? encodeFieldSet(manager.set ?? EMPTY_SET);
  if (manager.subresource !== "") entry.subresource = manager.subresource;
  return entry;
}

/** The manager with another set. The same manager when it is the same set. */
export function withSet(manager: Manager, set: FieldSet): Manager {
  if (set === manager.set) return manager;
  const { name, operation, apiVersion, subresource, time } = manager;
  return { name, operation, apiVersion, subresource, time, set, encoded: undefined };
}

/** At most MAX_UPDATE_MANAGERS updaters: the oldest of each version are merged into one entry. */
export function capUpdateManagers(managers: Managers): Managers {
  if (managers.size <= MAX_UPDATE_MANAGERS) return managers;
  const updaters = [...managers].filter(([, manager]) => manager.operation === "Update");
  if (updaters.length <= MAX_UPDATE_MANAGERS) return managers;
  updaters.sort(([idA, a], [idB, b]) => secondsOf(a) - secondsOf(b) || compareByBytes(idA, idB));

  const capped = new Map(managers);
  const firstOfVersion = new Map<string, string>();
  let count = updaters.length;
  for (const [id, manager] of updaters) {
    if (count <= MAX_UPDATE_MANAGERS) break;
    const first = firstOfVersion.get(manager.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(manager.apiVersion, id);
      continue;
    }
    const bucket = {
      name: OLDEST_MANAGER,
      operation: "Update",
      apiVersion: manager.apiVersion,
      subresource: "",
    } as const;
    const bucketId = managerId(bucket);
    let collected = capped.get(bucketId)?.set;
    if (collected === undefined) {
      collected = capped.get(first)!.set;
      capped.delete(first);
    }
    capped.delete(id);
    capped.set(bucketId, { ...bucket, time: manager.time, set: unionSets(collected, manager.set) });
    count--;
  }
  return capped;
}

function compareManagers(a: Manager, b: Manager): number {
  return (
    compareByBytes(a.operation, b.operation) ||
    secondsOf(a) - secondsOf(b) ||
    compareByBytes(a.name, b.name) ||
    compareByBytes(a.apiVersion, b.apiVersion) ||
    compareByBytes(a.subresource, b.subresource)
  );
}

/** Seconds since 1970; an entry without time comes first. */
function secondsOf(manager: Manager): number {
  if (manager.time === undefined) return 0;
  const milliseconds = Date.parse(manager.time);
  return Number.isNaN(milliseconds) ? 0 : Math.floor(milliseconds / 1000);
}
