// What the bindings of validating and mutating policies have in common.

import { type ObjectOf, opt, ptr, type Struct } from "../../schema/builder.ts";
import { selectorCell } from "../cells/selectors.ts";
import type { paramRef } from "./match-resources.ts";

type ParamRef = ObjectOf<typeof paramRef>;

/** The members of a binding's spec; the two structs are named after its version. */
export const bindingMembers = <M>(params: Struct<ParamRef>, matchResources: Struct<M>) => ({
  policyName: opt.string(1, "The policy that is put into force. While it does not exist, the binding has no effect."),
  paramRef: ptr.of(
    params,
    2,
    "Parameters of the policy. Needs paramKind in the policy; when not set, params is null in expressions.",
  ),
  matchResources: ptr.of(
    matchResources,
    3,
    "Narrows the requests of the policy further; when not set, all that the policy is for.",
  ),
});

export function paramRefCell({ spec: { paramRef } }: { readonly spec: { paramRef?: ParamRef } }): string {
  if (!paramRef) return "<unset>";
  if (paramRef.name) return `${paramRef.namespace || "*"}/${paramRef.name}`;
  return paramRef.selector ? selectorCell(paramRef.selector) : "<unset>";
}
