// `pctl config view`: what connections are made from, of all configuration files together, without secrets unless told.

import { isObject, type JsonObject } from "../../base/json.ts";
import { readSmallFileSync } from "../../base/read-small-file.ts";
import { CliError, type Command } from "../command.ts";
import { contextOf, ENTRY_FIELDS, entriesOf, mergedConfig, openConfig } from "../config-file.ts";
import { fileProblem } from "../file-text.ts";
import { memberOf, textAt } from "../json-members.ts";
import { NO_MANAGED_FIELDS_FLAG, outputFlags, readOutput } from "../printing/object-form.ts";
import { objectText } from "../printing/object-text.ts";

export const viewConfig: Command = {
  name: "view",
  summary: "the configuration, without secrets",
  flags: [
    { name: "raw", summary: "with certificates and secrets" },
    { name: "flatten", summary: "with the contents of certificate files, so that it needs no other file; and secrets" },
    { name: "minify", summary: "only what the context in use needs" },
    { name: "merge", summary: "all files of KUBECONFIG together (true when not given)" },
    ...outputFlags("yaml (when not given), json"),
    NO_MANAGED_FIELDS_FLAG,
  ],
  async run(session, _args, flags) {
    const output = readOutput(flags, [""]);
    const whole = flags.switch("merge", true) ? mergedConfig(session, flags) : openConfig(session, flags).document;
    const chosen = flags.switch("minify") ? minified(whole, contextOf(whole, flags)) : whole;
    const entries = flags.switch("flatten") ? flattened(chosen) : flags.switch("raw") ? chosen : redacted(chosen);
    const shown = { ...EMPTY, ...entries };
    session.terminal.write(output === "" ? objectText(shown, "yaml") : output(shown));
  },
};

/** What is shown where there is nothing. */
const EMPTY: JsonObject = {
  apiVersion: "v1",
  kind: "Config",
  "current-context": "",
  clusters: null,
  contexts: null,
  users: null,
};

/** Fails with CliError where the context, or what it names, is not there. */
function minified(document: JsonObject, context: string): JsonObject {
  if (context === "") throw new CliError("current-context must exist in order to minify");
  const only = (list: string, what: string, name: string): JsonObject[] => {
    const found = entriesOf(document, list).find((each) => each.name === name);
    if (found === undefined) throw new CliError(`cannot locate ${what} ${name}`);
    return [found.entry];
  };
  const contexts = only("contexts", "context", context);
  const { cluster, user } = { cluster: "", user: "", ...memberOf(contexts[0], "context") };
  return {
    ...document,
    "current-context": context,
    contexts,
    clusters: cluster === "" ? [] : only("clusters", "cluster", String(cluster)),
    users: user === "" ? [] : only("users", "user", String(user)),
  };
}

/** Files whose contents may stand in their place. */
const FILES = ["certificate-authority", "client-certificate", "client-key"];

/** Fails with CliError where a file cannot be read. */
function flattened(document: JsonObject): JsonObject {
  return withProperties(document, (properties) => {
    const read = FILES.flatMap((name): [string, string][] => {
      const path = textAt(properties, name);
      if (path === "" || Object.hasOwn(properties, `${name}-data`)) return [];
      try {
        return [[`${name}-data`, readSmallFileSync(path).toString("base64")]];
      } catch (error) {
        throw new CliError(`${name}: ${fileProblem(error)}`);
      }
    });
    const kept = Object.entries(properties).filter(([name]) => !FILES.includes(name));
    return Object.fromEntries([...kept, ...read]);
  });
}

const SECRETS: ReadonlyMap<string, string> = new Map([
  ["certificate-authority-data", "DATA+OMITTED"],
  ["client-certificate-data", "DATA+OMITTED"],
  ["client-key-data", "DATA+OMITTED"],
  ["token", "REDACTED"],
  ["password", "REDACTED"],
]);

function redacted(document: JsonObject): JsonObject {
  return withProperties(document, (properties) =>
    Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, SECRETS.get(name) ?? value])),
  );
}

/** With what every cluster and user has changed. */
function withProperties(document: JsonObject, change: (properties: JsonObject) => JsonObject): JsonObject {
  const lists = (["clusters", "users"] as const)
    .filter((list) => Array.isArray(document[list]))
    .map((list) => {
      const field = ENTRY_FIELDS[list];
      const entries = entriesOf(document, list).map(({ entry }) => {
        const properties = entry[field];
        return isObject(properties) ? { ...entry, [field]: change(properties) } : entry;
      });
      return [list, entries] as const;
    });
  return { ...document, ...Object.fromEntries(lists) };
}
