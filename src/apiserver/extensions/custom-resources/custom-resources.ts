// Serves what definitions define, from the moment they are stored: a definition is usable before its writer is answered.
// Requirements: document 1, "Expression language (CEL) in API fields", "Versioning", "Removed API versions".

import type { Background } from "../../../base/background.ts";
import { equalJson } from "../../../base/json.ts";
import type { Log } from "../../../base/log.ts";
import { inTurns } from "../../../base/steps.ts";
import { customResourceDefinition } from "../../../kinds/apiextensions/custom-resource-definition.ts";
import { metadataFields } from "../../../meta/field-selector.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { type Catalog, KEY_ROOT } from "../../../registry/catalog.ts";
import { ObjectMirror } from "../../../registry/object-mirror.ts";
import type { ObjectStore } from "../../../registry/object-store.ts";
import type { ServedResource } from "../../../registry/served-resource.ts";
import { turnOf, type WriteDeps } from "../../../registry/write.ts";
import type { ActiveDefinition, VersionedStore } from "./active-definition.ts";
import { CompiledVersions } from "./compiled-version.ts";
import { type Conversion, conversionOf } from "./conversion.ts";
import {
  type DefinitionSummary,
  isEstablished,
  isStoredInOneVersion,
  SUMMARY_FIELDS,
  storageVersionOf,
  summaryOf,
} from "./definition.ts";
import { DefinitionReader, type VersionCompiler } from "./definition-reader.ts";
import { DefinitionUpkeep } from "./definition-upkeep.ts";
import type { ExpressionObserver } from "./expression-metrics.ts";
import { decideNames, HeldNames, isServed, type NamingOutcome } from "./naming.ts";
import { selectableReaders } from "./selectable-fields.ts";
import { DefinedVersions } from "./served-version.ts";
import type { WebhookConverter } from "./webhook-conversion.ts";

interface CustomResourcesDeps {
  readonly context: WriteDeps;
  readonly catalog: Catalog;
  readonly log: Log;
  readonly background: Background;
  readonly webhooks: WebhookConverter;
  readonly expressions: ExpressionObserver;
}

/** Requests that began before a definition changed may still read from its old store. */
const STORE_GRACE_MS = 1_000;

interface DefinedGroup {
  readonly definitions: Set<string>;
  readonly held: HeldNames;
}

export class CustomResources {
  readonly #deps: CustomResourcesDeps;
  readonly #definitions: ServedResource;
  readonly #mirror: ObjectMirror<DefinitionSummary>;
  readonly #active = new Map<string, ActiveDefinition>();
  readonly #groups = new Map<string, DefinedGroup>();
  readonly #reader: DefinitionReader;
  readonly #upkeep: DefinitionUpkeep;
  #loaded = false;
  #closed = false;

