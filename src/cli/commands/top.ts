// `pctl top`: what nodes and pods use now: from the metrics API where somebody serves it, else from the agents of the nodes.

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { apiVersionOf, type DiscoveredResource, pathOf } from "../../client/discovery.ts";
import { namesFor } from "../../meta/names.ts";
import { SIMULATED_RUNTIME } from "../../meta/simulated-runtime.ts";
import { CliError, type Command, type Flag, type Flags } from "../command.ts";
import { errorText } from "../error-text.ts";
import { itemsAt, memberOf, textAt } from "../json-members.ts";
import { DEFAULT_PAGE_SIZE, itemsOf, listPages } from "../list-pages.ts";
import { nameOf } from "../printing/object-text.ts";
import { textTable } from "../printing/text-table.ts";
import { checkNamed } from "../selection.ts";
import type { Session } from "../session.ts";
import { targetPath } from "../targets.ts";
import { addUsage, amountOf, type Measured, type Usage, usageCells, usageInSummary, usageOf } from "../usage.ts";

const FLAGS: readonly Flag[] = [
  { name: "selector", short: "l", value: "selector", summary: "with these labels" },
  { name: "sort-by", value: "column", summary: "cpu or memory, most first; by name when not given" },
  { name: "no-headers", summary: "without the first line" },
  { name: "show-swap", summary: "swap memory too" },
  {
    name: "use-protocol-buffers",
    summary: "",
    refused: "what is used is asked for in the form that serves all servers",
  },
];

/** Agents that are asked at the same time. */
const MAX_ASKED_AT_ONCE = 16;

export const top: Command = {
  name: "top",
  summary: "show what nodes and pods use now",
  commands: [
    {
      name: "nodes",
      aliases: ["node", "no"],
      summary: "show what nodes use, and how much of what they have that is",
      arguments: "[NODE]",
      flags: [
        ...FLAGS,
        { name: "show-capacity", summary: "shares of all that nodes have, not of what is there for pods" },
      ],
      run: topNodes,
    },
    {
      name: "pods",
      aliases: ["pod", "po"],
      summary: "show what pods use",
      arguments: "[POD]",
      flags: [
        ...FLAGS,
        { name: "all-namespaces", short: "A", summary: "of all namespaces" },
        { name: "containers", summary: "every container by itself" },
        { name: "sum", summary: "a last line with the sum" },
        { name: "field-selector", value: "selector", summary: "with these fields: spec.nodeName=a" },
      ],
      run: topPods,
    },
  ],
};

interface Row {
  readonly words: readonly string[];
  /** Undefined where nobody knows. */
  readonly usage: Usage | undefined;
  readonly of?: Usage;
}

async function topNodes(session: Session, args: readonly string[], flags: Flags): Promise<void> {
  const nodes = await session.resource("nodes");
  const objects = await listOf(session, nodes, undefined, args, flags);
  const metrics = await metricsOf(session, "nodes");
  const usages = new Map<string, Usage>();
  if (metrics !== undefined)
    for (const item of await listOf(session, metrics, undefined, args, flags))
      usages.set(nameOf(item), usageOf(memberOf(item, "usage")));
  else
    for (const [name, summary] of await summaries(session, nodes, objects))
      usages.set(name, usageInSummary(memberOf(summary, "node")));
  if (usages.size === 0 && objects.length > 0) throw new CliError(await nothingKnown(session, "node", args));
  const rows = objects.map((node): Row => {
    const whole = memberOf(memberOf(node, "status"), flags.switch("show-capacity") ? "capacity" : "allocatable");
    const of = { ...usageOf(whole), swapBytes: swapOf(node) };
    return { words: [nameOf(node)], usage: usages.get(nameOf(node)), of };
  });
  const header = measuredBy(flags).flatMap((what) => [COLUMNS[what], `${what.toUpperCase()}(%)`]);
  show(session, flags, ["NAME", ...header], rows);
}

