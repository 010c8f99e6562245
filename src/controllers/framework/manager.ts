// Runs the controllers that are asked for: one set of informers for all, an account and a queue for each.

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import { queueMetrics } from "../../base/queue-metrics.ts";
import type { Client } from "../../client/client.ts";
import { EventRecorder } from "../../client/event-recorder.ts";
import { SharedInformers } from "../../client/shared-informers.ts";
import { CONTROLLER_GATES, type GateEnabled } from "../controller-gates.ts";
import type { ControllerOptions } from "../controller-options.ts";
import type { ControllerDefinition } from "./controller.ts";
import { type ControllerMetrics, controllerMetrics } from "./controller-metrics.ts";
import { RunningController } from "./run-controller.ts";

interface ManagerParts {
  /** Those that are to run, see chooseControllers(). */
  readonly definitions: readonly ControllerDefinition[];
  readonly options: ControllerOptions;
  /** Follows objects for all controllers. */
  readonly client: Client;
  /** Acts as a service account of the system namespace. */
  readonly clientFor: (account: string) => Client;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  /** As released when not given. */
  readonly gateEnabled?: GateEnabled | undefined;
  readonly metrics?: Metrics | undefined;
}

export class ControllerManager {
  readonly #parts: ManagerParts;
  readonly #informers: SharedInformers;
  readonly #running: RunningController[];
  readonly #recorders: EventRecorder[] = [];

  /** Nothing is asked of the server yet. */
  constructor(parts: ManagerParts) {
    this.#parts = parts;
    const { client, log } = parts;
    this.#informers = new SharedInformers(client, {
      withoutManagedFields: true,
      onError: (error) => log.debug({ err: error }, "an informer lost its stream, trying again"),
    });
    const metricsFor = queueMetrics(parts.metrics, parts.clock);
    const metrics = controllerMetrics(parts.metrics);
    const { gateEnabled = asReleased } = parts;
    this.#running = parts.definitions
      .filter(({ gate }) => gate === undefined || gateEnabled(gate))
      .map((definition) => this.#build(definition, metrics, metricsFor));
  }

  /** Resolves when every controller works. Rejects when it is stopped before. */
  async start(): Promise<void> {
    this.#informers.start();
    await this.#informers.whenServedSynced(({ group, version, resource }) => {
      const { log } = this.#parts;
      log.info({ group, version, resource }, "a resource is not served: controllers go without it");
    });
    await Promise.all(this.#running.map((controller) => controller.start()));
  }

  /** Whether a key of any controller waits or is being worked on. */
  get busy(): boolean {
    return this.#running.some(({ busy }) => busy);
  }

  /** Resolves when nothing runs any more. The clients stay open. */
  async stop(): Promise<void> {
    await Promise.all(this.#running.map((controller) => controller.stop()));
    await this.#informers.stop();
    await Promise.all(this.#recorders.map((recorder) => recorder.close()));
  }

  #build(
    definition: ControllerDefinition,
    metrics: ControllerMetrics,
    metricsFor: ReturnType<typeof queueMetrics>,
  ): RunningController {
    const { clientFor, clock, random, log, options, gateEnabled = asReleased } = this.#parts;
    const { name, account, reportsAs = name } = definition;
    const client = account === undefined ? this.#parts.client : clientFor(account);
    const events = new EventRecorder({
      client,
      controller: reportsAs,
      api: "core",
      onError: (error) => log.debug({ err: error, controller: name }, "an event could not be written"),
    });
    this.#recorders.push(events);
    const { names } = client;
    const informers = this.#informers;
    const context = { client, informers, events, names, clock, random, log, options, gateEnabled, metrics };
    return new RunningController({
      name,
      controller: definition.build(context),
      workers: definition.workers?.(options) ?? 1,
      clock,
      log,
      metrics: metricsFor(name),
      events,
    });
  }
}

const asReleased: GateEnabled = (gate) => CONTROLLER_GATES[gate];
