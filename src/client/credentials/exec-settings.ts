// What a kubeconfig entry says about its credential plug-in, judged. Requirements: document 2, "Client credential plugin".

import { basename, resolve } from "node:path";
import { getKey, isObject, type JsonObject } from "../../base/json.ts";
import { DIALECTS, type Dialect, namesFor } from "../../meta/names.ts";
import { type ExecEntry, KubeconfigError } from "../kubeconfig.ts";

export type InteractiveMode = "Never" | "IfAvailable" | "Always";

export interface ExecSettings {
  /** Of the names in apiVersion; the plug-in is spoken to in the same. */
  readonly dialect: Dialect;
  /** What the plug-in is told, and must answer with. */
  readonly apiVersion: string;
  /** Absolute, or a bare name that is looked for in PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly installHint: string;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: InteractiveMode;
}

const MODES: readonly InteractiveMode[] = ["Never", "IfAvailable", "Always"];

/** Fails with KubeconfigError, which names the user and the field. */
export function readExecSettings(entry: ExecEntry, userName: string): ExecSettings {
  const { settings, at, folder } = entry;
  const fail = (field: string, why: string): never => {
    throw new KubeconfigError(`${at}.${field} (exec plug-in of user ${JSON.stringify(userName)}): ${why}`);
  };
  const command = text(settings, "command", fail) ?? fail("command", "must be specified");
  const apiVersion = text(settings, "apiVersion", fail) ?? fail("apiVersion", "must be specified");
  const known = VERSIONS.get(apiVersion) ?? fail("apiVersion", `invalid apiVersion ${quoted(apiVersion)}`);
  const mode = text(settings, "interactiveMode", fail) ?? known.defaultMode;
  if (mode === undefined) return fail("interactiveMode", `must be specified: one of ${MODES.join(", ")}`);
  const interactiveMode = MODES.find((one) => one === mode);
  return {
    dialect: known.dialect,
    apiVersion,
    // A bare name is looked for in PATH; everything else is a path, beside the file that says it.
    command: basename(command) === command ? command : resolve(folder, command),
    args: list(settings, "args", fail).map((arg) =>
      typeof arg === "string" ? arg : fail("args", "a list of texts is expected"),
    ),
    env: list(settings, "env", fail).map((item) => {
      if (!isObject(item)) return fail("env", "a list of objects is expected");
      const name = text(item, "name", fail) ?? fail("env", "a variable must have a name");
      return { name, value: text(item, "value", fail) ?? "" };
    }),
    installHint: text(settings, "installHint", fail) ?? "",
    provideClusterInfo: flag(settings, "provideClusterInfo", fail),
    interactiveMode:
      interactiveMode ?? fail("interactiveMode", `unknown interactiveMode ${quoted(mode)}: one of ${MODES.join(", ")}`),
  };
}

interface Version {
  readonly dialect: Dialect;
  /** The older version may leave the mode out. */
  readonly defaultMode?: InteractiveMode;
}

const VERSIONS: ReadonlyMap<string, Version> = new Map(
  DIALECTS.flatMap((dialect): [string, Version][] => {
    const group = namesFor(dialect).group("client.authentication");
    return [
      [`${group}/v1`, { dialect }],
      [`${group}/v1beta1`, { dialect, defaultMode: "IfAvailable" }],
    ];
  }),
);

type Fail = (field: string, why: string) => never;

function text(settings: JsonObject, field: string, fail: Fail): string | undefined {
  const value = getKey(settings, field);
  if (value === undefined || value === null || value === "") return undefined;
  return typeof value === "string" ? value : fail(field, "text is expected");
}

function flag(settings: JsonObject, field: string, fail: Fail): boolean {
  const value = getKey(settings, field) ?? false;
  return typeof value === "boolean" ? value : fail(field, "true or false is expected");
}

function list(settings: JsonObject, field: string, fail: Fail): readonly unknown[] {
  const value = getKey(settings, field) ?? [];
  return Array.isArray(value) ? value : fail(field, "a list is expected");
}

/** Of text that is shown, so much. */
const quoted = (value: string): string => JSON.stringify(value.slice(0, 200));