async function topPods(session: Session, args: readonly string[], flags: Flags): Promise<void> {
  const everywhere = flags.switch("all-namespaces");
  if (everywhere && args.length > 0) throw new CliError("a pod cannot be named across all namespaces");
  const namespace = everywhere ? undefined : session.namespace;
  const perContainer = flags.switch("containers");
  const rows: Row[] = [];
  const add = (place: string, name: string, containers: readonly (readonly [string, Usage])[]): void => {
    const begin = everywhere ? [place, name] : [name];
    if (perContainer) for (const [container, usage] of containers) rows.push({ words: [...begin, container], usage });
    else rows.push({ words: begin, usage: containers.map(([, usage]) => usage).reduce(addUsage, NOTHING) });
  };
  const metrics = await metricsOf(session, "pods");
  if (metrics !== undefined) {
    for (const item of await listOf(session, metrics, namespace, args, flags)) {
      const containers = itemsAt(item, "containers");
      const place = textAt(memberOf(item, "metadata"), "namespace");
      add(
        place,
        nameOf(item),
        containers.map((each) => [textAt(each, "name"), usageOf(memberOf(each, "usage"))] as const),
      );
    }
  } else {
    const wanted = await listOf(session, await session.resource("pods"), namespace, args, flags);
    const known = await podStatistics(session, wanted);
    for (const pod of wanted) {
      const found = known.get(uidOf(pod));
      if (found !== undefined) add(textAt(memberOf(pod, "metadata"), "namespace"), nameOf(pod), found);
    }
  }
  if (rows.length === 0) throw new CliError(await nothingKnown(session, "pod", args));
  const names = perContainer ? ["POD", "NAME"] : ["NAME"];
  const header = measuredBy(flags).map((what) => COLUMNS[what]);
  show(session, flags, [...(everywhere ? ["NAMESPACE"] : []), ...names, ...header], rows);
}

const COLUMNS: Readonly<Record<Measured, string>> = {
  cpu: "CPU(cores)",
  memory: "MEMORY(bytes)",
  swap: "SWAP(bytes)",
};

const measuredBy = (flags: Flags): readonly Measured[] => [
  "cpu",
  "memory",
  ...(flags.switch("show-swap") ? (["swap"] as const) : []),
];

/** All that the node has; undefined where its agent does not say. */
function swapOf(node: JsonObject): number | undefined {
  const { capacity } = memberOf(memberOf(memberOf(node, "status"), "nodeInfo"), "swap");
  return typeof capacity === "number" ? capacity : undefined;
}

/** What is missing, and who could bring it. */
async function nothingKnown(session: Session, what: "node" | "pod", [name]: readonly string[]): Promise<string> {
  const { dialect, resources } = await session.discovery();
  const { metricsGroup } = namesFor(dialect);
  const whom = name === undefined ? `any ${what}` : `${what} ${JSON.stringify(name)}`;
  if (resources.some(({ group }) => group === metricsGroup)) return `no usage is known of ${whom} yet`;
  return `no usage is known of ${whom}: nobody serves ${metricsGroup} here, and no agent of a node has told any`;
}

const NOTHING: Usage = { milliCores: 0, memoryBytes: 0, swapBytes: 0 };

