// `pctl drain`: the pods of a node leave it, as far as disruption budgets allow.

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import { findResource } from "../../client/discovery.ts";
import type { ApiRequest } from "../../client/transport.ts";
import { jsonText } from "../../codec/json.ts";
import { CliError, type Command, type Flags } from "../command.ts";
import { memberOf } from "../json-members.ts";
import { DEFAULT_PAGE_SIZE, itemsOf, listPages } from "../list-pages.ts";
import { nameOf } from "../printing/object-text.ts";
import { whileWaiting } from "../progress.ts";
import { readDurationMs } from "../read-duration.ts";
import type { Session } from "../session.ts";
import { forEachTarget, metadataText, type Target, targetPath } from "../targets.ts";
import { DRY_RUN_FLAG, DRY_RUN_NOTES, type DryRun, readWriteSettings } from "../write-flags.ts";
import { NODE_SELECTOR, nodeTargets, setUnschedulable } from "./nodes.ts";

export const drain: Command = {
  name: "drain",
  summary: "move the pods of a node elsewhere, for its maintenance",
  arguments: "NODE...",
  flags: [
    NODE_SELECTOR,
    { name: "force", summary: "also pods that nobody makes anew" },
    { name: "ignore-daemonsets", summary: "leave pods of DaemonSets where they are" },
    { name: "delete-emptydir-data", summary: "also pods whose data on the node is lost then" },
    { name: "grace-period", value: "seconds", summary: "how long a pod may take to end; -1 for its own" },
    { name: "timeout", value: "duration", summary: "give up after so long; 0 for never" },
    { name: "pod-selector", value: "selector", summary: "only pods with these labels" },
    { name: "disable-eviction", summary: "delete instead of evict: disruption budgets do not count" },
    {
      name: "skip-wait-for-delete-timeout",
      value: "seconds",
      summary: "do not wait for pods whose deletion began longer ago than that; 0 waits for all (when not given)",
    },
    { name: "chunk-size", value: "number", summary: `pods to a page (${DEFAULT_PAGE_SIZE}); 0 for all at once` },
    DRY_RUN_FLAG,
  ],
  run: async (session, args, flags) => {
    const settings = readWriteSettings(flags);
    // First all of them are closed: what leaves one is not to come to the next.
    const closed: Target[] = [];
    await forEachTarget(session, await nodeTargets(session, args, flags), async (node) => {
      await setUnschedulable(session, node, true, settings);
      closed.push(node);
    });
    await forEachTarget(session, closed, (node) => drainNode(session, node, settings.dryRun, flags));
  },
};

async function drainNode(session: Session, node: Target, dryRun: DryRun, flags: Flags): Promise<void> {
  const deadlineMs = session.clock.monotonicMs() + (readDurationMs(flags, "timeout") || Number.POSITIVE_INFINITY);
  const pods = await podsOf(session, node, flags);
  const { leaving, problems, warnings } = judgePods(pods, flags);
  for (const warning of warnings) session.terminal.writeError(`Warning: ${warning}\n`);
  if (problems.length > 0) throw new CliError(`cannot drain node ${JSON.stringify(node.name)}: ${problems.join("; ")}`);
  const resource = findResource(await session.discovery(), "pods")!;
  const targets = leaving.map(
    (pod): PodTarget => ({
      resource,
      namespace: metadataText(pod, "namespace"),
      name: nameOf(pod),
      uid: metadataText(pod, "uid") ?? "",
    }),
  );
  const step = new DrainStep(session, { flags, dryRun, deadlineMs });
  const ofNode = `of node/${node.name}`;
  await whileWaiting(
    session,
    () => `waiting until ${step.waitsFor} ${ofNode} may go`,
    () => step.endAll(targets),
  );
  // In a dry run every pod stays.
  for (const target of dryRun === "none" ? targets : [])
    await whileWaiting(
      session,
      () => `waiting until pod ${target.name} ${ofNode} is gone`,
      () => step.untilGone(target),
    );
  session.terminal.write(`node/${node.name} drained${DRY_RUN_NOTES[dryRun]}\n`);
}

async function podsOf(session: Session, { name }: Target, flags: Flags): Promise<JsonObject[]> {
  const resource = findResource(await session.discovery(), "pods")!;
  const found: JsonObject[] = [];
  const options = {
    resource,
    namespace: undefined,
    fieldSelector: `spec.nodeName=${name}`,
    labelSelector: flags.text("pod-selector"),
    pageSize: flags.number("chunk-size") ?? DEFAULT_PAGE_SIZE,
  };
  for await (const page of listPages(session, options))
    for (const pod of itemsOf(page, resource, "v1")) if (!isLongGone(session, pod, flags)) found.push(pod);
  return found;
}

/** On a node that does not answer nobody says that a pod has ended. */
function isLongGone(session: Session, pod: JsonObject, flags: Flags): boolean {
  const seconds = flags.number("skip-wait-for-delete-timeout") ?? 0;
  const deletedMs = Date.parse(metadataText(pod, "deletionTimestamp") ?? "");
  return seconds > 0 && session.clock.nowMs() - deletedMs > seconds * 1_000;
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
    const names = groups.get(what);
    if (names === undefined) groups.set(what, [name]);
    else names.push(name);
  };
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
  const lines = (refuse: boolean) =>
    [...groups]
      .filter(([what]) => REFUSALS.has(what) === refuse)
      .map(([what, names]) => `${what}: ${names.join(", ")}`);
  return { leaving, problems: lines(true), warnings: lines(false) };
}

