// Keeps the rules of ClusterRoles that collect others up to date: looks again after every change of a ClusterRole.
// Requirements: document 2, "RBAC objects", rule 6.

import type { Log } from "../../base/log.ts";
import { updateAsServer } from "../../registry/server-writes.ts";
import type { WriteDeps } from "../../registry/write.ts";
import { aggregatedRules, collectsRules } from "./aggregate.ts";
import type { RbacState } from "./rbac-state.ts";

const MANAGER = "clusterrole-aggregation-controller";
const RETRY_MS = 1_000;

export class AggregationController {
  readonly #deps: WriteDeps;
  readonly #state: RbacState;
  readonly #log: Log;
  #running: Promise<void> | undefined;
  #again = false;
  #closed = false;

  constructor(deps: WriteDeps, state: RbacState, log: Log) {
    this.#deps = deps;
    this.#state = state;
    this.#log = log;
    state.onClusterRole = () => void this.settle();
  }

  /** Resolves when every collecting role holds what it should, as far as is known here. */
  settle(): Promise<void> {
    this.#again = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  close(): void {
    this.#closed = true;
    this.#state.onClusterRole = () => undefined;
  }

  async #run(): Promise<void> {
    // Changes that arrive in one go are looked at together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#again && !this.#closed) {
      this.#again = false;
      try {
        await this.#pass();
      } catch (error) {
        this.#log.warn({ err: error }, "the rules of a collecting ClusterRole could not be written; trying again");
        setTimeout(() => void this.settle(), RETRY_MS).unref();
        return;
      }
    }
  }

  async #pass(): Promise<void> {
    const resource = this.#state.resource("clusterroles");
    if (resource === undefined) return;
    const all = [...this.#state.clusterRoles.values()];
    for (const role of all) {
      if (!collectsRules(role) || aggregatedRules(role, all) === undefined) continue;
      await updateAsServer(this.#deps, { resource, name: role.metadata.name ?? "", manager: MANAGER }, (stored) => {
        const rules = collectsRules(stored)
          ? aggregatedRules(stored, [...this.#state.clusterRoles.values()])
          : undefined;
        return rules === undefined ? undefined : { ...stored, rules };
      });
    }
  }
}
