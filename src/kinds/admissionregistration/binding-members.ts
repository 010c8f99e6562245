// What the bindings of validating and mutating policies have in common.

import { dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { selectorStruct } from "../../meta/selector-struct.ts";
import { type ObjectOf, opt, ptr, type Struct } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import type { paramRef } from "./match-resources.ts";
import { defaultMatchResources } from "./webhook-defaults.ts";

type ParamRef = ObjectOf<typeof paramRef>;

/** The members of a binding's spec; the two structs are named after its version. */
export const bindingMembers = <M>(params: Struct<ParamRef>, matchResources: Struct<M>) => ({
  policyName: opt.string(1, "The policy that is put into force. While it does not exist, the binding has no effect.", {
    must: { filled: true, form: dns1123SubdomainProblems },
  }),
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

interface Binding {
  readonly spec: {
    readonly policyName?: string;
    readonly paramRef?: ParamRef;
    readonly matchResources?: Parameters<typeof defaultMatchResources>[0];
  };
}

export const BINDING_COLUMNS = [
  NAME_COLUMN,
  { name: "PolicyName", type: "string" as const, cell: ({ spec }: Binding) => spec.policyName ?? "" },
  { name: "ParamRef", type: "string" as const, cell: paramRefCell },
  AGE_COLUMN,
];

export function defaultBinding({ spec }: Binding): void {
  if (spec.matchResources) defaultMatchResources(spec.matchResources);
}

function paramRefCell({ spec: { paramRef } }: Binding): string {
  if (!paramRef) return "<unset>";
  if (paramRef.name) return `${paramRef.namespace || "*"}/${paramRef.name}`;
  return paramRef.selector ? selectorStruct(paramRef.selector) : "<unset>";
}
