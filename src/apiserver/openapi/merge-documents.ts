// Documents of other servers beside our own in version 2: their paths where we have none, their definitions under other names
// where we have different ones.
//
//   ours     ObjectMeta {a}                 theirs   Order -> ObjectMeta {b}
//   merged   ObjectMeta {a}   ObjectMeta_v2 {b}   Order -> ObjectMeta_v2

import { equalJson, isObject, type Json, type JsonObject } from "../../base/json.ts";
import { decodeJson, encodeJsonPlain } from "../../codec/json.ts";
import type { OtherDocument } from "./other-documents.ts";
import { mapReferences, selectPaths } from "./references.ts";

const KINDS = "x-kubernetes-group-version-kind";

export class DocumentMerge {
  readonly #others: readonly OtherDocument[];
  readonly #theirNames: ReadonlySet<string>;
  readonly #paths = new Set<string>();
  /** Names of ours that are written already. */
  readonly #written = new Set<string>();
  /** Ours that others have too, and all of theirs. */
  readonly #definitions = new Map<string, JsonObject>();
  readonly #parameters = new Map<string, Json>();

  constructor(others: readonly OtherDocument[], parameters: JsonObject) {
    this.#others = others;
    this.#theirNames = new Set(others.flatMap(({ definitions }) => Object.keys(definitions)));
    for (const [name, parameter] of Object.entries(parameters)) this.#parameters.set(name, parameter!);
  }

  addOwnPaths(paths: JsonObject): void {
    for (const path of Object.keys(paths)) this.#paths.add(path);
  }

  /** False: it is not to be written yet, because others have something of this name. */
  addOwnDefinition(name: string, definition: JsonObject): boolean {
    if (!this.#theirNames.has(name)) {
      this.#written.add(name);
      return true;
    }
    // As a reader of our document would see it.
    this.#definitions.set(name, decodeJson(encodeJsonPlain(definition)).value as JsonObject);
    return false;
  }

  /** The paths of the others, one after the other; then `definitions` and `parameters` are complete. */
  *paths(): Iterable<JsonObject> {
    for (const other of this.#others) {
      const fresh = selectPaths(other, (path) => !this.#paths.has(path));
      if (Object.keys(fresh.paths).length === 0) continue;
      const definitionNames = newNames(fresh.definitions, {
        known: (name) => this.#definitions.get(name),
        reserved: this.#written,
        same: sameDefinition,
      });
      const parameterNames = newNames(fresh.parameters, {
        known: (name) => this.#parameters.get(name),
        reserved: new Set(),
        same: equalJson,
      });
      const rename = renamer(definitionNames, parameterNames);
      this.#addDefinitions(fresh.definitions, definitionNames, rename);
      for (const [name, parameter] of Object.entries(fresh.parameters)) {
        const newName = parameterNames.get(name) ?? name;
        if (!this.#parameters.has(newName)) this.#parameters.set(newName, mapReferences(parameter!, rename));
      }
      this.addOwnPaths(fresh.paths);
      yield mapReferences(fresh.paths, rename);
    }
  }

  get definitions(): JsonObject {
    return Object.fromEntries(this.#definitions);
  }

  get parameters(): JsonObject {
    return Object.fromEntries(this.#parameters) as JsonObject;
  }

  #addDefinitions(
    definitions: JsonObject,
    renames: ReadonlyMap<string, string>,
    rename: (reference: string) => string,
  ): void {
    for (const [name, definition] of Object.entries(definitions)) {
      if (!isObject(definition)) continue;
      const newName = renames.get(name) ?? name;
      const known = this.#definitions.get(newName);
      this.#definitions.set(
        newName,
        known === undefined ? mapReferences(definition, rename) : withKindsOf(known, definition),
      );
    }
  }
}

interface Known<T> {
  readonly known: (name: string) => T | undefined;
  /** Names of things that are not known any more. */
  readonly reserved: ReadonlySet<string>;
  readonly same: (a: T, b: T) => boolean;
}

/** For every name that means something else already, one that does not, or that means the same. */
function newNames<T extends Json>(theirs: JsonObject, { known, reserved, same }: Known<T>): Map<string, string> {
  const renames = new Map<string, string>();
  const taken = new Set<string>();
  for (const [name, value] of Object.entries(theirs)) {
    const fits = (candidate: string): boolean => {
      const found = known(candidate);
      if (found !== undefined) return same(found, value as T);
      if (reserved.has(candidate) || taken.has(candidate)) return false;
      return candidate === name || !Object.hasOwn(theirs, candidate);
    };
    let candidate = name;
    for (let number = 2; !fits(candidate); number += 1) candidate = `${name}_v${number}`;
    taken.add(candidate);
    if (candidate !== name) renames.set(name, candidate);
  }
  return renames;
}

function renamer(
  definitions: ReadonlyMap<string, string>,
  parameters: ReadonlyMap<string, string>,
): (reference: string) => string {
  return (reference) => {
    const [, part, name = ""] = /^#\/(definitions|parameters)\/(.*)$/.exec(reference) ?? [];
    const next =
      part === "definitions" ? definitions.get(name) : part === "parameters" ? parameters.get(name) : undefined;
    return next === undefined ? reference : `#/${part}/${next}`;
  };
}

/** The same but for the kinds that it stands for. */
function sameDefinition(a: JsonObject, b: JsonObject): boolean {
  return equalJson({ ...a, [KINDS]: null }, { ...b, [KINDS]: null });
}

function withKindsOf(known: JsonObject, other: JsonObject): JsonObject {
  const [ours, theirs] = [known[KINDS], other[KINDS]];
  if (!Array.isArray(theirs)) return known;
  const before = Array.isArray(ours) ? ours : [];
  const added = theirs.filter((kind) => !before.some((one) => equalJson(one, kind)));
  if (added.length === 0) return known;
  return { ...known, [KINDS]: [...before, ...added].sort((a, b) => (wordOf(a) < wordOf(b) ? -1 : 1)) };
}

const wordOf = (kind: Json): string =>
  isObject(kind) ? `${kind["group"]}/${kind["version"]}.${kind["kind"]}` : String(kind);
