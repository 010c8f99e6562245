// GET /stats/summary, /metrics and what is below it.

import type { Clock } from "../../base/clock.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Response } from "../../http/message.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { PodRunner } from "../context.ts";
import type { CriClient } from "../cri/cri-client.ts";
import type { MachineFacts } from "../node/machine.ts";
import type { ProbeTotals } from "../probes/probe-totals.ts";
import { askRuntime, type RuntimeStats } from "../stats/ask-runtime.ts";
import { containerMetrics } from "../stats/container-metrics.ts";
import { measureUsage, type NodeUsage } from "../stats/measure-usage.ts";
import { withMissingPods } from "../stats/missing-pods.ts";
import { resourceMetrics } from "../stats/resource-metrics.ts";
import { summary } from "../stats/summary.ts";
import { type ClaimUsage, volumeMetrics } from "../stats/volume-metrics.ts";
import type { VolumeUsage } from "../stats/volume-usage.ts";
import { jsonAnswer, textAnswer } from "./answers.ts";
import type { Endpoint } from "./routes.ts";

interface StatisticsOptions {
  readonly nodeName: string;
  readonly cri: CriClient;
  /** The label by which containers name their pod. */
  readonly podUidLabel: string;
  readonly runner: Pick<PodRunner, "pods" | "volumes">;
  readonly measure: () => Promise<MachineFacts>;
  readonly metrics: Metrics;
  readonly probes: Pick<ProbeTotals, "text">;
  readonly clock: Clock;
}

export class Statistics {
  readonly #options: StatisticsOptions;
  readonly #startedAtMs: number;
  #last: NodeUsage | undefined;

  constructor(options: StatisticsOptions) {
    this.#options = options;
    this.#startedAtMs = options.clock.nowMs();
  }

  readonly summary: Endpoint = async ({ query }) => {
    const { nodeName, runner } = this.#options;
    const [{ machine, usage }, { sandboxes, containers }] = await Promise.all([this.#measure(), this.#ask()]);
    const onlyCpuAndMemory = query.get("only_cpu_and_memory") === "true";
    const pods = runner.pods();
    const volumes = onlyCpuAndMemory ? new Map() : await this.#volumes(pods);
    const facts = { nodeName, machine, usage, startedAtMs: this.#startedAtMs, pods, sandboxes, containers, volumes };
    const whole = summary(facts) as { readonly node: Readonly<Record<string, unknown>>; readonly pods: unknown };
    if (!onlyCpuAndMemory) return jsonAnswer(whole);
    const { cpu, memory, startTime } = whole.node;
    return jsonAnswer({ node: { nodeName, startTime, cpu, memory }, pods: whole.pods });
  };

  readonly resourceMetrics: Endpoint = async () => {
    const [{ usage }, { sandboxes, failed }] = await Promise.all([this.#measure(), this.#ask()]);
    return metricsAnswer(resourceMetrics({ usage, sandboxes, failed }));
  };

  readonly containerMetrics: Endpoint = async () => {
    const { clock } = this.#options;
    const [machine, { sandboxes }] = await Promise.all([this.#options.measure(), this.#ask()]);
    return metricsAnswer(containerMetrics({ machine, sandboxes, nowMs: clock.nowMs() }));
  };

  readonly probeMetrics: Endpoint = () => metricsAnswer(this.#options.probes.text());

  readonly metrics: Endpoint = async () => {
    return await exposed(this.#options.metrics, volumeMetrics(await this.#claims()));
  };

  async #ask(): Promise<RuntimeStats> {
    const { cri, runner, podUidLabel } = this.#options;
    const told = await askRuntime(cri);
    return { ...told, sandboxes: withMissingPods(told, runner.pods(), podUidLabel) };
  }

  async #volumes(pods: readonly Pod[]): Promise<Map<string, ReadonlyMap<string, VolumeUsage>>> {
    const uids = pods.map(({ metadata }) => metadata.uid ?? "");
    return new Map(await Promise.all(uids.map(async (uid) => [uid, await this.#options.runner.volumes(uid)] as const)));
  }

  async #claims(): Promise<ClaimUsage[]> {
    // Every file of every other volume would be looked at for nothing.
    const pods = this.#options.runner
      .pods()
      .filter(({ spec }) => (spec.volumes ?? []).some((each) => each.persistentVolumeClaim ?? each.ephemeral));
    const volumes = await this.#volumes(pods);
    return pods.flatMap(({ metadata }) =>
      [...(volumes.get(metadata.uid ?? "")?.values() ?? [])].flatMap((usage) =>
        usage.claim === undefined
          ? []
          : [{ namespace: metadata.namespace ?? "", usage: { ...usage, claim: usage.claim } }],
      ),
    );
  }

  async #measure(): Promise<{ readonly machine: MachineFacts; readonly usage: NodeUsage }> {
    const machine = await this.#options.measure();
    const memory = { totalBytes: machine.memoryBytes, availableBytes: machine.memoryAvailableBytes };
    this.#last = await measureUsage(memory, this.#options.clock.nowMs(), this.#last);
    return { machine, usage: this.#last };
  }
}

/** Everything of a registry, and what else there is to say. */
export async function exposed(metrics: Metrics, more = ""): Promise<Response> {
  const pieces: string[] = [];
  for await (const piece of metrics.expose()) pieces.push(piece);
  return metricsAnswer(pieces.join("") + more);
}

function metricsAnswer(text: string): Response {
  const answer = textAnswer(200, text);
  return { ...answer, headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" } };
}