const IGNORED = "ignoring DaemonSet-managed Pods";
const NEEDS_IGNORE = "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore)";
const FORCED = "deleting Pods that declare no controller";
const NEEDS_FORCE = "cannot delete Pods that declare no controller (use --force to override)";
const LOSING = "deleting Pods with local storage";
const NEEDS_LOSS = "cannot delete Pods with local storage (use --delete-emptydir-data to override)";
const REFUSALS: ReadonlySet<string> = new Set([NEEDS_IGNORE, NEEDS_FORCE, NEEDS_LOSS]);

const RETRY_MS = 5_000;
const LOOK_MS = 500;

type PodTarget = Target & { readonly uid: string };

interface DrainSettings {
  readonly flags: Flags;
  readonly dryRun: DryRun;
  readonly deadlineMs: number;
}

class DrainStep {
  readonly #session: Session;
  readonly #flags: Flags;
  readonly #dryRun: DryRun;
  readonly #deadlineMs: number;
  #waiting: readonly PodTarget[] = [];

  constructor(session: Session, { flags, dryRun, deadlineMs }: DrainSettings) {
    this.#session = session;
    this.#flags = flags;
    this.#dryRun = dryRun;
    this.#deadlineMs = deadlineMs;
  }

  /** In words. */
  get waitsFor(): string {
    const [first, ...more] = this.#waiting;
    return `pod ${first?.name}${more.length === 0 ? "" : ` and ${more.length} more`}`;
  }

  /** Those that disruption budgets do not allow to go are asked again and again, and keep no others; a dry run only tells so. */
  async endAll(targets: readonly PodTarget[]): Promise<void> {
    const verb = this.#direct ? "deleting" : "evicting";
    for (this.#waiting = targets; this.#waiting.length > 0; ) {
      const kept: PodTarget[] = [];
      for (const target of this.#waiting) {
        if (this.#waiting === targets)
          this.#session.terminal.write(`${verb} pod ${placeOf(target)}${DRY_RUN_NOTES[this.#dryRun]}\n`);
        if (!(await this.#end(target))) kept.push(target);
      }
      this.#waiting = kept;
      if (kept.length > 0) await this.#pause(RETRY_MS, placeOf(kept[0]!));
    }
  }

  /** False when it may not go yet. */
  async #end(target: PodTarget): Promise<boolean> {
    if (this.#dryRun === "client") return true;
    try {
      await this.#send(target);
    } catch (error) {
      // It goes with its namespace.
      if (isApiError(error, "NotFound") || isNamespaceEnding(error)) return true;
      if (isApiError(error, "Conflict")) return this.#isGone(target);
      if (!isApiError(error, "TooManyRequests")) throw error;
      const isDry = this.#dryRun === "server";
      const reason = `pod ${placeOf(target)} cannot leave yet (${error.status.message})`;
      this.#session.terminal.writeError(`${reason}${isDry ? "" : ", trying again"}\n`);
      return isDry;
    }
    return true;
  }

  async untilGone(target: PodTarget): Promise<void> {
    while (!(await this.#isGone(target))) await this.#pause(LOOK_MS, placeOf(target));
    this.#session.terminal.write(`pod/${target.name} evicted\n`);
  }

  /** Another one of its name may be anywhere. */
  async #isGone(target: PodTarget): Promise<boolean> {
    try {
      const found = await this.#ask({ method: "GET", path: targetPath(target) });
      return !isObject(found) || metadataText(found, "uid") !== target.uid;
    } catch (error) {
      if (!isApiError(error, "NotFound")) throw error;
      return true;
    }
  }

  #send(target: PodTarget): Promise<Json> {
    const asked = this.#flags.number("grace-period") ?? -1;
    const deleteOptions = {
      preconditions: { uid: target.uid },
      ...(asked < 0 ? {} : { gracePeriodSeconds: asked }),
      ...(this.#dryRun === "server" ? { dryRun: ["All"] } : {}),
    };
    if (this.#direct) return this.#ask({ method: "DELETE", path: targetPath(target), body: jsonText(deleteOptions) });
    const { name, namespace = "" } = target;
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace }, deleteOptions };
    return this.#ask({ method: "POST", path: targetPath(target, "eviction"), body: jsonText(eviction) });
  }

  #ask(request: ApiRequest): Promise<Json> {
    return this.#session.sendForJson(request, { untilMs: this.#deadlineMs });
  }

  get #direct(): boolean {
    return this.#flags.switch("disable-eviction");
  }

  async #pause(ms: number, where: string): Promise<void> {
    if (this.#session.clock.monotonicMs() + ms > this.#deadlineMs)
      throw new CliError(`the time is over, and pod ${where} is still there`);
    await this.#session.pause(ms);
  }
}

const isNamespaceEnding = (error: unknown): boolean =>
  isApiError(error, "Forbidden") && error.causes.some(({ reason }) => reason === "NamespaceTerminating");
const placeOf = ({ namespace, name }: Target): string => `${namespace}/${name}`;
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
