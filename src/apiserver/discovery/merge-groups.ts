// Groups that other servers serve, beside our own in the lists of discovery.

import type { ListedGroup } from "./api-resources.ts";

/** A group behind this server, its best version first. */
export interface OtherGroup {
  readonly name: string;
  readonly versions: readonly {
    readonly version: string;
    readonly available: boolean;
    /** APIResourceDiscovery. */
    readonly resources: readonly Record<string, unknown>[];
  }[];
}

/** A group that both serve shows our versions first. */
export function mergeGroups(own: readonly ListedGroup[], others: readonly OtherGroup[]): ListedGroup[] {
  const merged = new Map(own.map((group) => [group.name, group]));
  for (const { name, versions } of others) {
    const known = merged.get(name);
    const shown = new Set(known?.versions.map(({ version }) => version));
    const added = versions
      .filter(({ version }) => !shown.has(version))
      .map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
    const all = [...(known?.versions ?? []), ...added];
    if (all[0] !== undefined)
      merged.set(name, { ...known, name, versions: all, preferredVersion: known?.preferredVersion ?? all[0] });
  }
  return [...merged.values()];
}

type DiscoveryItem = { metadata: { name?: string }; versions: unknown[] };

/** The same for aggregated discovery. What cannot be reached is shown as it was last seen. */
export function mergeDiscovery(own: readonly DiscoveryItem[], others: readonly OtherGroup[]): DiscoveryItem[] {
  const items = new Map(own.map((item) => [item.metadata.name ?? "", item]));
  for (const { name, versions } of others) {
    const added = versions.map(({ version, available, resources }) => ({
      version,
      resources,
      freshness: available ? "Current" : "Stale",
    }));
    const known = items.get(name);
    items.set(
      name,
      known === undefined
        ? ({ metadata: { name, creationTimestamp: null }, versions: added } as DiscoveryItem)
        : { ...known, versions: [...known.versions, ...added] },
    );
  }
  return [...items.values()];
}
