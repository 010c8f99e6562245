// Another server that is asked about pods: which nodes it would take for them, how it likes those, whether it binds them
// itself. Its words are upstream's.

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { HttpsCaller } from "../../client/callouts/https-caller.ts";
import type { HttpsTarget } from "../../client/tls-target.ts";
import type { Victims } from "../preemption.ts";
import type { ExtenderConfiguration } from "../profiles/configuration.ts";
import type { NodeInfo } from "../state/node-info.ts";
import type { PodInfo } from "../state/pod-info.ts";

/** An answer may repeat every node that was asked about. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const LIMITS = { maxSocketsPerTarget: 64, maxTargets: 1, maxCalls: 1_000 };
/** Of an extender's own scores, which go to ten; those here go to a hundred. */
const POINTS = 10;

interface FilterAnswer {
  readonly nodes: readonly NodeInfo[];
  /** Why not, by the name of the node. */
  readonly failed: ReadonlyMap<string, string>;
  /** Those that would refuse the pod whoever leaves. */
  readonly failedForGood: ReadonlyMap<string, string>;
}

type Said = Pick<
  ExtenderConfiguration,
  "filterVerb" | "prioritizeVerb" | "preemptVerb" | "bindVerb" | "ignorable" | "weight" | "nodeCacheCapable"
>;

export class Extender {
  readonly says: Said;
  readonly #urlPrefix: string;
  readonly #timeoutMs: number;
  readonly #managed: ReadonlySet<string>;
  readonly #target: HttpsTarget;
  readonly #caller = new HttpsCaller(LIMITS);

  constructor(configuration: ExtenderConfiguration, target: HttpsTarget) {
    this.says = configuration;
    this.#urlPrefix = configuration.urlPrefix;
    this.#timeoutMs = configuration.httpTimeoutMs;
    this.#managed = new Set(configuration.managedResources.map(({ name }) => name));
    this.#target = target;
  }

  /** Whether the pod asks for something that this extender looks after. */
  isInterestedIn({ pod: { spec } }: PodInfo): boolean {
    if (this.#managed.size === 0) return true;
    const isManaged = (amounts: Readonly<Record<string, string>> | undefined): boolean =>
      Object.keys(amounts ?? {}).some((name) => this.#managed.has(name));
    return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].some(
      ({ resources }) => isManaged(resources?.requests) || isManaged(resources?.limits),
    );
  }

  async filter(pod: PodInfo, nodes: readonly NodeInfo[], signal: AbortSignal): Promise<FilterAnswer> {
    const answer = membersOf(await this.#call(this.says.filterVerb, this.#question(pod, nodes), signal));
    const error = answer.get("error");
    if (typeof error === "string" && error !== "") throw new Error(error);
    const byName = new Map(nodes.map((node) => [node.name, node]));
    const kept = this.#namesOf(answer).map((name) => {
      const node = byName.get(name);
      if (node === undefined)
        throw new Error(
          `extender ${JSON.stringify(this.#urlPrefix)} claims a filtered node ${JSON.stringify(name)} which is not found in the input node list`,
        );
      return node;
    });
    return {
      nodes: kept,
      failed: texts(answer.get("failednodes")),
      failedForGood: texts(answer.get("failedandunresolvablenodes")),
    };
  }

