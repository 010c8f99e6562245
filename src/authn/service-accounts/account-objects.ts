// The objects that tokens depend on: a token dies with its service account and with what it is bound to.

import { getKey, isObject } from "../../base/json.ts";
import type { Names } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { Catalog } from "../../registry/catalog.ts";
import { ObjectLookup } from "../../registry/object-lookup.ts";

export interface LiveObject {
  readonly uid: string;
  /** Undefined while nobody has asked to delete it. */
  readonly deletedAtMs: number | undefined;
}

export interface LiveAccount extends LiveObject {
  /** The Secrets that it names: those that were made for it. */
  readonly secrets: readonly string[];
}

export interface LiveSecret extends LiveObject {
  readonly type: string;
  /** Of Secrets that hold a token: the token. */
  readonly token: string | undefined;
  /** Since when an unused token counts no more; empty when it counts. */
  readonly invalidSince: string;
  /** The day of its last use; empty when it is not known. */
  readonly lastUsed: string;
}

/** Finds one object by name. */
export interface Finder<T> {
  /** As far as this server has heard. */
  get(namespace: string, name: string): T | undefined;
  /** As the store has it now. */
  getNewest(namespace: string, name: string): Promise<T | undefined>;
}

export interface AccountObjects {
  readonly serviceAccounts: Finder<LiveAccount>;
  readonly pods: Finder<LiveObject>;
  readonly secrets: Finder<LiveSecret>;
  readonly nodes: Finder<LiveObject>;
  ready(): Promise<void>;
}

export function accountObjects(names: Names, catalog: Catalog): AccountObjects {
  const lookup = <T>(resource: string, project: (object: ApiObject) => T) =>
    new ObjectLookup(catalog.own("", "v1", resource)!.store!, project);
  const parts = {
    serviceAccounts: lookup("serviceaccounts", liveAccount),
    pods: lookup("pods", liveObject),
    secrets: lookup("secrets", (object) => liveSecret(names, object)),
    nodes: lookup("nodes", liveObject),
  };
  return {
    ...parts,
    async ready() {
      await Promise.all(Object.values(parts).map((part) => part.ready()));
    },
  };
}

function liveObject({ metadata }: ApiObject): LiveObject {
  const { uid = "", deletionTimestamp } = metadata;
  return { uid, deletedAtMs: typeof deletionTimestamp === "string" ? Date.parse(deletionTimestamp) : undefined };
}

function liveAccount(object: ApiObject): LiveAccount {
  const refs = Array.isArray(object["secrets"]) ? object["secrets"] : [];
  const names = refs.map((ref: unknown) => (isObject(ref) ? getKey(ref, "name") : undefined));
  return { ...liveObject(object), secrets: names.filter((name) => typeof name === "string") };
}

function liveSecret(names: Names, object: ApiObject): LiveSecret {
  const type = typeof object["type"] === "string" ? object["type"] : "";
  const data = object["data"];
  const encoded = type === names.serviceAccountTokenType && isObject(data) ? getKey(data, "token") : undefined;
  const label = (name: string): string => {
    const value = getKey(object.metadata.labels ?? {}, name);
    return typeof value === "string" ? value : "";
  };
  return {
    ...liveObject(object),
    type,
    token: typeof encoded === "string" ? Buffer.from(encoded, "base64").toString("utf8") : undefined,
    invalidSince: label(names.legacyTokenInvalidSinceLabel),
    lastUsed: label(names.legacyTokenLastUsedLabel),
  };
}
