// What is done right after a container starts and before it is stopped.

import type { Clock } from "../../base/clock.ts";
import type { Container } from "../../kinds/core/pod/container.ts";
import type { LifecycleHandler } from "../../kinds/core/pod/probe.ts";
import type { CriClient } from "../cri/cri-client.ts";
import { httpCheck, runCommand } from "../probes/check-container.ts";

interface HookTarget {
  readonly cri: Pick<CriClient, "execSync">;
  readonly clock: Clock;
  readonly container: Pick<Container, "ports">;
  readonly containerId: string;
  readonly podIp: string;
  readonly userAgent: string;
  /** 0 waits as long as it takes. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Fails with a message for the owner of the pod. */
export async function runHook({ exec, httpGet, sleep }: LifecycleHandler, target: HookTarget): Promise<void> {
  const { clock, timeoutMs } = target;
  const signal = timeoutMs === 0 ? target.signal : AbortSignal.any([target.signal, clock.timeoutSignal(timeoutMs)]);
  if (sleep) return await clock.sleep(Number(sleep.seconds) * 1000, signal);
  const command = exec?.command ?? [];
  const outcome = exec
    ? await runCommand(command, target, signal)
    : httpGet
      ? await httpCheck(httpGet, target, signal)
      : undefined;
  if (outcome === undefined) throw new Error("the hook says nothing to do that the node agent knows");
  if (outcome.result === "success") return;
  const what = exec
    ? `Exec lifecycle hook (${JSON.stringify(command)})`
    : `HTTP lifecycle hook (${httpGet?.path ?? "/"})`;
  throw new Error(`${what} failed: ${outcome.message}`);
}