function show(session: Session, flags: Flags, header: readonly string[], rows: Row[]): void {
  const measured = measuredBy(flags);
  const sortBy = flags.choice("sort-by", ["", "cpu", "memory"]);
  const amount = ({ usage }: Row): number => (usage === undefined || sortBy === "" ? -1 : amountOf(usage, sortBy)!);
  const sorted = rows.sort((a, b) => amount(b) - amount(a) || compare(a.words.join("/"), b.words.join("/")));
  const lines = sorted.map(({ words, usage, of }) => [...words, ...usageCells(usage, of, measured)]);
  if (flags.switch("sum")) {
    const sum = sorted.map(({ usage }) => usage ?? NOTHING).reduce(addUsage, NOTHING);
    const blanks = Array.from({ length: header.length - measured.length }, () => "");
    lines.push([...blanks, ...measured.map(() => "________")], [...blanks, ...usageCells(sum, undefined, measured)]);
  }
  session.terminal.write(textTable(flags.switch("no-headers") ? lines : [[...header], ...lines]));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The metrics API, where the server has one. */
async function metricsOf(session: Session, resource: string): Promise<DiscoveredResource | undefined> {
  const { dialect, resources } = await session.discovery();
  const { metricsGroup } = namesFor(dialect);
  return resources.find((each) => each.group === metricsGroup && each.resource === resource);
}

async function listOf(
  session: Session,
  resource: DiscoveredResource,
  namespace: string | undefined,
  [name, ...more]: readonly string[],
  flags: Flags,
): Promise<JsonObject[]> {
  if (more.length > 0) throw new CliError(`unexpected argument ${JSON.stringify(more[0])}`);
  if (name === undefined)
    return allOf(session, resource, namespace, flags.text("selector"), flags.text("field-selector"));
  checkNamed(resource, flags);
  const object = await session.sendForJson({ method: "GET", path: targetPath({ resource, namespace, name }) });
  return isObject(object) ? [object] : [];
}

async function allOf(
  session: Session,
  resource: DiscoveredResource,
  namespace: string | undefined,
  labelSelector?: string,
  fieldSelector?: string,
): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  const options = {
    resource,
    namespace,
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    pageSize: DEFAULT_PAGE_SIZE,
  };
  for await (const page of listPages(session, options))
    for (const item of itemsOf(page, resource, apiVersionOf(resource))) found.push(item);
  return found;
}

/** What the agents of nodes say. Of those that do not answer, and of nodes without one, the user is told. */
async function summaries(
  session: Session,
  nodes: DiscoveredResource,
  objects: readonly JsonObject[],
): Promise<ReadonlyMap<string, Json>> {
  const found = new Map<string, Json>();
  const simulated = objects.filter(isSimulated);
  if (simulated.length > 0)
    session.report(
      new CliError(`nothing runs on simulated nodes, and nothing is used there: ${someNames(simulated.map(nameOf))}`),
    );
  const left = objects.filter((node) => !isSimulated(node)).map(nameOf);
  const ask = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      try {
        const path = `${pathOf(nodes, undefined, name)}/proxy/stats/summary`;
        found.set(name, await session.sendForJson({ method: "GET", path }));
      } catch (error) {
        session.report(new CliError(`node ${JSON.stringify(name)}: ${errorText(error)}`));
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_ASKED_AT_ONCE, left.length) }, ask));
  return found;
}

/** Its runtime says so. */
function isSimulated(node: JsonObject): boolean {
  return textAt(memberOf(memberOf(node, "status"), "nodeInfo"), "containerRuntimeVersion").startsWith(
    SIMULATED_RUNTIME,
  );
}

const MAX_NAMED = 3;

function someNames(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** By uid, container by container. */
async function podStatistics(
  session: Session,
  pods: readonly JsonObject[],
): Promise<ReadonlyMap<string, readonly (readonly [string, Usage])[]>> {
  const onNodes = new Set(pods.map((pod) => textAt(memberOf(pod, "spec"), "nodeName")).filter((name) => name !== ""));
  const known = new Map<string, readonly (readonly [string, Usage])[]>();
  if (onNodes.size === 0) return known;
  const nodes = await session.resource("nodes");
  const objects = await allOf(session, nodes, undefined);
  const concerned = objects.filter((node) => onNodes.has(nameOf(node)));
  for (const summary of (await summaries(session, nodes, concerned)).values()) {
    for (const pod of itemsAt(summary, "pods")) {
      // What has ended uses nothing, and nothing is told of it.
      const containers = itemsAt(pod, "containers").filter(
        ({ cpu, memory }) => cpu !== undefined || memory !== undefined,
      );
      if (containers.length === 0) continue;
      known.set(
        textAt(memberOf(pod, "podRef"), "uid"),
        containers.map((each) => [textAt(each, "name"), usageInSummary(each)] as const),
      );
    }
  }
  return known;
}

const uidOf = (object: JsonObject): string => textAt(memberOf(object, "metadata"), "uid");
