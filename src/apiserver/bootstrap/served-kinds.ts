// Which built-in kinds a server has: those that are on by default, and the others that --runtime-config turns on and
// no gate keeps off.
// Requirements: document 1, "Versioning".

import { UsageError } from "../../base/start-error.ts";
import { ALL_KINDS } from "../../kinds/all-kinds.ts";
import type { Kind } from "../../kinds/define-kind.ts";
import { KindRegistry } from "../../kinds/kind-registry.ts";
import { OPTIONAL_KINDS } from "../../kinds/optional-kinds.ts";
import type { Names } from "../../meta/names.ts";
import type { RuntimeConfig } from "../../options/runtime-config.ts";

/** Fails with UsageError on a group or version that does not exist. */
export function servedKinds(names: Names, config: RuntimeConfig, gateEnabled: (gate: string) => boolean): KindRegistry {
  const known = [...ALL_KINDS, ...OPTIONAL_KINDS];
  checkNamed(names, known, config);
  const optional = OPTIONAL_KINDS.filter(
    ({ group, version, resource, gate }) =>
      (gate === undefined || gateEnabled(gate)) && config.isServed(names.group(group), version, resource),
  );
  return new KindRegistry(names, [...ALL_KINDS, ...optional], known);
}

function checkNamed(names: Names, known: readonly Kind[], { named }: RuntimeConfig): void {
  const groups = new Map<string, Set<string>>();
  for (const { group, version } of known) {
    const versions = groups.get(names.group(group)) ?? new Set();
    groups.set(names.group(group), versions.add(version));
  }
  const unknown = named.map(({ group }) => group).filter((group) => !groups.has(group));
  if (unknown.length > 0) throw new UsageError(`flag --runtime-config: unknown API groups: ${unknown.join(", ")}`);
  for (const { key, group, version } of named) {
    const versions = groups.get(group)!;
    if (versions.has(version)) continue;
    const choice = [...versions].join(", ");
    throw new UsageError(`flag --runtime-config: ${key}: there is no version ${version} of this group, only ${choice}`);
  }
}
