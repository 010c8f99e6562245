// `pctl cordon`, `uncordon` and `taint`: which pods a node takes.

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { jsonText } from "../../codec/json.ts";
import { CliError, type Command, type Flag, type Flags } from "../command.ts";
import { memberOf } from "../json-members.ts";
import { withQuery } from "../list-pages.ts";
import type { Session } from "../session.ts";
import { forEachTarget, metadataText, readTargets, type Target, targetPath } from "../targets.ts";
import { DRY_RUN_FLAG, readWriteSettings, WRITE_FLAGS, type WriteSettings } from "../write-flags.ts";

export const NODE_SELECTOR: Flag = {
  name: "selector",
  short: "l",
  value: "selector",
  summary: "nodes with these labels",
};

export const cordon: Command = {
  name: "cordon",
  summary: "let a node take no new pods",
  arguments: "NODE...",
  flags: [NODE_SELECTOR, DRY_RUN_FLAG],
  run: async (session, args, flags) => {
    const settings = readWriteSettings(flags);
    await forEachTarget(session, await nodeTargets(session, args, flags), (node) =>
      setUnschedulable(session, node, true, settings),
    );
  },
};

export const uncordon: Command = {
  name: "uncordon",
  summary: "let a node take pods again",
  arguments: "NODE...",
  flags: [NODE_SELECTOR, DRY_RUN_FLAG],
  run: async (session, args, flags) => {
    const settings = readWriteSettings(flags);
    await forEachTarget(session, await nodeTargets(session, args, flags), (node) =>
      setUnschedulable(session, node, false, settings),
    );
  },
};

export const taint: Command = {
  name: "taint",
  summary: "keep pods away from nodes that do not tolerate them",
  arguments: "node NAME... KEY[=VALUE]:EFFECT... KEY[:EFFECT]-...",
  flags: [
    NODE_SELECTOR,
    ...WRITE_FLAGS,
    { name: "all", summary: "all nodes" },
    { name: "overwrite", summary: "change taints that are there" },
  ],
  async run(session, args, flags) {
    const [type = "", ...rest] = args;
    if (!["node", "nodes", "no"].includes(type)) throw new CliError("only nodes have taints: pctl taint node NAME ...");
    const changes = rest.filter(isTaint).map(readTaint);
    if (changes.length === 0)
      throw new CliError("at least one taint is needed: KEY=VALUE:EFFECT, or KEY- to remove it");
    const names = rest.filter((arg) => !isTaint(arg));
    for (const { key, effect } of changes.filter(({ remove }) => remove))
      if (changes.some((other) => !other.remove && isSameTaint(other, key, effect)))
        throw new CliError(`taint ${JSON.stringify(taintText(key, effect))} can not be both set and removed`);
    const settings = readWriteSettings(flags);
    await forEachTarget(session, await nodeTargets(session, names, flags), (node) =>
      setTaints(session, node, { changes, overwrite: flags.switch("overwrite") }, settings),
    );
  },
};

export async function nodeTargets(session: Session, names: readonly string[], flags: Flags): Promise<Target[]> {
  return readTargets(session, ["nodes", ...names], flags);
}

export async function setUnschedulable(
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
  const { unschedulable: _, ...spec } = specOf(live);
  const answer = await send(
    session,
    {
      method: "PATCH",
      path: withQuery(targetPath(node), query),
      headers: { "content-type": "application/merge-patch+json" },
      body: jsonText({ spec: { unschedulable: unschedulable ? true : null } }),
    },
    { ...(live as JsonObject), spec: { ...spec, ...(unschedulable ? { unschedulable } : {}) } },
  );
  session.terminal.write(shown(node.resource, node.name, answer, word));
}

interface TaintChange {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
  readonly remove: boolean;
}

/** What names of nodes cannot look like. */
const isTaint = (word: string): boolean => /[:=]|-$/.test(word);
const taintText = (key: string, effect: string): string => (effect === "" ? key : `${key}:${effect}`);
/** Without an effect, whatever effect it has. */
const isSameTaint = (taint: { readonly key?: Json; readonly effect?: Json }, key: string, effect: string): boolean =>
  taint.key === key && (effect === "" || taint.effect === effect);

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
    const isSame = (taint: JsonObject) => isSameTaint(taint, key, effect);
    const known = taints.find(isSame);
    if (remove && known === undefined) throw new CliError(`taint ${JSON.stringify(taintText(key, effect))} not found`);
    if (!remove && known !== undefined && !overwrite)
      throw new CliError(`node ${node.name} already has ${key} taint(s) with same effect(s) and --overwrite is false`);
    taints = taints.filter((taint) => !isSame(taint));
    if (!remove) taints.push({ key, effect, ...(value === "" ? {} : { value }) });
  }
  const version = isObject(live) ? metadataText(live, "resourceVersion") : undefined;
  const answer = await send(
    session,
    {
      method: "PATCH",
      path: withQuery(targetPath(node), query),
      headers: { "content-type": "application/merge-patch+json" },
      body: jsonText({ metadata: { resourceVersion: version ?? null }, spec: { taints } }),
    },
    { ...(live as JsonObject), spec: { ...specOf(live), taints } },
  );
  session.terminal.write(shown(node.resource, node.name, answer, outcomeOf(changes, overwrite)));
}

/** As kubectl says it. */
function outcomeOf(changes: readonly TaintChange[], overwrite: boolean): string {
  if (overwrite) return "modified";
  const removed = changes.filter(({ remove }) => remove).length;
  return removed === 0 ? "tainted" : removed === changes.length ? "untainted" : "modified";
}

const specOf = (object: Json): JsonObject => memberOf(object, "spec");
