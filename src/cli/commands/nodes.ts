// `pctl cordon`, `uncordon`, `drain` and `taint`: which pods a node takes, and those that have to leave it.

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import { findResource } from "../../client/discovery.ts";
import { jsonText } from "../../codec/json.ts";
import { CliError, type Command, type Flag, type Flags } from "../command.ts";
import { memberOf } from "../json-members.ts";
import { DEFAULT_PAGE_SIZE, itemsOf, listPages, withQuery } from "../list-pages.ts";
import { nameOf } from "../printing/object-text.ts";
import { whileWaiting } from "../progress.ts";
import { readDurationMs } from "../read-duration.ts";
import type { Session } from "../session.ts";
import { forEachTarget, metadataText, readTargets, type Target, targetPath } from "../targets.ts";
import { DRY_RUN_FLAG, readWriteSettings, WRITE_FLAGS, type WriteSettings } from "../write-flags.ts";

const SELECTOR: Flag = { name: "selector", short: "l", value: "selector", summary: "nodes with these labels" };

export const cordon: Command = {
  name: "cordon",
  summary: "let a node take no new pods",
  arguments: "NODE...",
  flags: [SELECTOR, DRY_RUN_FLAG],
  run: async (session, args, flags) => {
    const settings = readWriteSettings(flags);
    await forEachTarget(session, await nodes(session, args, flags), (node) =>
      setUnschedulable(session, node, true, settings),
    );
  },
};

export const uncordon: Command = {
  name: "uncordon",
  summary: "let a node take pods again",
  arguments: "NODE...",
  flags: [SELECTOR, DRY_RUN_FLAG],
  run: async (session, args, flags) => {
    const settings = readWriteSettings(flags);
    await forEachTarget(session, await nodes(session, args, flags), (node) =>
      setUnschedulable(session, node, false, settings),
    );
  },
};

export const drain: Command = {
  name: "drain",
  summary: "move the pods of a node elsewhere, for its maintenance",
  arguments: "NODE...",
  flags: [
    SELECTOR,
    { name: "force", summary: "also pods that nobody makes anew" },
    { name: "ignore-daemonsets", summary: "leave pods of DaemonSets where they are" },
    { name: "delete-emptydir-data", summary: "also pods whose data on the node is lost then" },
    { name: "grace-period", value: "seconds", summary: "how long a pod may take to end; -1 for its own" },
    { name: "timeout", value: "duration", summary: "give up after so long; 0 for never" },
    { name: "pod-selector", value: "selector", summary: "only pods with these labels" },
    { name: "disable-eviction", summary: "delete instead of evict: disruption budgets do not count" },
  ],
  run: async (session, args, flags) => {
    await forEachTarget(session, await nodes(session, args, flags), (node) => drainNode(session, node, flags));
  },
};

export const taint: Command = {
  name: "taint",
  summary: "keep pods away from nodes that do not tolerate them",
  arguments: "node NAME... KEY[=VALUE]:EFFECT... KEY[:EFFECT]-...",
  flags: [
    SELECTOR,
    ...WRITE_FLAGS,
    { name: "all", summary: "all nodes" },
    { name: "overwrite", summary: "change taints that are there" },
  ],
  async run(session, args, flags) {
    const [type = "", ...rest] = args;
    if (!["node", "nodes", "no"].includes(type)) throw new CliError("only nodes have taints: pctl taint node NAME ...");
    const changes = rest.filter((arg) => /:|-$/.test(arg)).map(readTaint);
    if (changes.length === 0)
      throw new CliError("at least one taint is needed: KEY=VALUE:EFFECT, or KEY- to remove it");
    const names = rest.filter((arg) => !/:|-$/.test(arg));
    const settings = readWriteSettings(flags);
    await forEachTarget(session, await nodes(session, names, flags), (node) =>
      setTaints(session, node, { changes, overwrite: flags.switch("overwrite") }, settings),
    );
  },
};

async function nodes(session: Session, names: readonly string[], flags: Flags): Promise<Target[]> {
  return readTargets(session, ["nodes", ...names], flags);
}

async function setUnschedulable(
  session: Session,
  node: Target,
  unschedulable: boolean,
  { query, send, shown }: WriteSettings,
): Promise<void> {
  const live = await session.sendForJson({ method: "GET", path: targetPath(node) });
  const word = unschedulable ? "cordoned" : "uncordoned";
  if ((specOf(live)["unschedulable"] === true) === unschedulable) {
    session.terminal.write(`node/${node.name} already ${word}\n`);
    return;
  }
  const answer = await send(session, {
    method: "PATCH",
    path: withQuery(targetPath(node), query),
    headers: { "content-type": "application/merge-patch+json" },
    body: jsonText({ spec: { unschedulable: unschedulable ? true : null } }),
  });
  session.terminal.write(shown(node.resource, node.name, answer, word));
}

