// Stops containers: first what they want done before, then the signal, then the end when their time is over. What they want
// done before begins at once for all; regular containers stop together, sidecars after them, the last one first.

import type { Container } from "../../kinds/core/pod/container.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { atMost } from "../at-most.ts";
import type { AgentContext } from "../context.ts";
import { isGrpcError } from "../cri/cri-client.ts";
import { reportOnContainer } from "./container-events.ts";
import { runHook } from "./lifecycle-hooks.ts";
import { fullName } from "./pod-entry.ts";
import type { PodTotals } from "./pod-totals.ts";
import { isSidecar } from "./restart-rules.ts";
import type { RuntimeContainer, RuntimePod } from "./runtime-pod.ts";

/** However little time there is, a container hears the signal before it is killed. */
const MIN_STOP_SECONDS = 2;

interface StopOrder {
  /** Undefined when nothing is known of the pod but what the runtime has. */
  readonly pod: Pod | undefined;
  readonly graceSeconds: number;
  readonly signal: AbortSignal;
}

interface ContainerOrder extends StopOrder {
  readonly message?: string;
  /** Until then it is let live, for as long as there is time. */
  readonly turn?: Promise<unknown> | undefined;
}

type StoppedRun = Pick<RuntimeContainer, "id" | "name" | "state">;

export class PodStopper {
  readonly #context: AgentContext;
  readonly #totals: PodTotals;

  constructor(context: AgentContext, totals: PodTotals) {
    this.#context = context;
    this.#totals = totals;
  }

  /** Everything of a pod, its sandboxes last. Fails with the first problem when all has been tried. */
  async stopPod(runtime: RuntimePod, order: StopOrder): Promise<void> {
    const { cri } = this.#context;
    const running = runtime.containers.filter(({ state }) => state === "running" || state === "unknown");
    const sidecars = (order.pod?.spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name);
    const problems: unknown[] = [];
    const note = (error: unknown) => void problems.push(error);
    const stopAll = (runs: readonly RuntimeContainer[], turn?: Promise<unknown>) =>
      Promise.all(runs.map((run) => this.stopContainer(run, { ...order, turn }).catch(note)));
    let stopped: Promise<unknown> = stopAll(running.filter(({ name }) => !sidecars.includes(name)));
    // The others may need it until then.
    for (const name of sidecars.reverse()) {
      const runs = running.filter((each) => each.name === name);
      stopped = Promise.all([stopped, stopAll(runs, stopped)]);
    }
    await stopped;
    // Without the sandbox nothing runs on: whoever was interrupted still has time.
    order.signal.throwIfAborted();
    for (const { id, ready } of runtime.sandboxes) {
      if (ready) await cri.stopPodSandbox({ podSandboxId: id }).catch(note);
    }
    if (problems.length > 0) throw problems[0];
  }

  async stopContainer(run: StoppedRun, order: ContainerOrder): Promise<void> {
    const { cri, clock, recorder, config } = this.#context;
    const { pod, graceSeconds, signal, turn } = order;
    const container = pod === undefined ? undefined : containerNamed(pod, run.name);
    const startedMs = clock.monotonicMs();
    if (pod !== undefined) {
      const message = order.message ?? `Stopping container ${run.name}`;
      reportOnContainer(recorder, pod, run.name, { type: "Normal", reason: "Killing", message });
    }
    if (pod !== undefined && container?.lifecycle?.preStop !== undefined && run.state === "running" && graceSeconds > 0)
      await this.#beforeStop(pod, container, run, order);
    const leftMs = () => graceSeconds * 1000 - (clock.monotonicMs() - startedMs);
    if (turn !== undefined) await atMost(leftMs(), turn, { clock, signal });
    const timeout = Math.max(Math.ceil(leftMs() / 1000), MIN_STOP_SECONDS);
    try {
      const timeoutMs = timeout * 1000 + config.runtimeRequestTimeoutMs;
      await cri.stopContainer({ containerId: run.id, timeout }, { timeoutMs, signal });
    } catch (error) {
      if (!isGrpcError(error, "NotFound")) throw error;
    }
  }

  /** A hook that fails is told of; the container stops all the same. */
  async #beforeStop(
    pod: Pod,
    container: Container,
    run: StoppedRun,
    { graceSeconds, signal }: StopOrder,
  ): Promise<void> {
    const { cri, clock, recorder, log } = this.#context;
    const podIp = pod.status.podIP ?? "";
    const timeoutMs = graceSeconds * 1000;
    try {
      const target = {
        cri,
        clock,
        container,
        containerId: run.id,
        podIp,
        timeoutMs,
        signal,
      };
      await runHook(container.lifecycle!.preStop!, target, this.#totals.hookEvents(pod, recorder));
    } catch (error) {
      signal.throwIfAborted();
      // What it said may hold secrets, and is nobody's business who may only read events.
      const report = { type: "Warning", reason: "FailedPreStopHook", message: "PreStopHook failed" } as const;
      reportOnContainer(recorder, pod, container.name, report);
      log.debug({ err: error, pod: fullName(pod), container: container.name }, "a hook before the stop failed");
    }
  }
}

function containerNamed({ spec }: Pod, name: string): Container | undefined {
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].find((container) => container.name === name);
}
