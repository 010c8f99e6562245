// `pctl config set` and `pctl config unset`: one property of the kubeconfig file, by its path: `contexts.here.namespace`.

import { isObject, type JsonObject } from "../../base/json.ts";
import { CliError, type Command } from "../command.ts";
import { type ConfigList, ENTRY_FIELDS, entriesOf, openConfig, saveConfig } from "../config-file.ts";

export const setProperty = propertyCommand("set", "change one property of the file", "PATH VALUE");
export const unsetProperty = propertyCommand("unset", "remove one property of the file", "PATH");

const HOLDERS: ReadonlyMap<string, string> = new Map(Object.entries(ENTRY_FIELDS));
const SWITCHES: readonly string[] = ["insecure-skip-tls-verify", "disable-compression"];

function propertyCommand(name: "set" | "unset", summary: string, words: string): Command {
  return {
    name,
    summary,
    arguments: words,
    async run(session, args, flags) {
      const [path = "", value, ...more] = args;
      if (path === "" || more.length > 0 || (value === undefined) !== (name === "unset"))
        throw new CliError(`what is needed: ${words}`);
      const file = openConfig(session, flags);
      saveConfig({ ...file, document: withProperty(file.document, path, value) });
      session.terminal.write(`Property ${JSON.stringify(path)} ${name}.\n`);
    },
  };
}

/** The document with the property; undefined removes it. Names of entries may have dots. Fails with CliError. */
function withProperty(document: JsonObject, path: string, value: string | undefined): JsonObject {
  if (path === "current-context") return { ...document, [path]: value ?? "" };
  const [list = ""] = path.split(".", 1);
  const holder = HOLDERS.get(list);
  if (holder === undefined)
    throw new CliError(`${path}: is neither current-context nor of ${[...HOLDERS.keys()].join(", ")}`);
  const rest = path.slice(list.length + 1);
  const entries = entriesOf(document, list as ConfigList);
  const known = entries
    .filter(({ name }) => rest === name || rest.startsWith(`${name}.`))
    .sort((a, b) => b.name.length - a.name.length)[0];
  const name = known?.name ?? rest.slice(0, Math.max(0, rest.lastIndexOf(".")));
  const property = rest.slice(name.length + 1);
  const others = entries.filter((each) => each.name !== name).map(({ entry }) => entry);
  if (property === "" && value === undefined && known !== undefined) return { ...document, [list]: others };
  if (name === "" || property === "") throw new CliError(`${path}: names no property of an entry`);
  if (known === undefined && value === undefined)
    throw new CliError(`${path}: there is no entry ${JSON.stringify(name)}`);
  const before = isObject(known?.entry[holder] ?? null) ? (known!.entry[holder] as JsonObject) : {};
  const { [property]: _, ...kept } = before;
  const stored = SWITCHES.includes(property) ? value === "true" : value;
  const entry = { ...known?.entry, name, [holder]: stored === undefined ? kept : { ...kept, [property]: stored } };
  return {
    ...document,
    [list]: entries.some((each) => each.name === name)
      ? entries.map((each) => (each.name === name ? entry : each.entry))
      : [...others, entry],
  };
}