async function drainNode(session: Session, node: Target, flags: Flags): Promise<void> {
  await setUnschedulable(session, node, true, readWriteSettings(flags));
  const deadlineMs = session.clock.monotonicMs() + (readDurationMs(flags, "timeout") || Number.POSITIVE_INFINITY);
  const pods = await podsOf(session, node, flags);
  const { leaving, problems, warnings } = judgePods(pods, flags);
  for (const warning of warnings) session.terminal.writeError(`Warning: ${warning}\n`);
  if (problems.length > 0) throw new CliError(`cannot drain node ${JSON.stringify(node.name)}: ${problems.join("; ")}`);
  const resource = findResource(await session.discovery(), "pods")!;
  const targets = leaving.map((pod): Target & { uid: string } => ({
    resource,
    namespace: metadataText(pod, "namespace"),
    name: nameOf(pod),
    uid: metadataText(pod, "uid") ?? "",
  }));
  const step = new DrainStep(session, flags, deadlineMs);
  const ofNode = `of node/${node.name}`;
  for (const target of targets)
    await whileWaiting(
      session,
      () => `waiting until pod ${target.name} ${ofNode} may go`,
      () => step.end(target),
    );
  for (const target of targets)
    await whileWaiting(
      session,
      () => `waiting until pod ${target.name} ${ofNode} is gone`,
      () => step.untilGone(target),
    );
  session.terminal.write(`node/${node.name} drained\n`);
}

async function podsOf(session: Session, { name }: Target, flags: Flags): Promise<JsonObject[]> {
  const resource = findResource(await session.discovery(), "pods")!;
  const found: JsonObject[] = [];
  const options = {
    resource,
    namespace: undefined,
    fieldSelector: `spec.nodeName=${name}`,
    labelSelector: flags.text("pod-selector"),
    pageSize: DEFAULT_PAGE_SIZE,
  };
  for await (const page of listPages(session, options))
    for (const pod of itemsOf(page, resource, "v1")) found.push(pod);
  return found;
}

interface Judged {
  readonly leaving: readonly JsonObject[];
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Which pods go, and what speaks against it. Pods of files on the node and of DaemonSets come back at once. */
function judgePods(pods: readonly JsonObject[], flags: Flags): Judged {
  const leaving: JsonObject[] = [];
  const groups = new Map<string, string[]>();
  const note = (what: string, pod: JsonObject) => {
    const name = `${metadataText(pod, "namespace")}/${nameOf(pod)}`;
    groups.set(what, [...(groups.get(what) ?? []), name]);
  };
  const refusals = new Set<string>();
  for (const pod of pods) {
    const owner = controllerOf(pod);
    const isOver = ["Succeeded", "Failed"].includes(String(statusOf(pod)["phase"]));
    if (owner === "Node") continue;
    if (owner === "DaemonSet" && !isOver) {
      note(flags.switch("ignore-daemonsets") ? IGNORED : NEEDS_IGNORE, pod);
      continue;
    }
    if (!isOver && owner === undefined) note(flags.switch("force") ? FORCED : NEEDS_FORCE, pod);
    if (!isOver && hasLocalData(pod)) note(flags.switch("delete-emptydir-data") ? LOSING : NEEDS_LOSS, pod);
    leaving.push(pod);
  }
  for (const what of [NEEDS_IGNORE, NEEDS_FORCE, NEEDS_LOSS]) if (groups.has(what)) refusals.add(what);
  const lines = [...groups].map(([what, names]) => [what, `${what}: ${names.join(", ")}`] as const);
  return {
    leaving,
    problems: lines.filter(([what]) => refusals.has(what)).map(([, line]) => line),
    warnings: lines.filter(([what]) => !refusals.has(what)).map(([, line]) => line),
  };
}

const IGNORED = "ignoring DaemonSet-managed Pods";
const NEEDS_IGNORE = "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore)";
const FORCED = "deleting Pods that declare no controller";
const NEEDS_FORCE = "cannot delete Pods that declare no controller (use --force to override)";
const LOSING = "deleting Pods with local storage";
const NEEDS_LOSS = "cannot delete Pods with local storage (use --delete-emptydir-data to override)";

const RETRY_MS = 5_000;
const LOOK_MS = 500;

class DrainStep {
  readonly #session: Session;
  readonly #flags: Flags;
  readonly #deadlineMs: number;

  constructor(session: Session, flags: Flags, deadlineMs: number) {
    this.#session = session;
    this.#flags = flags;
    this.#deadlineMs = deadlineMs;
  }

  /** Tries again while a disruption budget does not allow it. */
  async end(target: Target): Promise<void> {
    const direct = this.#flags.switch("disable-eviction");
    const where = `${target.namespace}/${target.name}`;
    this.#session.terminal.write(`${direct ? "deleting" : "evicting"} pod ${where}\n`);
    for (;;) {
      try {
        await this.#send(target, direct);
        return;
      } catch (error) {
        if (isApiError(error, "NotFound")) return;
        if (!isApiError(error, "TooManyRequests")) throw error;
        this.#session.terminal.writeError(`pod ${where} cannot leave yet (${error.status.message}), trying again\n`);
      }
      await this.#pause(RETRY_MS, where);
    }
  }

