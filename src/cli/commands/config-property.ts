// `pctl config set` and `pctl config unset`: one property of the kubeconfig file, by its path: `contexts.here.namespace`.

import { isObject, type JsonObject } from "../../base/json.ts";
import { CliError, type Command, type Flag, type Flags } from "../command.ts";
import {
  type ConfigList,
  configNames,
  ENTRY_FIELDS,
  type EntryName,
  entriesOf,
  openConfig,
  saveConfig,
} from "../config-file.ts";
import type { Session } from "../session.ts";

const RAW_BYTES_FLAG: Flag = {
  name: "set-raw-bytes",
  summary: "the value of a property that holds bytes as it is; else it is in base64",
};

export const setProperty = propertyCommand("set", "change one property of the file", "PATH VALUE");
export const unsetProperty = propertyCommand("unset", "remove one property of the file", "PATH");

const HOLDERS: ReadonlyMap<string, string> = new Map(Object.entries(ENTRY_FIELDS));
const SWITCHES: readonly string[] = ["insecure-skip-tls-verify", "disable-compression"];

function propertyCommand(name: "set" | "unset", summary: string, words: string): Command {
  return {
    name,
    summary,
    arguments: words,
    ...(name === "set" ? { flags: [RAW_BYTES_FLAG] } : {}),
    async run(session, args, flags) {
      const [path = "", value, ...more] = args;
      if (path === "" || more.length > 0 || (value === undefined) !== (name === "unset"))
        throw new CliError(`what is needed: ${words}`);
      const file = openConfig(session, flags, entryAt(session, flags, path));
      const stored = value === undefined ? undefined : storedText(path, value, flags.switch(RAW_BYTES_FLAG.name));
      saveConfig({ ...file, document: withProperty(file.document, path, stored) });
      session.terminal.write(`Property ${JSON.stringify(path)} ${name}.\n`);
    },
  };
}

/** The entry of a path, in whichever file it stands. Names of entries may have dots. */
function entryAt(session: Session, flags: Flags, path: string): EntryName | undefined {
  const [list = ""] = path.split(".", 1);
  if (!HOLDERS.has(list)) return undefined;
  const name = nameAt(configNames(session, flags, list as ConfigList), path.slice(list.length + 1));
  return name === undefined ? undefined : { list: list as ConfigList, name };
}

/** The longest of these names with which the rest of a path begins. */
const nameAt = (names: readonly string[], rest: string): string | undefined =>
  names.filter((name) => rest === name || rest.startsWith(`${name}.`)).sort((a, b) => b.length - a.length)[0];

/** Properties that hold bytes are kept in base64. Fails with CliError. */
function storedText(path: string, value: string, raw: boolean): string {
  if (!path.endsWith("-data")) return value;
  if (raw) return Buffer.from(value).toString("base64");
  if (Buffer.from(value, "base64").toString("base64") === value) return value;
  throw new CliError(`${path}: is no base64; --${RAW_BYTES_FLAG.name} takes the value as it is`);
}

/** The document with the property; undefined removes it. Fails with CliError. */
function withProperty(document: JsonObject, path: string, value: string | undefined): JsonObject {
  if (path === "current-context") return { ...document, [path]: value ?? "" };
  const [list = ""] = path.split(".", 1);
  const holder = HOLDERS.get(list);
  if (holder === undefined)
    throw new CliError(`${path}: is neither current-context nor of ${[...HOLDERS.keys()].join(", ")}`);
  const rest = path.slice(list.length + 1);
  const entries = entriesOf(document, list as ConfigList);
  const knownName = nameAt(
    entries.map(({ name }) => name),
    rest,
  );
  const known = entries.find(({ name }) => name === knownName);
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
