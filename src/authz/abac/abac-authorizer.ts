// The ABAC authorizer: policies from a file that is read once.

import type { Names } from "../../meta/names.ts";
import type { ChainLink } from "../chain.ts";
import { parsePolicies, policyAllows, policyRules } from "./policy.ts";

/** Fails with an Error that names the line at fault. */
export function abacLink(names: Names, text: string): ChainLink {
  const policies = parsePolicies(names, text);
  return {
    type: "ABAC",
    name: "abac",
    authorizer: {
      authorize(attributes) {
        if (policies.some((policy) => policyAllows(policy, attributes))) return { verdict: "allow", reason: "" };
        return { verdict: "no-opinion", reason: "No policy matched." };
      },
    },
    rules: {
      rulesFor: (user, namespace) => ({
        rules: policies.flatMap((policy) => policyRules(policy, user, namespace)),
        problems: [],
        incomplete: false,
      }),
    },
  };
}