  /** Points by the name of the node. */
  async prioritize(
    pod: PodInfo,
    nodes: readonly NodeInfo[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, number>> {
    const list = await this.#call(this.says.prioritizeVerb, this.#question(pod, nodes), signal);
    if (!Array.isArray(list)) throw new Error("a list of hosts and their scores is expected");
    const points = new Map<string, number>();
    for (const item of list) {
      const entry = membersOf(item);
      const [host, score] = [entry.get("host"), entry.get("score")];
      if (typeof host === "string" && typeof score === "number") points.set(host, score * this.says.weight * POINTS);
    }
    return points;
  }

  async bind({ name, namespace, uid }: PodInfo, nodeName: string, signal: AbortSignal): Promise<void> {
    const question = { PodName: name, PodNamespace: namespace, PodUID: uid, Node: nodeName };
    const error = membersOf(await this.#call(this.says.bindVerb, question, signal)).get("error");
    if (typeof error === "string" && error !== "") throw new Error(error);
  }

  /** Of nodes where pods would have to leave, those that remain, and who leaves there. */
  async preempt(pod: PodInfo, candidates: readonly Victims[], signal: AbortSignal): Promise<readonly Victims[]> {
    const { nodeCacheCapable, preemptVerb } = this.says;
    const victims = Object.fromEntries(
      candidates.map(({ node, pods, violations }) => [
        node.name,
        {
          Pods: pods.map((each) => (nodeCacheCapable ? { UID: each.uid } : each.pod)),
          NumPDBViolations: violations,
        },
      ]),
    );
    const member = nodeCacheCapable ? "NodeNameToMetaVictims" : "NodeNameToVictims";
    const answer = membersOf(await this.#call(preemptVerb, { Pod: pod.pod, [member]: victims }, signal));
    const nodes = new Map(candidates.map(({ node }) => [node.name, node]));
    const remaining = answer.get("nodenametometavictims");
    return Object.entries(isObject(remaining) ? remaining : {}).flatMap(([name, said]) => {
      const node = nodes.get(name);
      if (node === undefined)
        throw new Error(`extender: ${this.#urlPrefix} claims node ${JSON.stringify(name)}, which was not asked about`);
      const found = this.#victimsOn(node, membersOf(said));
      if (found.pods.length > 0) return [found];
      if (this.says.ignorable) return [];
      throw new Error(`expected at least one victim pod on node ${JSON.stringify(name)}`);
    });
  }

  close(): void {
    this.#caller.close();
  }

  #victimsOn(node: NodeInfo, said: Members): Victims {
    const list = said.get("pods");
    const pods = (Array.isArray(list) ? list : []).map((item) => {
      const uid = membersOf(item).get("uid");
      const pod = typeof uid === "string" ? node.pods.get(uid) : undefined;
      if (pod === undefined)
        throw new Error(
          `extender: ${this.#urlPrefix} claims to preempt pod (UID: ${JSON.stringify(uid)}) on node: ${node.name}, but the pod is not found on that node`,
        );
      return pod;
    });
    const violations = said.get("numpdbviolations");
    return { node, pods, violations: typeof violations === "number" ? violations : 0 };
  }

  #question({ pod }: PodInfo, nodes: readonly NodeInfo[]): object {
    if (this.says.nodeCacheCapable) return { Pod: pod, NodeNames: nodes.map(({ name }) => name) };
    return { Pod: pod, Nodes: { metadata: {}, items: nodes.flatMap(({ node }) => node ?? []) } };
  }

  #namesOf(answer: Members): readonly string[] {
    const names = answer.get("nodenames");
    if (this.says.nodeCacheCapable && Array.isArray(names)) return names.map(String);
    const items = membersOf(answer.get("nodes")).get("items");
    return (Array.isArray(items) ? items : []).map((item) =>
      String(membersOf(membersOf(item).get("metadata")).get("name")),
    );
  }

  async #call(verb: string, question: object, signal: AbortSignal): Promise<Json> {
    const url = new URL(`${this.#urlPrefix.replace(/\/+$/, "")}/${verb}`);
    const { status, body } = await this.#caller.call(this.#target, {
      method: "POST",
      path: url.pathname + url.search,
      headers: { host: url.host, "content-type": "application/json" },
      body: Buffer.from(JSON.stringify(question)),
      timeoutMs: this.#timeoutMs,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      signal,
    });
    if (status !== 200) throw new Error(`failed ${verb} with extender at URL ${url.href}, code ${status}`);
    return JSON.parse(body.toString("utf8")) as Json;
  }
}

type Members = ReadonlyMap<string, Json>;

/** By their names in lower case: upstream reads them in any. */
function membersOf(value: Json | undefined): Members {
  if (!isObject(value)) return new Map();
  return new Map(Object.entries(value as JsonObject).map(([name, member]) => [name.toLowerCase(), member!]));
}

function texts(value: Json | undefined): ReadonlyMap<string, string> {
  return new Map(Object.entries(isObject(value) ? value : {}).map(([name, text]) => [name, String(text)]));
}
