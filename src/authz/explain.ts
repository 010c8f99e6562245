// The explanation that an access review carries when it is asked for: ?explain=true says why, ?explain=who-can who may.

import { atOnceWhileShort } from "../base/steps.ts";
import type { Names } from "../meta/names.ts";
import type { UserInfo } from "../meta/user.ts";
import type { Attributes, Authorizer, Decision } from "../registry/authorizer.ts";
import { type AccessExplanation, explainAccess, type WhoCan, whoCan } from "./rbac/explain-access.ts";
import type { RbacState } from "./rbac/rbac-state.ts";

interface ExplainRequest {
  readonly query: URLSearchParams;
  readonly user: UserInfo;
  readonly warnings: string[];
}

type Explanation = AccessExplanation | { readonly whoCan: readonly WhoCan[]; readonly truncated: boolean };

export interface AccessExplainer {
  /** Undefined when nobody asked, or when the caller may not read what the explanation tells. */
  explain(request: ExplainRequest, attributes: Attributes, decision: Decision): Promise<Explanation | undefined>;
}

const RESOURCES = ["clusterroles", "clusterrolebindings", "roles", "rolebindings"];

export function accessExplainer(names: Names, authorizer: Authorizer, state: RbacState): AccessExplainer {
  return {
    async explain({ query, user, warnings }, attributes) {
      const wish = query.get("explain");
      if (wish === null || wish === "false") return undefined;
      if (!(await mayRead(names, authorizer, user, attributes.resource?.namespace ?? ""))) {
        warnings.push("explain was left out: it needs permission to list roles, clusterroles and their bindings");
        return undefined;
      }
      await state.ready();
      const { index } = state;
      if (wish !== "who-can") return atOnceWhileShort(explainAccess(index, attributes));
      const { subjects, truncated } = await atOnceWhileShort(whoCan(index, attributes));
      return { whoCan: subjects, truncated };
    },
  };
}

async function mayRead(names: Names, authorizer: Authorizer, user: UserInfo, namespace: string): Promise<boolean> {
  const group = names.group("rbac.authorization");
  for (const resource of RESOURCES) {
    const where = resource.startsWith("cluster") ? "" : namespace;
    const attributes = { group, version: "v1", resource, subresource: "", namespace: where, name: "" };
    const decision = await authorizer.authorize({ user, verb: "list", resource: attributes });
    if (decision.verdict !== "allow") return false;
  }
  return true;
}
