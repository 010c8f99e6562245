// The rule at the heart of the agent: what to do so that the runtime has what a pod shall be. Pure; the worker does it.

import type { Container } from "../../kinds/core/pod/container.ts";
import type { EphemeralContainer } from "../../kinds/core/pod/ephemeral-container.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { isSidecar, mayRestart, restartsAfter, shouldStart } from "./restart-rules.ts";
import { latestRun, type RuntimeContainer, type RuntimePod, type RuntimeSandbox } from "./runtime-pod.ts";

export type FailedProbe = "liveness" | "startup";

export interface SyncFacts {
  readonly pod: Pod;
  readonly runtime: RuntimePod;
  /** Runs whose probe has failed for good, by the id of the run. */
  readonly failedProbes: ReadonlyMap<string, FailedProbe>;
  /** Whether a running container has passed its startup probe, if it has one. */
  readonly isStarted: (run: RuntimeContainer) => boolean;
  /** Of the part of the spec whose change needs another run. */
  readonly hashOf: (container: Container | EphemeralContainer) => string;
}

export interface SyncActions {
  /** Everything that runs is stopped, the sandbox too, before anything else is done. */
  readonly killPod: boolean;
  /** Set when a sandbox is to be made: how many there were before. */
  readonly sandboxAttempt?: number;
  readonly sandbox?: RuntimeSandbox;
  readonly kill: readonly KillAction[];
  readonly start: readonly StartAction[];
}

export interface KillAction {
  readonly run: RuntimeContainer;
  readonly message: string;
  /** Gives the probe's own grace period instead of the pod's. */
  readonly probe?: FailedProbe;
}

export interface StartAction {
  readonly sort: "init" | "regular" | "ephemeral";
  readonly container: Container | EphemeralContainer;
}

const NOTHING: SyncActions = { killPod: false, kill: [], start: [] };

export function syncActions(facts: SyncFacts): SyncActions {
  const { pod, runtime } = facts;
  const [sandbox] = runtime.sandboxes;
  if (needsSandbox(pod, runtime)) {
    const attempt = sandbox === undefined ? 0 : sandbox.attempt + 1;
    const start = firstToStart(facts, attempt);
    const killPod = sandbox !== undefined || runtime.containers.some(({ state }) => state === "running");
    if (start === undefined) return { ...NOTHING, killPod };
    return { killPod, sandboxAttempt: attempt, kill: [], start };
  }
  return insideSandbox(facts, sandbox!);
}

/** Whether there is no sandbox, more than one, or one that cannot be used any more. */
function needsSandbox({ spec }: Pod, { sandboxes }: RuntimePod): boolean {
  const [newest] = sandboxes;
  if (newest === undefined || !newest.ready) return true;
  if (sandboxes.filter(({ ready }) => ready).length > 1) return true;
  if (newest.hostNetwork !== (spec.hostNetwork ?? false)) return true;
  return !spec.hostNetwork && newest.ips.length === 0;
}

/** What starts first in a new sandbox; undefined when the pod needs none any more. */
function firstToStart({ pod, runtime }: SyncFacts, attempt: number): StartAction[] | undefined {
  const { spec } = pod;
  const containers = spec.containers ?? [];
  const restarts = containers.some((container) => mayRestart(pod, container));
  if (!restarts && attempt > 0 && runtime.containers.length > 0) return undefined;
  const left = containers.filter((container) => {
    const run = latestRun(runtime, container.name);
    return (
      run === undefined || run.state !== "exited" || restartsAfter(pod, container, run.exitCode) || run.exitCode !== 0
    );
  });
  const init = spec.initContainers ?? [];
  const initialized = init.every((container) => isSidecar(container) || succeeded(latestRun(runtime, container.name)));
  if (left.length === 0 && initialized) return undefined;
  if (init.length > 0) return [{ sort: "init", container: init[0]! }];
  return left.map((container) => ({ sort: "regular", container }));
}

