// What definitions say, read from where they are stored, and compiled for whoever needs it. Of a large one everything takes
// long: it is read and compiled in steps, before those begin who need it.

import { inTurns, type Steps } from "../../../base/steps.ts";
import type { CustomResourceDefinition } from "../../../kinds/apiextensions/custom-resource-definition.ts";
import type { WaitingFor } from "../../../registry/admission.ts";
import type { ObjectStore } from "../../../registry/object-store.ts";
import { LARGE_BYTES, turnOf } from "../../../registry/write.ts";
import type { Props } from "../../../schema/crd-props.ts";
import {
  type CompiledVersion,
  type CompiledVersions,
  type DeclaredVersion,
  propsOf,
  type VersionOwner,
} from "./compiled-version.ts";
import { asDefinition, type DefinitionSummary, storageVersionOf } from "./definition.ts";

/** The versions of one generation of a definition. */
export interface VersionCompiler {
  compiled(version: string): CompiledVersion;
  /** The same where it may not be ready. */
  compiledInSteps(version: string): Steps<CompiledVersion>;
  /** What OpenAPI publishes. */
  published(version: string): Steps<Props>;
  /** Only of a large definition: undefined when everything is there that requests to this version need. */
  readonly ready: ((version: string, caller?: WaitingFor) => Promise<void> | undefined) | undefined;
  /** Whether stored objects can be read without anything that takes long to make. */
  isReady(): boolean;
  /** Lets go of what was compiled; who asks again has it compiled again. */
  forget(): void;
}

/** So many versions are kept ready; those that are stored come first. */
const MAX_READY = 16;

export class DefinitionReader {
  readonly #store: ObjectStore;
  readonly #versions: CompiledVersions;

  constructor(store: ObjectStore, versions: CompiledVersions) {
    this.#store = store;
    this.#versions = versions;
  }

  compilerOf(definition: DefinitionSummary): VersionCompiler {
    const { name, keepsUnknown } = definition;
    const versions = this.#versions;
    const owners = new Map<string, VersionOwner>(definition.versions.map(({ name }) => [name, { version: name }]));
    const nobody = { version: "" };
    const ownerOf = (version: string) => owners.get(version) ?? nobody;
    const read = (version: string) => () => this.#readVersion(name, version);
    const compiledInSteps = (version: string) => versions.getInSteps(ownerOf(version), read(version), keepsUnknown);
    const isLarge = (this.#itemOf(name)?.bytes.length ?? 0) > LARGE_BYTES;
    const has = (version: string) => versions.has(ownerOf(version));
    return {
      compiled: (version) => versions.get(ownerOf(version), read(version), keepsUnknown),
      compiledInSteps,
      published: (version) => this.#published(name, version, keepsUnknown),
      ready: isLarge ? readiness(definition, has, compiledInSteps) : undefined,
      isReady: () => !isLarge || keptReady(definition).every(has),
      forget() {
        for (const owner of owners.values()) versions.forget(owner);
      },
    };
  }

  /** Undefined when there is no such definition, or what is stored of it cannot be read. */
  *read(name: string): Steps<CustomResourceDefinition | undefined> {
    const item = this.#itemOf(name);
    if (item === undefined || item.corrupt !== undefined) return undefined;
    const entry = { key: item.key, value: item.bytes, revision: item.revision };
    const isLarge = item.bytes.length > LARGE_BYTES;
    return asDefinition(isLarge ? yield* this.#store.decodeInSteps(entry) : this.#store.decode(entry));
  }

  *#readVersion(name: string, version: string): Steps<DeclaredVersion | undefined> {
    const versions = (yield* this.read(name))?.spec.versions ?? [];
    const found = versions.find((each) => each.name === version);
    if (found === undefined) return undefined;
    return { version: found, sizeBytes: (this.#itemOf(name)?.bytes.length ?? 0) / versions.length };
  }

  *#published(name: string, version: string, keepsUnknown: boolean): Steps<Props> {
    return yield* propsOf((yield* this.#readVersion(name, version))?.version, keepsUnknown);
  }

  #itemOf(name: string): ReturnType<ObjectStore["cache"]["get"]> {
    return this.#store.cache.get(this.#store.keyOf("", name));
  }
}

function readiness(
  definition: DefinitionSummary,
  has: (version: string) => boolean,
  compiledInSteps: (version: string) => Steps<CompiledVersion>,
): NonNullable<VersionCompiler["ready"]> {
  const others = keptReady(definition);
  let making: Promise<void> | undefined;
  function* compile(wanted: Iterable<string>): Steps<void> {
    for (const version of wanted) yield* compiledInSteps(version);
  }
  return (version, caller) => {
    const wanted = [...new Set([version, ...others])].slice(0, MAX_READY);
    if (wanted.every(has)) return undefined;
    // All who wait for a definition wait for the same work.
    making ??= inTurns(compile(wanted), () => turnOf(caller)).finally(() => {
      making = undefined;
    });
    return making;
  };
}

/** What requests need, the stored versions first. */
function keptReady(definition: DefinitionSummary): readonly string[] {
  const { storedVersions, versions } = definition;
  const all = [storageVersionOf(definition), ...storedVersions, ...versions.map(({ name }) => name)];
  return [...new Set(all)].slice(0, MAX_READY);
}
