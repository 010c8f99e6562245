// All resources that the server serves now: built-in ones from their declarations, custom ones as definitions come and go.

import type { Clock } from "../base/clock.ts";
import type { FieldPath } from "../codec/field-picker.ts";
import type { Kind } from "../kinds/define-kind.ts";
import type { KindRegistry } from "../kinds/kind-registry.ts";
import { metadataFields } from "../meta/field-selector.ts";
import type { Names } from "../meta/names.ts";
import { type ApiObject, parseApiVersion } from "../meta/object.ts";
import { conform, conformInSteps } from "../schema/conform.ts";
import type { Revision, StorageEngine } from "../storage/engine.ts";
import type { WatchCacheOptions } from "../storage/watch-cache.ts";
import { BuiltInResource } from "./built-in-resource.ts";
import { ObjectStore, type ObjectStoreOptions, type ReadableCheck } from "./object-store.ts";
import type { ServedResource, WriteCollaborator } from "./served-resource.ts";
import type { StoreMetrics } from "./store-metrics.ts";

interface CatalogDeps {
  readonly kinds: KindRegistry;
  readonly engine: StorageEngine;
  readonly clock: Clock;
  readonly gateEnabled: (gate: string) => boolean;
  /** What --runtime-config says of a built-in resource. */
  readonly isServed: (kind: Kind, group: string) => boolean;
  readonly cacheOptions?: Pick<WatchCacheOptions, "snapshotRetentionMs" | "log">;
  /** See ObjectStoreOptions. */
  readonly isKnownGood?: (key: string, revision: Revision, value: Uint8Array) => boolean;
  readonly storeMetrics?: StoreMetrics | undefined;
}

/** What a definition serves: one resource, in the versions of which there may be very many. */
export interface CustomVersions {
  readonly group: string;
  readonly resource: string;
  /** In the order of the definition; at least one. */
  names(): Iterable<string>;
  has(version: string): boolean;
  /** The same for everybody, made for who asks first. */
  at(version: string): ServedResource | undefined;
}

/** The root of all keys, as upstream lays them out. */
export const KEY_ROOT = "/registry/";

export class Catalog {
  readonly kinds: KindRegistry;
  /** Of events that are written from now on. */
  eventTtlSeconds = 3600;
  readonly #deps: CatalogDeps;
  /** By group, version and resource: no request has to put a key together. */
  readonly #builtIn = new Map<string, Map<string, Map<string, ServedResource>>>();
  /** Built-in resources that are not served, as far as the server itself has asked for them. */
  readonly #unserved = new Map<string, ServedResource>();
  /** By group and resource. */
  readonly #custom = new Map<string, Map<string, CustomVersions>>();
  readonly #stores = new Map<string, ObjectStore>();
  readonly #customStores = new Set<ObjectStore>();
  /** Reserve addresses and the like, by resource (`services`). */
  readonly #collaborators = new Map<string, WriteCollaborator>();
  readonly #listeners = new Set<() => void>();