function insideSandbox(facts: SyncFacts, sandbox: RuntimeSandbox): SyncActions {
  const { pod, runtime } = facts;
  const kill: KillAction[] = [];
  const start: StartAction[] = [];
  for (const container of pod.spec.ephemeralContainers ?? []) {
    if (latestRun(runtime, container.name) === undefined) start.push({ sort: "ephemeral", container });
  }
  const init = initStep(facts, kill, start);
  if (init === "failed") return { ...NOTHING, killPod: true, sandbox };
  if (init === "initializing") return { killPod: false, sandbox, kill, start };

  let kept = 0;
  for (const container of pod.spec.containers ?? []) {
    const run = latestRun(runtime, container.name);
    if (run === undefined || run.state !== "running") {
      if (!shouldStart(pod, container, run)) continue;
      if (run?.state === "unknown")
        kill.push({ run, message: `Container is in "unknown" state, try killing it before restart` });
      start.push({ sort: "regular", container });
      continue;
    }
    const end = reasonToEnd(facts, container, run);
    if (end === undefined) kept += 1;
    else if (end.always || mayRestart(pod, container)) {
      kill.push({ ...end.action, message: `${end.action.message}, will be restarted` });
      start.push({ sort: "regular", container });
    } else kill.push(end.action);
  }
  const startsRegular = start.some(({ sort }) => sort === "regular");
  if (kept === 0 && !startsRegular) return { ...NOTHING, killPod: true, sandbox };
  return { killPod: false, sandbox, kill, start };
}

/** Why a running container has to end; a change of its spec starts it again whatever its policy. */
function reasonToEnd(
  { failedProbes, hashOf }: SyncFacts,
  container: Container,
  run: RuntimeContainer,
): { readonly action: KillAction; readonly always: boolean } | undefined {
  const hash = hashOf(container);
  if (run.hash !== "" && run.hash !== hash)
    return { action: { run, message: `Container ${container.name} definition changed` }, always: true };
  const probe = failedProbes.get(run.id);
  if (probe === undefined) return undefined;
  return { action: { run, probe, message: `Container ${container.name} failed ${probe} probe` }, always: false };
}

/**
 * Init containers run one after the other, each to its end; sidecars among them stay, and the next one starts when they
 * have started. Once regular containers have been started, only sidecars are looked after.
 */
function initStep(
  facts: SyncFacts,
  kill: KillAction[],
  start: StartAction[],
): "initializing" | "initialized" | "failed" {
  const { pod, runtime, isStarted } = facts;
  const init = pod.spec.initContainers ?? [];
  const regular = new Set((pod.spec.containers ?? []).map(({ name }) => name));
  const wasInitialized = runtime.containers.some(
    ({ name, sandboxId }) => regular.has(name) && sandboxId === runtime.sandboxes[0]?.id,
  );
  for (const [index, container] of init.entries()) {
    const run = runInSandbox(runtime, container.name);
    if (isSidecar(container)) {
      const end = run?.state === "running" ? reasonToEnd(facts, container, run) : undefined;
      if (end !== undefined) kill.push({ ...end.action, message: `${end.action.message}, will be restarted` });
      if (end === undefined && run?.state === "running") {
        if (isStarted(run) || wasInitialized) continue;
        return "initializing";
      }
      if (shouldStart(pod, container, end === undefined ? run : undefined)) start.push({ sort: "init", container });
      if (!wasInitialized) return "initializing";
      continue;
    }
    // What ran before a later one has ended well, even if its record is gone.
    const isPast =
      wasInitialized || init.slice(index + 1).some(({ name }) => runInSandbox(runtime, name) !== undefined);
    if (isPast || succeeded(run)) continue;
    if (run?.state === "running") {
      const end = reasonToEnd(facts, container, run);
      if (end !== undefined) kill.push(end.action);
      return "initializing";
    }
    if (run?.state === "exited" && !restartsAfter(pod, container, run.exitCode)) return "failed";
    if (run?.state === "unknown")
      kill.push({ run, message: 'Init container is in "unknown" state, try killing it before restart' });
    if (shouldStart(pod, container, run)) start.push({ sort: "init", container });
    return "initializing";
  }
  return "initialized";
}

/** Init containers run again in every new sandbox. */
function runInSandbox(runtime: RuntimePod, name: string): RuntimeContainer | undefined {
  const run = latestRun(runtime, name);
  return run !== undefined && run.sandboxId === runtime.sandboxes[0]?.id ? run : undefined;
}

const succeeded = (run: RuntimeContainer | undefined): boolean => run?.state === "exited" && run.exitCode === 0;
