// What a server does while it starts. Each piece of work carries the names under which health knows it, and is not healthy
// before it is done. Requirements: document 1, "Health endpoints".

import { ALL_ENDPOINTS, type HealthChecks } from "./health-checks.ts";

/** Does the work and marks its hooks as finished. A failure leaves them unfinished and goes on to the caller. */
export type StartHook = (work: () => Promise<unknown> | undefined) => Promise<void>;

export class StartHooks {
  readonly #health: HealthChecks;
  readonly #unfinished = new Set<string>();

  constructor(health: HealthChecks) {
    this.#health = health;
  }

  /** Declares work before it begins, so that its checks fail until then. */
  add(...names: readonly string[]): StartHook {
    for (const name of names) {
      this.#unfinished.add(name);
      this.#health.add({
        name: `poststarthook/${name}`,
        endpoints: ALL_ENDPOINTS,
        startsSlowly: true,
        check: () => (this.#unfinished.has(name) ? "not finished" : undefined),
      });
    }
    return async (work) => {
      await work();
      for (const name of names) this.#unfinished.delete(name);
    };
  }

  /** Undefined once everything is done. */
  problem(): string | undefined {
    const [first] = this.#unfinished;
    return first === undefined ? undefined : `${first} not finished`;
  }
}

/** The work of this server, in the order in which it is done. */
export function serverStartHooks(hooks: StartHooks) {
  return {
    admission: hooks.add("start-apiserver-admission-initializer", "generic-apiserver-start-informers"),
    namespaces: hooks.add("start-system-namespaces-controller"),
    services: hooks.add("bootstrap-controller", "start-service-ip-repair-controllers"),
    priorityClasses: hooks.add("scheduling/bootstrap-system-priority-classes"),
    flowControl: hooks.add("priority-and-fairness-config-consumer", "priority-and-fairness-config-producer"),
    customResources: hooks.add(
      "start-apiextensions-informers",
      "start-apiextensions-controllers",
      "crd-informer-synced",
    ),
  };
}
