// Which built-in kinds a server has: those that are on by default, and the others that --runtime-config turns on.
// Requirements: document 1, "Versioning".

import { UsageError } from "../../base/start-error.ts";
import { ALL_KINDS } from "../../kinds/all-kinds.ts";
import { KindRegistry } from "../../kinds/kind-registry.ts";
import { OPTIONAL_KINDS } from "../../kinds/optional-kinds.ts";
import type { Names } from "../../meta/names.ts";
import type { RuntimeConfig } from "../../options/runtime-config.ts";

/** Fails with UsageError on a group that does not exist; versions that no longer exist may be named. */
export function servedKinds(names: Names, config: RuntimeConfig): KindRegistry {
  const known = [...ALL_KINDS, ...OPTIONAL_KINDS];
  const groups = new Set(known.map(({ group }) => names.group(group)));
  const unknown = config.named.map(({ group }) => group).filter((group) => !groups.has(group));
  if (unknown.length > 0) throw new UsageError(`flag --runtime-config: unknown API groups: ${unknown.join(", ")}`);
  const optional = OPTIONAL_KINDS.filter(({ group, version, resource }) =>
    config.isServed(names.group(group), version, resource),
  );
  return new KindRegistry(names, [...ALL_KINDS, ...optional], known);
}
