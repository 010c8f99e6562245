// Keeps the rules of ClusterRoles that collect others up to date: looks again after every change of a ClusterRole.
// Requirements: document 2, "RBAC objects", rule 6.

import type { Background } from "../../base/background.ts";
import type { BackgroundLoop } from "../../base/background-loop.ts";
import type { Log } from "../../base/log.ts";
import { nextTurn } from "../../base/next-turn.ts";
import { aggregatedRules, collectsRules } from "../../kinds/rbac/aggregate.ts";
import { updateAsServer } from "../../registry/server-writes.ts";
import type { WriteDeps } from "../../registry/write.ts";
import type { RbacState } from "./rbac-state.ts";

const MANAGER = "clusterrole-aggregation-controller";

export class AggregationController {
  readonly #deps: WriteDeps;
  readonly #state: RbacState;
  readonly #loop: BackgroundLoop;

  constructor(deps: WriteDeps, state: RbacState, background: Background, log: Log) {
    this.#deps = deps;
    this.#state = state;
    this.#loop = background.loop({
      name: "clusterroles",
      failure: "the rules of a collecting ClusterRole could not be written; trying again",
      log,
      reconcile: async () => {
        await this.#pass();
        return "done";
      },
    });
    state.onClusterRole = () => this.#loop.enqueue();
  }

  /** Resolves when every collecting role holds what it should, as far as is known here. */
  settle(): Promise<void> {
    return this.#loop.settle();
  }

  close(): void {
    this.#loop.close();
    this.#state.onClusterRole = () => undefined;
  }

  async #pass(): Promise<void> {
    const resource = this.#state.resource("clusterroles");
    if (resource === undefined) return;
    const all = [...this.#state.clusterRoles.values()];
    for (const role of all) {
      if (!collectsRules(role)) continue;
      // Each looks at all the others.
      await nextTurn();
      if (aggregatedRules(role, all) === undefined) continue;
      await updateAsServer(this.#deps, { resource, name: role.metadata.name ?? "", manager: MANAGER }, (stored) => {
        const rules = collectsRules(stored)
          ? aggregatedRules(stored, [...this.#state.clusterRoles.values()])
          : undefined;
        return rules === undefined ? undefined : { ...stored, rules };
      });
    }
  }
}
