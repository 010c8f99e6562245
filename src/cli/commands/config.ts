// `pctl config`: shows and changes the kubeconfig file.

import { cloneJson, isObject, type Json, type JsonObject } from "../../base/json.ts";
import { CliError, type Command } from "../command.ts";
import { configNames, contextOf, entriesOf, openConfig, saveConfig, withEntry } from "../config-file.ts";
import { objectText } from "../printing/object-text.ts";
import { readPathTemplate } from "../printing/path-template.ts";
import { textTable } from "../printing/text-table.ts";
import { getClusters, getUsers, renameContext, setCluster, setCredentials } from "./config-entries.ts";
import { setProperty, unsetProperty } from "./config-property.ts";

export const config: Command = {
  name: "config",
  summary: "show or change the kubeconfig file",
  commands: [
    {
      name: "view",
      summary: "the file, without secrets",
      flags: [
        { name: "raw", summary: "with certificates and secrets" },
        { name: "minify", summary: "only what the context in use needs" },
        { name: "output", short: "o", value: "format", summary: "yaml (when not given), json, jsonpath=TEMPLATE" },
      ],
      async run(session, _args, flags) {
        const { document } = openConfig(session, flags);
        const chosen = flags.switch("minify") ? minified(document, contextOf(document, flags)) : document;
        const shown = flags.switch("raw") ? chosen : redacted(chosen);
        const [word, ...template] = (flags.text("output") ?? "").split("=");
        session.terminal.write(
          word === "jsonpath"
            ? readPathTemplate(template.join("="))(shown)
            : objectText(shown, flags.choice("output", ["yaml", "json"])),
        );
      },
    },
    {
      name: "current-context",
      summary: "the context in use",
      async run(session, _args, flags) {
        const name = contextOf(openConfig(session, flags).document, flags);
        if (name === "") throw new CliError("current-context is not set");
        session.terminal.write(`${name}\n`);
      },
    },
    {
      name: "get-contexts",
      summary: "the contexts that there are",
      flags: [{ name: "output", short: "o", value: "format", summary: "name" }],
      async run(session, _args, flags) {
        const { document } = openConfig(session, flags);
        const current = contextOf(document, flags);
        const contexts = entriesOf(document, "contexts");
        if (flags.choice("output", ["", "name"]) === "name") {
          for (const { name } of contexts) session.terminal.write(`${name}\n`);
          return;
        }
        const rows = contexts.map(({ name, entry }) => {
          const context = isObject(entry["context"] ?? null) ? (entry["context"] as JsonObject) : {};
          const text = (field: string) => String(context[field] ?? "");
          return [name === current ? "*" : "", name, text("cluster"), text("user"), text("namespace")];
        });
        session.terminal.write(textTable([["CURRENT", "NAME", "CLUSTER", "AUTHINFO", "NAMESPACE"], ...rows]));
      },
    },
    {
      name: "use-context",
      summary: "use another context from now on",
      arguments: "CONTEXT",
      async run(session, args, flags) {
        const file = openConfig(session, flags);
        const [name = ""] = args;
        if (!configNames(session, flags, "contexts").includes(name))
          throw new CliError(`no context exists with the name: ${JSON.stringify(name)}`);
        saveConfig({ ...file, document: { ...file.document, "current-context": name } });
        session.terminal.write(`Switched to context ${JSON.stringify(name)}.\n`);
      },
    },
    {
      name: "set-context",
      summary: "change a context, or make one",
      arguments: "CONTEXT | --current",
      flags: [{ name: "current", summary: "the context in use" }],
      async run(session, args, flags) {
        const file = openConfig(session, flags);
        const name = flags.switch("current") ? contextOf(file.document, flags) : args[0];
        if (name === undefined || name === "") throw new CliError("a context must be named, or --current given");
        const given = Object.fromEntries(
          ["cluster", "user", "namespace"].flatMap((field) => {
            const value = flags.text(field);
            return value === undefined ? [] : [[field, value]];
          }),
        );
        const isNew = !entriesOf(file.document, "contexts").some((each) => each.name === name);
        saveConfig({ ...file, document: withEntry(file.document, "contexts", name, "context", given) });
        session.terminal.write(`Context ${JSON.stringify(name)} ${isNew ? "created" : "modified"}.\n`);
      },
    },
    setProperty,
    unsetProperty,
    renameContext,
    setCluster,
    setCredentials,
    getClusters,
    getUsers,
    deletion("delete-context", "contexts", "context"),
    deletion("delete-cluster", "clusters", "cluster"),
    deletion("delete-user", "users", "user"),
  ],
};

function deletion(name: string, list: string, what: string): Command {
  return {
    name,
    summary: `remove a ${what}`,
    arguments: what.toUpperCase(),
    async run(session, args, flags) {
      const file = openConfig(session, flags);
      const [wanted = ""] = args;
      const kept = entriesOf(file.document, list).filter((each) => each.name !== wanted);
      if (kept.length === entriesOf(file.document, list).length)
        throw new CliError(`cannot delete ${what} ${wanted}, not in ${file.path}`);
      saveConfig({ ...file, document: { ...file.document, [list]: kept.map(({ entry }) => entry) } });
      session.terminal.write(`deleted ${what} ${wanted} from ${file.path}\n`);
    },
  };
}

function minified(document: JsonObject, context: string): JsonObject {
  const kept = entriesOf(document, "contexts").filter(({ name }) => name === context);
  const [first] = kept;
  const inner =
    first !== undefined && isObject(first.entry["context"] ?? null) ? (first.entry["context"] as JsonObject) : {};
  const only = (list: string, name: Json | undefined) =>
    entriesOf(document, list)
      .filter((each) => each.name === name)
      .map(({ entry }) => entry);
  return {
    ...document,
    contexts: kept.map(({ entry }) => entry),
    clusters: only("clusters", inner["cluster"]),
    users: only("users", inner["user"]),
  };
}

const SECRETS: Readonly<Record<string, string>> = {
  "certificate-authority-data": "DATA+OMITTED",
  "client-certificate-data": "DATA+OMITTED",
  "client-key-data": "DATA+OMITTED",
  token: "REDACTED",
  password: "REDACTED",
};

function redacted(document: JsonObject): JsonObject {
  const copy = cloneJson(document);
  for (const [list, field] of [
    ["clusters", "cluster"],
    ["users", "user"],
  ] as const) {
    for (const { entry } of entriesOf(copy, list)) {
      const inner = entry[field];
      if (!isObject(inner ?? null)) continue;
      for (const key of Object.keys(SECRETS))
        if (Object.hasOwn(inner as JsonObject, key)) (inner as JsonObject)[key] = SECRETS[key]!;
    }
  }
  return copy;
}
