// What the agent tells of itself: the process, its node, and how long the node took to be there.

import { uptime } from "node:os";
import type { Clock } from "../base/clock.ts";
import { Metrics } from "../base/metrics.ts";
import { addProcessMetrics } from "../base/process-metrics.ts";
import { addBuildInfo } from "../meta/build-info.ts";
import { addGateMetrics } from "../meta/gate-metrics.ts";
import type { Names } from "../meta/names.ts";
import { RELEASE } from "../meta/version.ts";
import type { LoadedConfiguration } from "./config/load-configuration.ts";

export function agentMetrics(nodeName: string, { configuration, gates }: LoadedConfiguration, names: Names): Metrics {
  const showHidden = configuration.showHiddenMetricsForVersion !== undefined;
  const metrics = new Metrics({ release: RELEASE, showHidden });
  addProcessMetrics(metrics);
  addBuildInfo(metrics, names);
  addGateMetrics(metrics, names, gates.all());
  const name = { name: "kubelet_node_name", help: "The node's name. The count is always 1.", labels: ["node"] };
  metrics
    .gauge({ ...name, stability: "ALPHA" })
    .with(nodeName)
    .set(1);
  return metrics;
}

/** Follows the node from the start of the machine to its registration. */
export class StartUpTimes {
  readonly #metrics: Metrics;
  readonly #clock: Clock;
  #sinceMs: number;

  constructor(metrics: Metrics, clock: Clock) {
    this.#metrics = metrics;
    this.#clock = clock;
    this.#sinceMs = clock.monotonicMs() - process.uptime() * 1000;
    this.#tell("pre_kubelet", "before kubelet starts", uptime() - process.uptime());
  }

  /** The API is about to be asked for the node. */
  registering(): void {
    this.#next("pre_registration", "before registration");
  }

  registered(): void {
    this.#next("registration", "during registration");
  }

  /** The node may have pods. */
  ready(): void {
    this.#next("post_registration", "after registration");
    this.#tell("", "in total", uptime());
  }

  #next(part: string, when: string): void {
    const nowMs = this.#clock.monotonicMs();
    this.#tell(part, when, (nowMs - this.#sinceMs) / 1000);
    this.#sinceMs = nowMs;
  }

  #tell(part: string, when: string, seconds: number): void {
    const name = `kubelet_node_startup_${part === "" ? "" : `${part}_`}duration_seconds`;
    const help = `Duration in seconds of node startup ${when}.`;
    this.#metrics.gauge({ name, help, stability: "ALPHA" }).with().set(seconds);
  }
}
