// What is done right after a container starts and before it is stopped.

import type { Clock } from "../../base/clock.ts";
import type { Container } from "../../kinds/core/pod/container.ts";
import type { HTTPGetAction, LifecycleHandler } from "../../kinds/core/pod/probe.ts";
import type { CriClient } from "../cri/cri-client.ts";
import { hostAndPort, httpCheck, PLAIN_ANSWER, portOf, runCommand } from "../probes/check-container.ts";

const USER_AGENT = "kube-lifecycle/1.34";

interface HookTarget {
  readonly cri: Pick<CriClient, "execSync">;
  readonly clock: Clock;
  readonly container: Pick<Container, "ports">;
  readonly containerId: string;
  readonly podIp: string;
  /** 0 waits as long as it takes. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What monitors and the owner of the pod hear of besides success and failure. */
export interface HookEvents {
  /** An HTTPS hook was answered in plain HTTP, at that host, and done so. */
  readonly fellBack: (host: string) => void;
  readonly sleepEndedEarly: () => void;
}

/** Fails with a message for the owner of the pod. */
export async function runHook(
  { exec, httpGet, sleep }: LifecycleHandler,
  target: HookTarget,
  events: HookEvents,
): Promise<void> {
  const { clock, timeoutMs } = target;
  const signal = timeoutMs === 0 ? target.signal : AbortSignal.any([target.signal, clock.timeoutSignal(timeoutMs)]);
  if (sleep) return await sleepFor(Number(sleep.seconds), { clock, signal }, events);
  if (httpGet) return await ask(httpGet, target, signal, events);
  if (!exec) throw new Error("the hook says nothing to do that the node agent knows");
  const command = exec.command ?? [];
  const { result, message } = await runCommand(command, target, signal);
  if (result !== "success") throw new Error(`Exec lifecycle hook (${JSON.stringify(command)}) failed: ${message}`);
}

async function sleepFor(
  seconds: number,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  { sleepEndedEarly }: HookEvents,
): Promise<void> {
  try {
    await clock.sleep(seconds * 1000, signal);
  } catch {
    sleepEndedEarly();
    throw new Error("container terminated before sleep hook finished");
  }
}

/** Any answer will do: what it says is the container's own business. */
async function ask(
  httpGet: HTTPGetAction,
  target: HookTarget,
  signal: AbortSignal,
  { fellBack }: HookEvents,
): Promise<void> {
  const asked = { ...target, userAgent: USER_AGENT };
  const said = await httpCheck(httpGet, asked, signal);
  if (!said.isUnanswered) return;
  if (!said.message.includes(PLAIN_ANSWER))
    throw new Error(`HTTP lifecycle hook (${httpGet.path ?? "/"}) failed: ${said.message}`);
  const again = await httpCheck({ ...httpGet, scheme: "HTTP" }, asked, signal);
  if (again.isUnanswered) throw new Error(`HTTP lifecycle hook (${httpGet.path ?? "/"}) failed: ${said.message}`);
  fellBack(hostAndPort(httpGet.host || target.podIp, portOf(httpGet.port, target.container)));
}
