// Groups that other servers serve, among our own in the lists of discovery: all in the order of their priorities.

import { compareVersions } from "../../kinds/kind-registry.ts";
import type { ListedGroup } from "./api-resources.ts";

/** What servers behind this one serve. */
export interface OtherServers {
  groups(): readonly OtherGroup[];
  /** What is registered of a group and version, ours or theirs: the priority of the group, and of the version in it. */
  priorities(group: string, version: string): readonly [number, number] | undefined;
  /** A document over all servers has been made. */
  onAggregated?(): void;
}

interface OtherGroup {
  readonly name: string;
  readonly versions: readonly {
    readonly version: string;
    /** APIResourceDiscovery; undefined when the server could not be asked. */
    readonly resources: readonly Record<string, unknown>[] | undefined;
  }[];
}

export function mergeGroups(own: readonly ListedGroup[], others: OtherServers | undefined): readonly ListedGroup[] {
  const added = others?.groups() ?? [];
  if (others === undefined || added.length === 0) return own;
  const merged = new Map(own.map((group) => [group.name, group]));
  for (const { name, versions } of added) {
    const known = merged.get(name)?.versions ?? [];
    const shown = new Set(known.map(({ version }) => version));
    const fresh = versions
      .filter(({ version }) => !shown.has(version))
      .map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
    const all = [...known, ...fresh].sort(byVersion(others, name));
    merged.set(name, { name, versions: all, preferredVersion: all[0]! });
  }
  return [...merged.values()].sort(byGroup(others, ({ name, versions }) => [name, versions]));
}

type DiscoveryItem = { metadata: { name?: string }; versions: { version: string }[] };

/** The same for aggregated discovery. What cannot be reached is shown without what it serves. */
export function mergeDiscovery(
  own: readonly DiscoveryItem[],
  others: OtherServers | undefined,
): readonly DiscoveryItem[] {
  const added = others?.groups() ?? [];
  if (others === undefined || added.length === 0) return own;
  const items = new Map(own.map((item) => [item.metadata.name ?? "", item]));
  for (const { name, versions } of added) {
    const entries = versions.map(({ version, resources }) => ({
      version,
      ...(resources === undefined || resources.length === 0 ? {} : { resources }),
      freshness: resources === undefined ? "Stale" : "Current",
    }));
    const theirs = new Set(versions.map(({ version }) => version));
    const known = items.get(name);
    // A version that is carried to another server is as that one says.
    const kept = (known?.versions ?? []).filter(({ version }) => !theirs.has(version));
    const metadata = known?.metadata ?? { name };
    items.set(name, { metadata, versions: [...kept, ...entries].sort(byVersion(others, name)) });
  }
  return [...items.values()].sort(byGroup(others, ({ metadata, versions }) => [metadata.name ?? "", versions]));
}

type Versioned = { readonly version: string };

function byVersion({ priorities }: OtherServers, group: string): (a: Versioned, b: Versioned) => number {
  const priority = ({ version }: Versioned) => priorities(group, version)?.[1] ?? 0;
  return (a, b) => priority(b) - priority(a) || compareVersions(a.version, b.version);
}

/** A group counts as much as the best of its registrations; one without any is not for others to come before. */
function byGroup<T>(
  { priorities }: OtherServers,
  read: (group: T) => readonly [string, readonly Versioned[]],
): (a: T, b: T) => number {
  const priority = (group: T) => {
    const [name, versions] = read(group);
    const known = versions.flatMap(({ version }) => priorities(name, version)?.[0] ?? []);
    return known.length === 0 ? Number.MAX_SAFE_INTEGER : known.reduce((a, b) => Math.max(a, b));
  };
  return (a, b) => priority(b) - priority(a) || (read(a)[0] < read(b)[0] ? -1 : 1);
}
