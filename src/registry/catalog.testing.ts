// For tests: a catalog of built-in kinds over a store in memory.

import { FakeClock } from "../base/clock.ts";
import { ALL_KINDS } from "../kinds/all-kinds.ts";
import type { Kind } from "../kinds/define-kind.ts";
import { KindRegistry } from "../kinds/kind-registry.ts";
import { type Dialect, namesFor } from "../meta/names.ts";
import type { StorageEngine } from "../storage/engine.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { Catalog } from "./catalog.ts";
import type { ServedResource } from "./served-resource.ts";

export function testCatalog(
  isServed: (kind: Kind) => boolean = () => true,
  clock = new FakeClock(),
  engine: StorageEngine = new MemoryEngine({ clock }),
  dialect: Dialect = "kubernetes",
): Catalog {
  return new Catalog({
    kinds: new KindRegistry(namesFor(dialect), ALL_KINDS),
    engine,
    clock,
    gateEnabled: () => true,
    isServed,
  });
}

export function builtIn(catalog: Catalog, apiVersion: string, resource: string): ServedResource {
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const found = catalog.find(group!, version!, resource);
  if (found === undefined) throw new Error(`${resource} of ${apiVersion} is not served`);
  return found;
}

/** The resource with other members. */
export function resourceWith(resource: ServedResource, members: Partial<ServedResource>): ServedResource {
  return {
    ...resource,
    collaborator: resource.collaborator,
    toStored: (object, caller) => resource.toStored(object, caller),
    fromStored: (objects, caller) => resource.fromStored(objects, caller),
    versionAt: (apiVersion) => resource.versionAt?.(apiVersion),
    ...members,
  };
}
