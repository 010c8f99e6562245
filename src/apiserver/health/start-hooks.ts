// What a server does while it starts. Each piece of work carries the names under which health knows it, and is not healthy
// before it is done. Requirements: document 1, "Health endpoints".

import type { Names } from "../../meta/names.ts";
import { ALL_ENDPOINTS, type HealthChecks } from "./health-checks.ts";

/** Does the work and marks its hooks as finished. A failure leaves them unfinished and goes on to the caller. */
type StartHook = (work: () => Promise<unknown> | undefined) => Promise<void>;

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

  /** Undefined once everything is done, or the one that is asked for. */
  problem(name?: string): string | undefined {
    const [first] = this.#unfinished;
    const open = name === undefined ? first : this.#unfinished.has(name) ? name : undefined;
    return open === undefined ? undefined : `${open} not finished`;
  }
}

export interface StartOptions {
  /** --enable-priority-and-fairness */
  readonly fairness: boolean;
  /** --proxy-client-cert-file is given: the file is followed. */
  readonly proxyCertificate: boolean;
  /** The server has an identity of its own, and keeps a lease of it. */
  readonly identity: boolean;
  /** CoordinatedLeaderElection */
  readonly coordinatedElection: boolean;
}

/** The work of this server, in the order in which it is done. Its names are upstream's. */
export function serverStartHooks(
  hooks: StartHooks,
  names: Names,
  { fairness, proxyCertificate, identity, coordinatedElection }: StartOptions,
) {
  return {
    storage: hooks.add("storage-object-count-tracker-hook"),
    admission: hooks.add("start-apiserver-admission-initializer", "generic-apiserver-start-informers"),
    namespaces: hooks.add("start-system-namespaces-controller"),
    services: hooks.add("bootstrap-controller", "start-service-ip-repair-controllers", names.serviceCidrHook),
    priorityClasses: hooks.add("scheduling/bootstrap-system-priority-classes"),
    flowControl: fairness
      ? hooks.add(
          "priority-and-fairness-config-consumer",
          "priority-and-fairness-config-producer",
          "priority-and-fairness-filter",
        )
      : hooks.add("max-in-flight-filter"),
    customResources: hooks.add(
      "start-apiextensions-informers",
      "start-apiextensions-controllers",
      "crd-informer-synced",
    ),
    ...(identity && {
      identity: hooks.add(
        "start-kube-apiserver-identity-lease-controller",
        "start-kube-apiserver-identity-lease-garbage-collector",
      ),
    }),
    ...(coordinatedElection && {
      coordinatedElection: hooks.add("start-kube-apiserver-coordinated-leader-election-controller"),
    }),
    trust: hooks.add("start-cluster-authentication-info-controller"),
    aggregation: hooks.add(
      ...(proxyCertificate ? ["aggregator-reload-proxy-client-cert"] : []),
      "start-kube-aggregator-informers",
      "kube-apiserver-autoregistration",
      "apiservice-registration-controller",
      "apiservice-discovery-controller",
      "apiservice-status-local-available-controller",
      "apiservice-status-remote-available-controller",
      "apiservice-openapi-controller",
      "apiservice-openapiv3-controller",
    ),
    authentication: hooks.add("start-legacy-token-tracking-controller"),
  };
}