  async untilGone(target: Target & { readonly uid: string }): Promise<void> {
    for (;;) {
      try {
        const found = await this.#session.sendForJson({ method: "GET", path: targetPath(target) });
        if (!isObject(found) || metadataText(found, "uid") !== target.uid) break;
      } catch (error) {
        if (!isApiError(error, "NotFound")) throw error;
        break;
      }
      await this.#pause(LOOK_MS, `${target.namespace}/${target.name}`);
    }
    this.#session.terminal.write(`pod/${target.name} evicted\n`);
  }

  #send(target: Target, direct: boolean): Promise<Json> {
    const asked = this.#flags.number("grace-period") ?? -1;
    const deleteOptions = asked < 0 ? {} : { gracePeriodSeconds: asked };
    if (direct)
      return this.#session.sendForJson({ method: "DELETE", path: targetPath(target), body: jsonText(deleteOptions) });
    const { name, namespace = "" } = target;
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace }, deleteOptions };
    return this.#session.sendForJson({
      method: "POST",
      path: targetPath(target, "eviction"),
      body: jsonText(eviction),
    });
  }

  async #pause(ms: number, where: string): Promise<void> {
    if (this.#session.clock.monotonicMs() + ms > this.#deadlineMs)
      throw new CliError(`the time is over, and pod ${where} is still there`);
    await this.#session.clock.sleep(ms);
  }
}

interface TaintChange {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
  readonly remove: boolean;
}

const EFFECTS: ReadonlySet<string> = new Set(["NoSchedule", "PreferNoSchedule", "NoExecute"]);

function readTaint(text: string): TaintChange {
  const match = /^([^=:]+?)(?:=([^:]*))?(?::([A-Za-z]+))?(-)?$/.exec(text);
  const [, key = "", value = "", effect = "", dash] = match ?? [];
  const remove = dash === "-";
  if (key === "" || (effect === "" && !remove) || (effect !== "" && !EFFECTS.has(effect)))
    throw new CliError(`${JSON.stringify(text)} is no taint: KEY=VALUE:EFFECT with one of ${[...EFFECTS].join(", ")}`);
  return { key, value, effect, remove };
}

async function setTaints(
  session: Session,
  node: Target,
  { changes, overwrite }: { readonly changes: readonly TaintChange[]; readonly overwrite: boolean },
  { query, send, shown }: WriteSettings,
): Promise<void> {
  const live = await session.sendForJson({ method: "GET", path: targetPath(node) });
  const list = specOf(live)["taints"];
  let taints = Array.isArray(list) ? list.filter(isObject) : [];
  for (const { key, value, effect, remove } of changes) {
    const isSame = (taint: JsonObject) => taint["key"] === key && (effect === "" || taint["effect"] === effect);
    const known = taints.find(isSame);
    if (remove && known === undefined) throw new CliError(`taint ${JSON.stringify(key)} not found`);
    if (!remove && known !== undefined && String(known["value"] ?? "") !== value && !overwrite)
      throw new CliError(`node ${node.name} already has ${key} taint(s) with same effect(s) and --overwrite is false`);
    taints = taints.filter((taint) => !isSame(taint));
    if (!remove) taints.push({ key, effect, ...(value === "" ? {} : { value }) });
  }
  const version = isObject(live) ? metadataText(live, "resourceVersion") : undefined;
  const answer = await send(session, {
    method: "PATCH",
    path: withQuery(targetPath(node), query),
    headers: { "content-type": "application/merge-patch+json" },
    body: jsonText({ metadata: { resourceVersion: version ?? null }, spec: { taints } }),
  });
  const outcome = changes.every(({ remove }) => remove) ? "untainted" : "tainted";
  session.terminal.write(shown(node.resource, node.name, answer, outcome));
}

const specOf = (object: Json): JsonObject => memberOf(object, "spec");
const statusOf = (object: Json): JsonObject => memberOf(object, "status");

/** The kind of its controller; that of pods from files on a node is the node. */
function controllerOf(pod: JsonObject): string | undefined {
  const owners = memberOf(pod, "metadata")["ownerReferences"];
  const owner = Array.isArray(owners)
    ? owners.find((each) => isObject(each) && each["controller"] === true)
    : undefined;
  return isObject(owner) ? String(owner["kind"]) : undefined;
}

function hasLocalData(pod: JsonObject): boolean {
  const volumes = specOf(pod)["volumes"];
  return Array.isArray(volumes) && volumes.some((volume) => isObject(volume) && isObject(volume["emptyDir"] ?? null));
}
