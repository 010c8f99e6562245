// A kind of bodies as a served resource at the place of another, for decoding and encoding: a Scale, a Binding, an Eviction.

import type { Kind } from "../../kinds/define-kind.ts";
import { apiVersionOf } from "../../meta/object.ts";
import { builtInRules } from "../../registry/object-rules.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import type { HandlerContext } from "./handler-context.ts";

/** It has one version. `members` say what it has of a store, if anything. */
export function kindInPlace(
  { names, gateEnabled }: HandlerContext,
  place: ServedResource,
  kind: Kind,
  members: Pick<ServedResource, "store" | "storedForm" | "alsoAccepts">,
): ServedResource {
  const group = names.group(kind.group);
  return {
    kind,
    group,
    apiVersion: apiVersionOf(group, kind.version),
    subject: place.subject,
    rules: builtInRules(kind, gateEnabled),
    custom: place.custom === true,
    relationOf: (otherGroup, version, word) => place.relationOf?.(otherGroup, version, word),
    typeList: place.typeList,
    toStored: (object) => object,
    fromStored: (objects) => objects,
    ...members,
  };
}
