// Finds kinds by the whole names that requests carry, in one dialect. Built once from the kinds that a server serves.

import { GROUP_KEYS, type GroupKey, type Names } from "../meta/names.ts";
import { apiVersionOf } from "../meta/object.ts";
import type { Kind } from "./define-kind.ts";

/** One API group as it is served. */
interface ServedGroup {
  readonly key: GroupKey;
  /** The whole name, with the suffix of the dialect; empty for the core group. */
  readonly name: string;
  /** Preferred version first. */
  readonly versions: readonly string[];
}

export class KindRegistry {
  readonly names: Names;
  readonly #byResource = new Map<string, Kind>();
  readonly #byKind = new Map<string, Kind>();
  readonly #byGroupVersion = new Map<string, Kind[]>();
  readonly #groups: readonly ServedGroup[];

  readonly #known: readonly Kind[];

  /** `kinds` are served. `known` may be more: a kind may be stored in the form of one that is not served. */
  constructor(names: Names, kinds: readonly Kind[], known: readonly Kind[] = kinds) {
    this.names = names;
    this.#known = known;
    const versions = new Map<GroupKey, Set<string>>();
    for (const kind of kinds) {
      const group = names.group(kind.group);
      this.#byKind.set(id(group, kind.version, kind.kind), kind);
      // The bodies of sub-resources have no resource of their own.
      if (kind.resource === "") continue;
      this.#byResource.set(id(group, kind.version, kind.resource), kind);
      append(versions, kind.group, kind.version);
      const groupVersion = id(group, kind.version, "");
      const siblings = this.#byGroupVersion.get(groupVersion);
      if (siblings === undefined) this.#byGroupVersion.set(groupVersion, [kind]);
      else siblings.push(kind);
    }
    this.#groups = [...versions]
      .map(([key, served]) => ({ key, name: names.group(key), versions: [...served].sort(compareVersions) }))
      .sort((a, b) => GROUP_KEYS.indexOf(a.key) - GROUP_KEYS.indexOf(b.key));
  }

  /** By whole group name, version and the plural word of the path. */
  byResource(group: string, version: string, resource: string): Kind | undefined {
    return this.#byResource.get(id(group, version, resource));
  }

  /** By whole group name, version and kind word. Finds the bodies of sub-resources too. */
  byKind(group: string, version: string, kind: string): Kind | undefined {
    return this.#byKind.get(id(group, version, kind));
  }

  /** The same, served or not. */
  find(group: string, version: string, kind: string): Kind | undefined {
    const known = (other: Kind) =>
      other.kind === kind && other.version === version && this.names.group(other.group) === group;
    return this.byKind(group, version, kind) ?? this.#known.find(known);
  }

  /** The kinds of one group and version that have a resource, in the order of their declaration. */
  kindsIn(group: string, version: string): readonly Kind[] {
    return this.#byGroupVersion.get(id(group, version, "")) ?? [];
  }

  /** The served groups in discovery's order, the core group first. */
  groups(): readonly ServedGroup[] {
    return this.#groups;
  }

  /** The kind in whose form objects of this kind are stored: itself, unless it says otherwise. */
  storedKind(kind: Kind): Kind {
    if (kind.storedAs === undefined) return kind;
    const { group, version, kind: word } = kind.storedAs;
    const stored =
      this.byKind(this.names.group(group), version, word) ??
      this.#known.find((other) => other.group === group && other.version === version && other.kind === word);
    if (stored === undefined) throw new Error(`kind ${kind.kind} is stored as ${word}.${version}, which is not known`);
    return stored;
  }

  /** What objects of this kind say in apiVersion: v1, apps/v1. */
  apiVersionOf(kind: Kind): string {
    return apiVersionOf(this.names.group(kind.group), kind.version);
  }
}

// A character that no name has keeps "a" + "bc" and "ab" + "c" apart.
const id = (group: string, version: string, word: string): string => `${group}\n${version}\n${word}`;

function append<K>(sets: Map<K, Set<string>>, key: K, value: string): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}

/** Stable before beta before alpha, then the higher number first: v2, v1, v1beta2, v1beta1, v1alpha3. */
export function compareVersions(a: string, b: string): number {
  const [stageA, majorA, minorA] = rank(a);
  const [stageB, majorB, minorB] = rank(b);
  return stageB - stageA || majorB - majorA || minorB - minorA || (a < b ? -1 : a > b ? 1 : 0);
}

function rank(version: string): [stage: number, major: number, minor: number] {
  const match = /^v([0-9]{1,9})(?:(alpha|beta)([0-9]{1,9}))?$/.exec(version);
  if (match === null) return [0, 0, 0];
  const [, major, stage, minor] = match;
  return [stage === undefined ? 3 : stage === "beta" ? 2 : 1, Number(major), Number(minor ?? 0)];
}
