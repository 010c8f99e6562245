// Back to objects that were kept.

import type { StorageEngine } from "../storage/engine.ts";
import type { Snapshot } from "./plinth.ts";

/**
 * By ordinary writes to the store: whoever watches hears of them. Signs of life of nodes that are alive stay: time has not
 * gone back, and nodes that were heard of long ago would be taken for dead in the middle of the next test.
 */
export async function restoreTo(
  engine: StorageEngine,
  wanted: Snapshot,
  changed: ReadonlySet<string> | undefined,
  leaseNamespace: string,
): Promise<void> {
  const signsOfLife = `/leases/${leaseNamespace}/`;
  const keys = changed ?? new Set([...(await engine.list("")).entries.map(({ key }) => key), ...wanted.keys()]);
  const inOrder = [...keys].sort();
  for (const key of inOrder) {
    const there = wanted.has(key) ? undefined : await engine.get(key);
    if (there !== undefined) await engine.delete(key, there.revision);
  }
  for (const key of inOrder) {
    const value = wanted.get(key);
    if (value === undefined) continue;
    const there = await engine.get(key);
    if (there === undefined) await engine.create(key, value);
    else if (there.value !== value && !key.includes(signsOfLife) && Buffer.compare(there.value, value) !== 0)
      await engine.update(key, value, there.revision);
  }
}
