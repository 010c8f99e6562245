// `pctl set env`: variables of containers: `KEY=VALUE` sets, `KEY-` removes; or from a ConfigMap or Secret.

import type { JsonObject } from "../../base/json.ts";
import { CHANGE_FLAGS, changeObjects } from "../change-objects.ts";
import { CliError, type Command, type Flag, type Flags } from "../command.ts";
import { splitList } from "../generators/generator.ts";
import { itemsAt, memberOf, textAt } from "../json-members.ts";
import { listVariables, VALUE_HOLDERS } from "../list-variables.ts";
import { changeContainers, changePodSpec } from "../pod-template.ts";
import type { Session } from "../session.ts";
import { forEachTarget, readTarget, readTargets, targetPath } from "../targets.ts";

/** Of the commands that change containers. */
export const CONTAINERS_FLAG: Flag = {
  name: "containers",
  short: "c",
  value: "name",
  summary: "only containers of this name; * stands for anything (*)",
};

export const setEnv: Command = {
  name: "env",
  summary: "the variables of containers",
  arguments: "TYPE NAME... | TYPE/NAME... KEY=VALUE... KEY-... | -",
  flags: [
    ...CHANGE_FLAGS,
    CONTAINERS_FLAG,
    { name: "env", short: "e", value: "key=value", summary: "a variable; may be repeated" },
    { name: "from", value: "type/name", summary: "all values of this ConfigMap or Secret" },
    { name: "keys", value: "key,...", summary: "of --from only these" },
    { name: "prefix", value: "text", summary: "before the names of those that are set" },
    { name: "overwrite", summary: "change those that are there (true when not given)" },
    { name: "list", summary: "show the variables, and change nothing" },
    { name: "resolve", summary: "--list with the values that references lead to" },
  ],
  async run(session, args, flags) {
    const isVariable = (arg: string) => arg.includes("=") || arg.endsWith("-");
    const words = args.filter((arg) => !isVariable(arg));
    if (flags.switch("list")) {
      const listing = { pattern: flags.text("containers") ?? "*", resolve: flags.switch("resolve") };
      const targets = await readTargets(session, words, flags);
      return forEachTarget(session, targets, (target) => listVariables(session, target, listing));
    }
    const variables = await readVariables(session, [...flags.list("env"), ...args.filter(isVariable)], flags);
    if (variables.set.length === 0 && variables.removed.size === 0)
      throw new CliError("at least one variable is needed: KEY=VALUE, KEY-, --from=configmap/NAME");
    const overwrite = flags.switch("overwrite", true);
    await changeObjects(session, words, flags, {
      outcome: "env updated",
      apply: (object) =>
        changePodSpec(object, (spec) =>
          changeContainers(spec, flags.text("containers") ?? "*", (container) =>
            withVariables(container, variables, overwrite),
          ),
        ),
    });
  },
};

interface Variables {
  /** As containers have them. */
  readonly set: readonly JsonObject[];
  readonly removed: ReadonlySet<string>;
}

/** Fails with CliError. */
async function readVariables(session: Session, texts: readonly string[], flags: Flags): Promise<Variables> {
  const set: JsonObject[] = [];
  const removed = new Set<string>();
  const prefix = flags.text("prefix") ?? "";
  const add = (text: string): void => {
    const at = text.indexOf("=");
    if (at < 1) throw new CliError(`${JSON.stringify(text)} is not KEY=VALUE`);
    set.push({ name: prefix + text.slice(0, at), value: text.slice(at + 1) });
  };
  for (const text of texts) {
    if (text === "-") for (const line of linesOf(await session.terminal.readInput())) add(line);
    else if (!text.includes("=") && text.endsWith("-")) removed.add(text.slice(0, -1));
    else add(text);
  }
  const from = flags.text("from");
  if (from !== undefined) {
    for (const { name, ...rest } of await variablesFrom(session, from, new Set(splitList(flags, "keys"))))
      set.push({ name: `${prefix}${String(name)}`, ...rest });
  }
  const both = set.find((variable) => removed.has(textAt(variable, "name")));
  if (both !== undefined) throw new CliError(`${JSON.stringify(both["name"])} can not be both set and removed`);
  return { set, removed };
}

const linesOf = (bytes: Uint8Array): string[] =>
  Buffer.from(bytes)
    .toString("utf8")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));

async function variablesFrom(session: Session, word: string, keys: ReadonlySet<string>): Promise<JsonObject[]> {
  const target = await readTarget(session, [word]);
  const reference = VALUE_HOLDERS.get(target.resource.kind);
  if (reference === undefined) throw new CliError("--from must be a ConfigMap or a Secret");
  const object = await session.sendForJson({ method: "GET", path: targetPath(target) });
  const found = Object.keys(memberOf(object, "data")).filter((key) => keys.size === 0 || keys.has(key));
  for (const key of keys) if (!found.includes(key)) throw new CliError(`${word} has no key ${JSON.stringify(key)}`);
  return found.map((key) => ({
    name: key.toUpperCase().replaceAll(/[^A-Z0-9_]/g, "_"),
    valueFrom: { [reference]: { name: target.name, key } },
  }));
}

/** Fails with CliError where a variable is there that may not be changed. */
function withVariables(container: JsonObject, { set, removed }: Variables, overwrite: boolean): JsonObject {
  const byName = new Map(itemsAt(container, "env").map((variable) => [textAt(variable, "name"), variable]));
  for (const variable of set) {
    const name = textAt(variable, "name");
    if (!overwrite && byName.has(name))
      throw new CliError(`${JSON.stringify(name)} is there already, and --overwrite is false`);
    byName.set(name, variable);
  }
  for (const name of removed) byName.delete(name);
  const { env: _, ...rest } = container;
  return byName.size === 0 ? rest : { ...rest, env: [...byName.values()] };
}