  constructor(deps: CustomResourcesDeps) {
    const { context, catalog, log } = deps;
    const { names } = context;
    this.#deps = deps;
    const { version, resource } = customResourceDefinition;
    this.#definitions = catalog.own(names.group("apiextensions"), version, resource)!;
    const versions = new CompiledVersions(names.dialect, deps.expressions);
    this.#reader = new DefinitionReader(this.#definitions.store!, versions);
    this.#upkeep = new DefinitionUpkeep({
      context,
      definitions: this.#definitions,
      log,
      background: deps.background,
      find: (name) => this.#active.get(name),
    });
    catalog.collaborate(`${resource}.${names.group("apiextensions")}`, {
      // Who creates a definition finds its status written, and does not race with that write.
      begin: (object, old, { dryRun }) =>
        Promise.resolve({
          end: (how) =>
            typeof how === "number" && !dryRun && old === undefined
              ? this.#upkeep.settle(object.metadata.name ?? "", object.metadata.uid ?? "")
              : Promise.resolve(),
        }),
    });
    this.#mirror = new ObjectMirror(this.#definitions.store!, {
      project: (object) => summaryOf(object, names.apiApprovedAnnotation),
      fields: SUMMARY_FIELDS,
      onChange: (_key, now, before) => this.#changed(now, before),
      log: (message, error) => log.warn({ err: error }, message),
    });
  }

  /** Resolves when every definition that is stored is served. */
  async start(): Promise<void> {
    await this.#mirror.ready();
    this.#loaded = true;
    // Names that were given stay given: those who hold some come first.
    const all = [...this.#mirror.values()];
    for (const held of [true, false])
      for (const summary of all) if (isEstablished(summary) === held) this.#serve(summary);
  }

  close(): void {
    this.#closed = true;
    this.#mirror.close();
    this.#upkeep.close();
    for (const { storage } of this.#active.values()) storage.close();
  }

  #changed(now: DefinitionSummary | undefined, before: DefinitionSummary | undefined): void {
    if (this.#closed || !this.#loaded) return;
    if (now !== undefined) this.#serve(now);
    else if (before !== undefined) this.#remove(before);
  }

  #serve(summary: DefinitionSummary): void {
    const { catalog } = this.#deps;
    const known = this.#active.get(summary.name);
    const group = this.#groupOf(summary.group);
    if (known !== undefined) group.held.release(known.naming.accepted);
    const naming = this.#decide(summary, group.held);
    group.held.hold(naming.accepted);
    const storage = this.#storageFor(summary, known?.storage);
    const definition = { ...summary, acceptedNames: naming.accepted };
    const serves = isServed(summary, naming);
    const unchanged = known !== undefined && identityOf(known.summary, known.naming) === identityOf(summary, naming);
    const versions = unchanged ? known.versions : this.#versionsOf(definition, storage);
    this.#active.set(summary.name, { summary, naming, versions, storage });
    group.definitions.add(summary.name);
    if (!unchanged) catalog.replaceCustom(known?.versions, serves && versions.isServed ? versions : undefined);
    this.#upkeep.enqueue(summary.name);
  }

  #remove(summary: DefinitionSummary): void {
    const active = this.#active.get(summary.name);
    if (active === undefined) return;
    this.#active.delete(summary.name);
    const group = this.#groupOf(summary.group);
    group.definitions.delete(summary.name);
    group.held.release(active.naming.accepted);
    this.#deps.catalog.replaceCustom(active.versions, undefined);
    active.storage.close();
    // Names are free again.
    for (const other of [...group.definitions]) {
      const waiting = this.#active.get(other);
      if (waiting?.naming.conflict !== undefined) this.#serve(waiting.summary);
    }
    if (group.definitions.size === 0) this.#groups.delete(summary.group);
  }

  /** `held`: by others. */
  #decide(summary: DefinitionSummary, held: HeldNames): NamingOutcome {
    if (this.#deps.catalog.isBuiltInPrefix(prefixOf(summary))) {
      return {
        accepted: summary.acceptedNames,
        conflict: { reason: "PluralConflict", message: `${JSON.stringify(summary.names.plural)} is already in use` },
      };
    }
    // Names that were given once are not asked for again.
    if (equalJson(summary.names, summary.acceptedNames))
      return { accepted: summary.acceptedNames, conflict: undefined };
    return decideNames(summary, held);
  }

  #groupOf(name: string): DefinedGroup {
    let group = this.#groups.get(name);
    if (group === undefined) {
      group = { definitions: new Set(), held: new HeldNames() };
      this.#groups.set(name, group);
    }
    return group;
  }

  #versionsOf(definition: DefinitionSummary, storage: VersionedStore): DefinedVersions {
    const { names } = this.#deps.context;
    const { expressions } = this.#deps;
    const { compiler } = storage;
    let known: Conversion | undefined;
    const conversion = () => {
      known ??= this.#conversionOf(definition, compiler);
      return known;
    };
    let paths: ReadonlyMap<string, string> | undefined;
    const replicasPaths = () => {
      paths ??= replicasPathsOf(definition);
      return paths;
    };
    return new DefinedVersions({
      names,
      definition,
      compiler,
      conversion,
      store: storage.store,
      expressions,
      replicasPaths,
      storedVersion: storageVersionOf(definition),
      storedInOneVersion: isStoredInOneVersion(definition),
    });
  }

  #conversionOf(definition: DefinitionSummary, compiler: VersionCompiler): Conversion {
    if (definition.conversion === "None") return conversionOf({ definition, compiler });
    return conversionOf({
      definition,
      compiler,
      ask: async (objects, apiVersion, caller) => {
        const declared = await inTurns(this.#reader.read(definition.name), () => turnOf(caller));
        return this.#deps.webhooks.convert(declared, objects, apiVersion, caller?.signal);
      },
    });
  }

  #storageFor(summary: DefinitionSummary, known: VersionedStore | undefined): VersionedStore {
    const identity = `${summary.uid} ${summary.generation} ${summary.storedVersions.join(",")}`;
    if (known?.identity === identity) return known;
    known?.close();
    const { catalog, context } = this.#deps;
    const { clock } = context;
    const compiler = this.#reader.compilerOf(summary);
    let made: ObjectStore | undefined;
    const make = (): ObjectStore => {
      const conversion = this.#conversionOf(summary, compiler);
      const { group, names } = summary;
      return catalog.customStore(
        { group, resource: names.plural },
        {
          prefix: prefixOf(summary),
          namespaced: summary.scope === "Namespaced",
          onRead: (object) => conversion.read(object),
          readsSlowly: () => !compiler.isReady(),
          fieldsOf: fieldReader(summary),
        },
      );
    };
    const store = (): ObjectStore => {
      made ??= make();
      return made;
    };
    return {
      identity,
      compiler,
      store,
      close() {
        const closing = made;
        if (closing === undefined) return compiler.forget();
        clock.setTimer(STORE_GRACE_MS, () => {
          compiler.forget();
          void catalog.dropCustomStore(closing);
        });
      },
    };
  }
}

/** Below it are all objects of the resource. */
function prefixOf({ group, names }: Pick<DefinitionSummary, "group" | "names">): string {
  return `${KEY_ROOT}${group}/${names.plural}/`;
}

/** What a served resource is made of, apart from what is read on use. */
function identityOf(summary: DefinitionSummary, naming: NamingOutcome): string {
  const { uid, generation, terminating, storedVersions } = summary;
  return JSON.stringify([uid, generation, terminating, storedVersions, naming.accepted, isServed(summary, naming)]);
}

function replicasPathsOf({ group, versions }: DefinitionSummary): Map<string, string> {
  const paths = new Map<string, string>();
  for (const { name, subresources } of versions)
    if (subresources?.scale) paths.set(`${group}/${name}`, subresources.scale.specReplicasPath);
  return paths;
}

/** The selectable fields of all versions, read from the stored form. */
function fieldReader({ scope, versions }: DefinitionSummary): (object: ApiObject) => Record<string, string> {
  const readers = new Map(
    versions.flatMap(({ selectableFields }) => Object.entries(selectableReaders(selectableFields))),
  );
  return (object) => {
    const fields = metadataFields(scope, object.metadata);
    for (const [field, read] of readers) fields[field] = read(object);
    return fields;
  };
}
