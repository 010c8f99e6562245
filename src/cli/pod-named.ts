// The pods that a word of the command line means: by name, by labels, or those of a workload or a Service.

import type { JsonObject } from "../base/json.ts";
import { apiVersionOf } from "../client/discovery.ts";
import { CliError, type Flag, type Flags } from "./command.ts";
import { itemsAt, memberOf, numberAt, textAt } from "./json-members.ts";
import { DEFAULT_PAGE_SIZE, itemsOf, listPages } from "./list-pages.ts";
import { podSelectorOf } from "./pod-labels.ts";
import { nameOf, objectName } from "./printing/object-text.ts";
import { whileWaiting } from "./progress.ts";
import { readDurationMs } from "./read-duration.ts";
import type { Session } from "./session.ts";
import { readTarget, type Target, targetPath } from "./targets.ts";

export async function podsWith(session: Session, labelSelector: string): Promise<JsonObject[]> {
  const resource = await session.resource("pods");
  const pods: JsonObject[] = [];
  const options = { resource, namespace: session.namespace, labelSelector, pageSize: DEFAULT_PAGE_SIZE };
  for await (const page of listPages(session, options))
    for (const pod of itemsOf(page, resource, apiVersionOf(resource))) pods.push(pod);
  return pods;
}

/** For commands that wait until a workload has a pod, or until a pod of their own runs. */
export const podTimeoutFlag = (seconds: number): Flag => ({
  name: "pod-running-timeout",
  value: "duration",
  summary: `how long to wait for a pod that is not there yet (${seconds}s)`,
});

/** Fails with CliError. */
export function readPodTimeoutMs(flags: Flags, seconds: number): number {
  const timeoutMs = readDurationMs(flags, "pod-running-timeout") ?? seconds * 1_000;
  if (timeoutMs <= 0) throw new CliError("--pod-running-timeout must be higher than zero");
  return timeoutMs;
}

const LOOK_MS = 200;

/**
 * A pod by its name, or those of a workload or a Service, as `deployment/web`: the most useful first. A workload that has none
 * yet is waited for. Fails with CliError.
 */
export async function podsNamed(session: Session, word: string, timeoutMs: number): Promise<JsonObject[]> {
  return podsOf(session, await readTarget(session, word.includes("/") ? [word] : ["pods", word]), timeoutMs);
}

/** Fails with CliError. */
export async function podsOf(session: Session, target: Target, timeoutMs: number): Promise<JsonObject[]> {
  const object = (await session.sendForJson({ method: "GET", path: targetPath(target) })) as JsonObject;
  const { kind } = target.resource;
  if (kind === "Pod") return [object];
  const selector = podSelectorOf(object);
  if (selector === "") throw new CliError(`${kind} ${JSON.stringify(target.name)} selects no pods`);
  const name = objectName(target.resource, target.name);
  const deadlineMs = session.clock.monotonicMs() + timeoutMs;
  return whileWaiting(
    session,
    () => `waiting for a pod of ${name}`,
    async () => {
      for (;;) {
        const pods = await podsWith(session, selector);
        if (pods.length > 0) return pods.sort(mostUsefulFirst);
        if (session.clock.monotonicMs() >= deadlineMs) throw new CliError(`${name} has no pods`);
        await session.pause(LOOK_MS);
      }
    },
  );
}

/** As kubectl orders them: on a node, running, ready, restarted often, old. */
function mostUsefulFirst(a: JsonObject, b: JsonObject): number {
  const [left, right] = [ranksOf(a), ranksOf(b)];
  for (const [at, rank] of left.entries()) if (rank !== right[at]) return rank < right[at]! ? -1 : 1;
  return 0;
}

const PHASES = ["Running", "Unknown", "Pending"];

function ranksOf(pod: JsonObject): (number | string)[] {
  const status = memberOf(pod, "status");
  const phase = PHASES.indexOf(textAt(status, "phase"));
  const ready = itemsAt(status, "conditions").find((condition) => textAt(condition, "type") === "Ready");
  const restarts = itemsAt(status, "containerStatuses").map((each) => numberAt(each, "restartCount"));
  return [
    textAt(memberOf(pod, "spec"), "nodeName") === "" ? 1 : 0,
    phase < 0 ? PHASES.length : phase,
    textAt(ready, "status") === "True" ? 0 : 1,
    textAt(ready, "lastTransitionTime"),
    -restarts.reduce((most, count) => Math.max(most, count), 0),
    textAt(memberOf(pod, "metadata"), "creationTimestamp"),
    nameOf(pod),
  ];
}