  constructor(deps: CatalogDeps) {
    this.#deps = deps;
    this.kinds = deps.kinds;
    for (const { name: group, versions } of deps.kinds.groups()) {
      for (const version of versions) {
        for (const kind of deps.kinds.kindsIn(group, version)) {
          if (kind.resource === "" || !deps.isServed(kind, group)) continue;
          const versionsOf = below(this.#builtIn, group);
          below(versionsOf, version).set(kind.resource, this.#serve(kind, group));
        }
      }
    }
  }

  get clock(): Clock {
    return this.#deps.clock;
  }

  /** What clients reach. A custom resource never hides a built-in one. */
  find(group: string, version: string, resource: string): ServedResource | undefined {
    return this.#findBuiltIn(group, version, resource) ?? this.#custom.get(group)?.get(resource)?.at(version);
  }

  #findBuiltIn(group: string, version: string, resource: string): ServedResource | undefined {
    return this.#builtIn.get(group)?.get(version)?.get(resource);
  }

  /**
   * A built-in resource that the server itself works with, served or not: what --runtime-config takes away from
   * clients must neither stop the server nor switch off what its objects protect.
   */
  own(group: string, version: string, resource: string): ServedResource | undefined {
    const key = `${group}\n${version}\n${resource}`;
    const known = this.#findBuiltIn(group, version, resource) ?? this.#unserved.get(key);
    if (known !== undefined) return known;
    const kind = this.kinds.kindsIn(group, version).find((candidate) => candidate.resource === resource);
    if (kind === undefined || resource === "") return undefined;
    const unserved = this.#serve(kind, group);
    this.#unserved.set(key, unserved);
    return unserved;
  }

  /** Whether anything is served in this group and version. */
  has(group: string, version: string): boolean {
    if (this.#builtIn.get(group)?.has(version)) return true;
    for (const versions of this.#custom.get(group)?.values() ?? []) if (versions.has(version)) return true;
    return false;
  }

  /** Whether built-in resources are served in this group, in whatever version. */
  hasBuiltIn(group: string): boolean {
    return this.#builtIn.has(group);
  }

  /** Every served resource, built-in ones first, in the order of discovery. */
  all(): ServedResource[] {
    return [...this.each()];
  }

  /** The same one by one: of many definitions it is long work. */
  *each(): IterableIterator<ServedResource> {
    yield* this.builtIn();
    for (const versions of this.definitions()) for (const name of versions.names()) yield versions.at(name)!;
  }

  /** Every resource that is served in this group and version. */
  *eachIn(group: string, version: string): IterableIterator<ServedResource> {
    yield* this.#builtIn.get(group)?.get(version)?.values() ?? [];
    for (const versions of this.#custom.get(group)?.values() ?? []) {
      const resource = versions.at(version);
      if (resource !== undefined) yield resource;
    }
  }

  *builtIn(): IterableIterator<ServedResource> {
    for (const versions of this.#builtIn.values()) for (const served of versions.values()) yield* served.values();
  }

  *definitions(): IterableIterator<CustomVersions> {
    for (const resources of this.#custom.values()) yield* resources.values();
  }

  /** In which something is served; as often as there are definitions that serve something in it. */
  *groupVersions(): IterableIterator<readonly [group: string, version: string]> {
    for (const [group, versions] of this.#builtIn) for (const version of versions.keys()) yield [group, version];
    for (const versions of this.definitions()) for (const version of versions.names()) yield [versions.group, version];
  }

  /** Every way to say the same objects, itself among them. */
  sharing(served: ServedResource): readonly ServedResource[] {
    if (!served.custom) return [...this.builtIn()].filter(({ store }) => store !== undefined && store === served.store);
    const versions = this.#custom.get(served.group)?.get(served.kind.resource);
    return versions === undefined ? [] : Array.from(versions.names(), (name) => versions.at(name)!);
  }

  /** What a definition served, and what it serves now: told of once, and what stays keeps its place. */
  replaceCustom(before: CustomVersions | undefined, now: CustomVersions | undefined): void {
    const keepsPlace = before?.group === now?.group && before?.resource === now?.resource;
    const isGone = before !== undefined && this.#isListed(before);
    if (isGone && !keepsPlace) this.#unlist(before);
    if (now !== undefined) below(this.#custom, now.group).set(now.resource, now);
    if (isGone || now !== undefined) this.#changed();
  }

  #isListed(versions: CustomVersions): boolean {
    return this.#custom.get(versions.group)?.get(versions.resource) === versions;
  }

  #unlist({ group, resource }: CustomVersions): void {
    const resources = this.#custom.get(group);
    resources?.delete(resource);
    if (resources?.size === 0) this.#custom.delete(group);
  }

  /** What others serve beside this catalog has changed: discovery is to be made anew. */
  announce(): void {
    this.#changed();
  }

  /** Calls back after every change of what is served. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Has every write of a built-in resource (`services`, `jobs.batch`) accompanied. */
  collaborate(resource: string, collaborator: WriteCollaborator): void {
    this.#collaborators.set(resource, collaborator);
  }

  /** The store below a prefix, shared by all versions and groups that serve it. */
  #storeAt(prefix: string, make: () => ObjectStore): ObjectStore {
    const known = this.#stores.get(prefix);
    if (known !== undefined) return known;
    const store = make();
    this.#stores.set(prefix, store);
    return store;
  }

  /** A store for records that no API serves. */
  privateStore(prefix: string, ttlSeconds?: number): ObjectStore {
    const { engine, clock } = this.#deps;
    const lifetime = ttlSeconds === undefined ? {} : { ttlSeconds: () => ttlSeconds };
    return this.#storeAt(
      prefix,
      () => new ObjectStore({ engine, prefix, namespaced: false, fieldsOf: () => ({}), clock, ...lifetime }),
    );
  }

  /** A store for the objects of a custom resource, until it is dropped. */
  customStore(
    { group, resource }: { readonly group: string; readonly resource: string },
    options: Pick<ObjectStoreOptions, "prefix" | "namespaced" | "fieldsOf" | "onRead" | "readsSlowly">,
  ): ObjectStore {
    const { engine, clock, cacheOptions, storeMetrics } = this.#deps;
    const store = new ObjectStore({
      engine,
      clock,
      observer: storeMetrics?.of(group, resource),
      ...(cacheOptions === undefined ? {} : { cacheOptions }),
      ...options,
    });
    this.#customStores.add(store);
    return store;
  }

  async dropCustomStore(store: ObjectStore): Promise<void> {
    this.#customStores.delete(store);
    await store.close();
  }

  /** Whether built-in objects live below a prefix. */
  isBuiltInPrefix(prefix: string): boolean {
    return this.#stores.has(prefix);
  }

  /** Every store in use; of a custom resource whose definition changes, the newest comes last. */
  *stores(): IterableIterator<ObjectStore> {
    yield* this.#stores.values();
    yield* this.#customStores;
  }

  /** To another server: what the one before has added to the resources of the sources has ended with it. */
  async handOver(): Promise<void> {
    this.#listeners.clear();
    this.#collaborators.clear();
    this.#custom.clear();
    await Promise.all([...this.#customStores].map((store) => this.dropCustomStore(store)));
  }

  async close(): Promise<void> {
    await Promise.all([...this.stores()].map((store) => store.close()));
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #serve(kind: Kind, group: string): ServedResource {
    const { kinds, clock, gateEnabled } = this.#deps;
    const isStored = kind.virtual !== true && kind.storagePrefix !== undefined;
    const store = isStored ? this.#storeOf(kinds.storedKind(kind)) : undefined;
    return new BuiltInResource(kind, group, store, { kinds, clock, gateEnabled, collaborators: this.#collaborators });
  }

  #storeOf(stored: Kind): ObjectStore {
    const { engine, clock, cacheOptions, isKnownGood, storeMetrics } = this.#deps;
    const prefix = `${KEY_ROOT}${stored.storagePrefix}/`;
    return this.#storeAt(
      prefix,
      () =>
        new ObjectStore({
          engine,
          prefix,
          namespaced: stored.scope === "Namespaced",
          fieldsOf: (object) => this.#fieldsOf(stored, object),
          fieldPaths: () => (this.#storedAs(stored).length > 0 ? undefined : fieldPathsOf(stored)),
          checkReadable: readableCheck(stored, this.kinds.names),
          clock,
          observer: storeMetrics?.of(this.kinds.names.group(stored.group), stored.resource),
          ...(isKnownGood === undefined ? {} : { isKnownGood }),
          ...(cacheOptions === undefined ? {} : { cacheOptions }),
          ...(stored.expires ? { ttlSeconds: () => this.eventTtlSeconds } : {}),
        }),
    );
  }

  /** The selectable fields of every version that serves the stored object. */
  #fieldsOf(stored: Kind, object: ApiObject): Record<string, string> {
    const fields = metadataFields(stored.scope, object.metadata);
    for (const field in stored.selectableFields) fields[field] = readField(stored.selectableFields[field]!, object);
    for (const other of this.#storedAs(stored)) {
      const converted = other.storedAs!.fromStored(object, this.kinds.names);
      for (const [field, read] of Object.entries(other.selectableFields ?? {}))
        fields[field] ??= readField(read, converted);
    }
    return fields;
  }

  readonly #siblings = new Map<Kind, readonly Kind[]>();

  /** Kinds with selectable fields of their own that are stored in this form. */
  #storedAs(stored: Kind): readonly Kind[] {
    let siblings = this.#siblings.get(stored);
    if (siblings === undefined) {
      siblings = this.kinds
        .groups()
        .flatMap(({ name, versions }) => versions.flatMap((version) => this.kinds.kindsIn(name, version)))
        .filter(
          (kind) =>
            kind !== stored &&
            kind.selectableFields !== undefined &&
            kind.storedAs !== undefined &&
            this.kinds.storedKind(kind) === stored,
        );
      this.#siblings.set(stored, siblings);
    }
    return siblings;
  }
}

/** What its selectable fields are made of. Each is named after where it stands, but for those that say otherwise. */
export function fieldPathsOf({ selectableFields = {}, fieldsFrom = [] }: Kind): FieldPath[] {
  return [...Object.keys(selectableFields).map((field) => field.split(".")), ...fieldsFrom];
}

/** What another program has stored may lack the parts that ours always have: they are empty then. */
function readField(read: (object: ApiObject) => string, object: ApiObject): string {
  try {
    return read(object);
  } catch {
    return read({ spec: {}, status: {}, ...object });
  }
}

function below<T>(groups: Map<string, Map<string, T>>, name: string): Map<string, T> {
  const known = groups.get(name);
  if (known !== undefined) return known;
  const made = new Map<string, T>();
  groups.set(name, made);
  return made;
}

/** A stored value must be of the kind, in whatever version, and its members of their types. */
function readableCheck(stored: Kind, names: Names): ReadableCheck {
  const group = names.group(stored.group);
  const checkKind = ({ apiVersion = "", kind }: ApiObject) => {
    if (kind === stored.kind && parseApiVersion(apiVersion)?.group === group) return;
    throw new Error(`it is a ${kind} of ${apiVersion}`);
  };
  // In place: a copy of everything that is read would be garbage at once.
  const options = { unknownFields: "keep", reuse: true } as const;
  return {
    atOnce(object) {
      checkKind(object);
      conform(object, stored.schema, options);
    },
    *inSteps(object) {
      checkKind(object);
      yield* conformInSteps(object, stored.schema, options);
    },
  };
}
