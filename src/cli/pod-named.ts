// The pods that a word of the command line means: by name, by labels, or those of a workload or a Service.

import type { JsonObject } from "../base/json.ts";
import { apiVersionOf } from "../client/discovery.ts";
import { CliError } from "./command.ts";
import { itemsAt, memberOf, numberAt, textAt } from "./json-members.ts";
import { DEFAULT_PAGE_SIZE, itemsOf, listPages } from "./list-pages.ts";
import { podSelectorOf } from "./pod-labels.ts";
import { nameOf } from "./printing/object-text.ts";
import type { Session } from "./session.ts";
import { readTarget, targetPath } from "./targets.ts";

export async function podsWith(session: Session, labelSelector: string): Promise<JsonObject[]> {
  const resource = await session.resource("pods");
  const pods: JsonObject[] = [];
  const options = { resource, namespace: session.namespace, labelSelector, pageSize: DEFAULT_PAGE_SIZE };
  for await (const page of listPages(session, options))
    for (const pod of itemsOf(page, resource, apiVersionOf(resource))) pods.push(pod);
  return pods;
}

/** A pod by its name, or those of a workload or a Service, as `deployment/web`: the most useful first. Fails with CliError. */
export async function podsNamed(session: Session, word: string): Promise<JsonObject[]> {
  const target = await readTarget(session, word.includes("/") ? [word] : ["pods", word]);
  const object = (await session.sendForJson({ method: "GET", path: targetPath(target) })) as JsonObject;
  const { kind } = target.resource;
  if (kind === "Pod") return [object];
  const selector = podSelectorOf(object);
  if (selector === "") throw new CliError(`${kind} ${JSON.stringify(target.name)} selects no pods`);
  const pods = await podsWith(session, selector);
  if (pods.length === 0) throw new CliError(`${word} has no pods`);
  return pods.sort(mostUsefulFirst);
}

/** The name of a pod, or of the most useful one of a workload or a Service. Fails with CliError. */
export async function podNamed(session: Session, word: string): Promise<string> {
  if (!word.includes("/")) return word;
  const [first] = await podsNamed(session, word);
  return nameOf(first!);
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
