// Operations with handlers of their own, by the resource and sub-resource they are served at.

import type { Names } from "../../../meta/names.ts";
import type { Catalog } from "../../registry/catalog.ts";
import type { SpecialHandler, SpecialHandlers } from "../subresource.ts";
import { bindPod } from "./pod-binding.ts";
import { evictPod } from "./pod-eviction.ts";

export function specialHandlers(_names: Names, catalog: Catalog): SpecialHandlers {
  const pods = () => catalog.find("", "v1", "pods")!;
  const bind = bindPod(pods);
  return new Map<string, SpecialHandler>([
    ["pods/binding", bind],
    ["bindings", bind],
    ["pods/eviction", evictPod(() => catalog.find("policy", "v1", "poddisruptionbudgets"))],
  ]);
}
