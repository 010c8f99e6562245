// Keeps running containers on the processors that they share: which those are changes whenever a pod gets some for itself.

import { BackgroundLoop, type Outcome } from "../../base/background-loop.ts";
import type { AgentContext } from "../context.ts";
import type { PodTable } from "./pod-table.ts";
import type { RuntimeView } from "./runtime-view.ts";

interface CpuFollowerDeps {
  readonly context: AgentContext;
  readonly table: Pick<PodTable, "active">;
  readonly view: Pick<RuntimeView, "pod">;
  readonly onError: (error: unknown) => void;
}

export class CpuFollower {
  readonly #deps: CpuFollowerDeps;
  readonly #loop: BackgroundLoop;
  /** What the runtime was told last, by the id of the container. */
  #told = new Map<string, string>();

  constructor(deps: CpuFollowerDeps) {
    this.#deps = deps;
    const { clock, config } = deps.context;
    const everyMs = config.cpuManagerReconcilePeriodMs;
    this.#loop = new BackgroundLoop({ clock, everyMs, onError: deps.onError, reconcile: () => this.#follow() });
  }

  start(): void {
    if (this.#deps.context.config.cpuManagerPolicy === "static") this.#loop.enqueue();
  }

  close(): void {
    this.#loop.close();
  }

  async #follow(): Promise<Outcome> {
    const { context, table, view, onError } = this.#deps;
    const told = new Map<string, string>();
    for (const { uid } of table.active()) {
      for (const { id, name, state } of view.pod(uid)?.containers ?? []) {
        const cpusetCpus = context.cpus.cpusOf(uid, name);
        if (state !== "running" || cpusetCpus === "") continue;
        try {
          if (this.#told.get(id) !== cpusetCpus)
            await context.cri.updateContainerResources({ containerId: id, linux: { cpusetCpus } });
          told.set(id, cpusetCpus);
        } catch (error) {
          // It may have ended just now; the others must make room all the same.
          onError(error);
        }
      }
    }
    this.#told = told;
    return "done";
  }
}
