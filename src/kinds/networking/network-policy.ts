// NetworkPolicy: who may talk to which pods.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { selectorCell } from "../cells/selectors.ts";
import { defineKind } from "../define-kind.ts";
import { networkPolicySchema } from "./network-policy-schema.ts";
import {
  validateNetworkPolicy,
  validateNetworkPolicyUpdate,
  warnAboutNetworkPolicy,
} from "./network-policy-validation.ts";

export type { NetworkPolicy } from "./network-policy-schema.ts";

export const networkPolicy = defineKind({
  group: "networking",
  version: "v1",
  kind: "NetworkPolicy",
  resource: "networkpolicies",
  scope: "Namespaced",
  shortNames: ["netpol"],
  schema: networkPolicySchema,
  unconditionalUpdate: true,
  generation: true,
  columns: [
    NAME_COLUMN,
    { name: "Pod-Selector", type: "string", cell: (policy) => selectorCell(policy.spec.podSelector) },
    AGE_COLUMN,
  ],
  hooks: {
    default({ spec }) {
      for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])])
        for (const port of rule.ports ?? []) port.protocol ??= "TCP";
      if (!spec.policyTypes?.length) spec.policyTypes = spec.egress?.length ? ["Ingress", "Egress"] : ["Ingress"];
    },
    validate: validateNetworkPolicy,
    validateUpdate: validateNetworkPolicyUpdate,
    warn: warnAboutNetworkPolicy,
  },
});
