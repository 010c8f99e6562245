// The kubeconfig file as `pctl config` shows and changes it: entries by name, everything else as it is.

import { mkdirSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { getKey, isObject, type Json, type JsonObject } from "../base/json.ts";
import { readSmallFileSync } from "../base/read-small-file.ts";
import { MAX_KUBECONFIG_BYTES } from "../client/kubeconfig.ts";
import { decodeYaml, encodeYaml } from "../codec/yaml.ts";
import { CliError, type Flags } from "./command.ts";
import { fileProblem } from "./file-text.ts";
import type { Session } from "./session.ts";

interface ConfigFile {
  readonly path: string;
  readonly document: JsonObject;
}

/** The lists of a configuration, whose entries have names. */
export type ConfigList = "contexts" | "clusters" | "users";

/** Which member of the entries of a list holds their properties. */
export const ENTRY_FIELDS = { contexts: "context", clusters: "cluster", users: "user" } as const;

export interface EntryName {
  readonly list: ConfigList;
  readonly name: string;
}

/**
 * The file to change: the first that has the entry; else that of --kubeconfig, or the first of KUBECONFIG that is there.
 * Fails with CliError.
 */
export function openConfig(session: Session, flags: Flags, entry?: EntryName): ConfigFile {
  const files = configFiles(session, flags);
  const holds = ({ document }: ConfigFile): boolean =>
    entry !== undefined && entriesOf(document, entry.list).some(({ name }) => name === entry.name);
  const holder = files.find(holds);
  if (holder !== undefined) return holder;
  const { listed, fallback } = configPaths(session, flags);
  const candidates = [...listed, fallback];
  const path = candidates.find((each) => statSync(each, { throwIfNoEntry: false }) !== undefined) ?? candidates[0]!;
  return readConfig(path);
}

/** All files together, as connections use them: of several entries of a name the first counts. Paths are absolute. */
export function mergedConfig(session: Session, flags: Flags): JsonObject {
  const files = configFiles(session, flags);
  const merged: JsonObject = {};
  for (const { path, document } of files) {
    for (const [key, value] of Object.entries(document)) {
      if (!Array.isArray(value)) {
        if ((merged[key] ?? "") === "") merged[key] = value!;
        continue;
      }
      const before = entriesOf(merged, key);
      const more = entriesOf(document, key).filter(({ name }) => !before.some((each) => each.name === name));
      merged[key] = [...before.map(({ entry }) => entry), ...more.map(({ entry }) => absolute(entry, dirname(path)))];
    }
  }
  return merged;
}

/** Paths of an entry, which stand relative to its file. */
const PATHS: ReadonlySet<string> = new Set(["certificate-authority", "client-certificate", "client-key", "tokenFile"]);

function absolute(entry: JsonObject, folder: string): JsonObject {
  const place = ([name, value]: readonly [string, Json | undefined]) =>
    [name, PATHS.has(name) && typeof value === "string" && value !== "" ? resolve(folder, value) : value] as const;
  const members = Object.entries(entry).map(([key, value]) =>
    isObject(value) ? ([key, Object.fromEntries(Object.entries(value).map(place))] as const) : ([key, value] as const),
  );
  return Object.fromEntries(members) as JsonObject;
}

/** The names of all entries that a connection may use. Fails with CliError. */
export function configNames(session: Session, flags: Flags, list: ConfigList): string[] {
  return entriesOf(mergedConfig(session, flags), list).map(({ name }) => name);
}

function configFiles(session: Session, flags: Flags): ConfigFile[] {
  const { listed, fallback } = configPaths(session, flags);
  return (listed.length > 0 ? listed : [fallback]).map(readConfig);
}

function configPaths(session: Session, flags: Flags): { readonly listed: string[]; readonly fallback: string } {
  const { env } = session.terminal;
  const given = flags.text("kubeconfig") ?? "";
  if (given !== "") return { listed: [], fallback: given };
  const listed = (env["KUBECONFIG"] ?? "").split(":").filter((path) => path !== "");
  return { listed, fallback: join(env["HOME"] ?? homedir(), ".kube/config") };
}

/** One that is not there is empty. */
function readConfig(path: string): ConfigFile {
  let text = "";
  try {
    text = readSmallFileSync(path, MAX_KUBECONFIG_BYTES).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw new CliError(fileProblem(error));
  }
  const value = text.trim() === "" ? {} : decodeYaml(Buffer.from(text)).value;
  if (!isObject(value as Json)) throw new CliError(`${path}: is no configuration`);
  return { path, document: value as JsonObject };
}

/** A reader sees the old file or the new one. What links to a file goes on doing so. */
export function saveConfig({ path, document }: ConfigFile): void {
  try {
    const file = statSync(path, { throwIfNoEntry: false }) === undefined ? path : realpathSync(path);
    const temporary = `${file}.${process.pid}.new`;
    mkdirSync(dirname(file), { recursive: true, mode: 0o750 });
    writeFileSync(temporary, encodeYaml({ apiVersion: "v1", kind: "Config", ...document }), { mode: 0o600 });
    renameSync(temporary, file);
  } catch (error) {
    throw new CliError(fileProblem(error));
  }
}

export const contextOf = (document: JsonObject, flags: Flags): string =>
  flags.text("context") ?? String(getKey(document, "current-context") ?? "");

export function entriesOf(document: JsonObject, list: string): { readonly name: string; readonly entry: JsonObject }[] {
  const entries = getKey(document, list);
  return (Array.isArray(entries) ? entries.filter(isObject) : []).map((entry) => ({
    name: String(entry["name"]),
    entry,
  }));
}

/** Of what is said, what was said before and counts no more. */
const SAYS_ANEW: Readonly<Record<string, readonly string[]>> = {
  token: ["username", "password"],
  username: ["token"],
  password: ["token"],
  // That name was the other server's.
  server: ["tls-server-name"],
  "certificate-authority": ["insecure-skip-tls-verify"],
  "certificate-authority-data": ["insecure-skip-tls-verify"],
  "insecure-skip-tls-verify": ["certificate-authority", "certificate-authority-data"],
};

export function withEntry(
  document: JsonObject,
  list: string,
  name: string,
  field: string,
  given: JsonObject,
): JsonObject {
  const entries = entriesOf(document, list);
  const known = entries.find((each) => each.name === name)?.entry;
  const before = known !== undefined && isObject(known[field] ?? null) ? (known[field] as JsonObject) : {};
  // A file and what stands in it are two ways to say the same: the newer word counts.
  const replaced = new Set(Object.keys(given).map((key) => (key.endsWith("-data") ? key.slice(0, -5) : `${key}-data`)));
  // So are a token and a password, an authority and none: with both the entry is good for nobody.
  for (const [key, others] of Object.entries(SAYS_ANEW))
    if (given[key]) for (const other of others) replaced.add(other);
  const kept = Object.fromEntries(Object.entries(before).filter(([key]) => !replaced.has(key)));
  const entry = { ...known, name, [field]: { ...kept, ...given } };
  const rest = entries.map((each) => (each.name === name ? entry : each.entry));
  return { ...document, [list]: known === undefined ? [...rest, entry] : rest };
}
