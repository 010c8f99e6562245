// Operations with handlers of their own, by the resource and sub-resource they are served at.

import type { Names } from "../../../meta/names.ts";
import type { Catalog } from "../../registry/catalog.ts";
import type { SpecialHandler, SpecialHandlers } from "../subresource.ts";
import { type AccessReviewDeps, accessReviewHandlers } from "./access-reviews.ts";
import { bindPod } from "./pod-binding.ts";
import { evictPod } from "./pod-eviction.ts";

export function specialHandlers(names: Names, catalog: Catalog, authorization: AccessReviewDeps): SpecialHandlers {
  const pods = () => catalog.find("", "v1", "pods")!;
  const bind = bindPod(pods);
  return new Map<string, SpecialHandler>([
    ...accessReviewHandlers(names, authorization),
    ["pods/binding", bind],
    ["bindings", bind],
    ["pods/eviction", evictPod(() => catalog.find("policy", "v1", "poddisruptionbudgets"))],
  ]);
}
