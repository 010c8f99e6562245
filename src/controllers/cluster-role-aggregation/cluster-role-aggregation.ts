// Controller: a ClusterRole that collects others has the rules of all that it selects.
// Requirements: document 2, "RBAC objects", rules 6 and 7.

import { inTurns } from "../../base/steps.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { aggregatedRules, collectsRules } from "../../kinds/rbac/aggregate.ts";
import type { ClusterRole } from "../../kinds/rbac/cluster-role.ts";
import type { ApiObject } from "../../meta/object.ts";
import { type ControllerDefinition, done } from "../framework/controller.ts";
import { inParallel } from "../framework/in-parallel.ts";

const ACCOUNT = "clusterrole-aggregation-controller";

/** Which roles collect which may change with any of them: all are looked at together. */
const ALL = "all";

export const clusterRoleAggregation: ControllerDefinition = {
  name: "clusterrole-aggregation-controller",
  aliases: ["clusterrole-aggregation"],
  account: ACCOUNT,
  build({ client, informers, names }) {
    const roles = informers.of(kinds.rbac.v1.clusterRoles, { onlyChanged: true });
    // Where nothing is selected, the document's rules are none; upstream then only takes back what it had collected.
    const says = (rules: readonly unknown[]) => rules.length > 0 || names.dialect === "platform";
    return {
      watch(queue) {
        const add = () => queue.add(ALL);
        roles.addHandlers({ added: add, updated: add, deleted: add });
      },
      async reconcile() {
        const all = roles.cache.list() as readonly unknown[] as readonly ApiObject[];
        await inParallel(1, all.filter(collectsRules), async (role) => {
          const rules = (await inTurns(aggregatedRules(role, all))) as NonNullable<ClusterRole["rules"]> | undefined;
          if (rules === undefined) return;
          const { name = "", resourceVersion = "" } = role.metadata;
          // With its version: what was collected belongs to this aggregationRule.
          const applied = { metadata: { name, resourceVersion }, ...(says(rules) ? { rules } : {}) };
          await client.rbac.v1.clusterRoles().apply(applied, { fieldManager: ACCOUNT, force: true });
        });
        return done;
      },
    };
  },
};
