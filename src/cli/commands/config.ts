// `pctl config`: shows and changes the kubeconfig file.

import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { cloneJson, getKey, isObject, type Json, type JsonObject } from "../../base/json.ts";
import { decodeYaml, encodeYaml } from "../../codec/yaml.ts";
import { CliError, type Command, type Flags } from "../command.ts";
import { objectText } from "../printing/object-text.ts";
import { textTable } from "../printing/text-table.ts";
import type { Session } from "../session.ts";

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
        { name: "output", short: "o", value: "format", summary: "yaml (when not given), json" },
      ],
      async run(session, _args, flags) {
        const { document } = open(session, flags);
        const chosen = flags.switch("minify") ? minified(document, contextOf(document, flags)) : document;
        const shown = flags.switch("raw") ? chosen : redacted(chosen);
        session.terminal.write(objectText(shown, flags.choice("output", ["yaml", "json"])));
      },
    },
    {
      name: "current-context",
      summary: "the context in use",
      async run(session, _args, flags) {
        const name = contextOf(open(session, flags).document, flags);
        if (name === "") throw new CliError("current-context is not set");
        session.terminal.write(`${name}\n`);
      },
    },
    {
      name: "get-contexts",
      summary: "the contexts that there are",
      flags: [{ name: "output", short: "o", value: "format", summary: "name" }],
      async run(session, _args, flags) {
        const { document } = open(session, flags);
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
      arguments: "NAME",
      async run(session, args, flags) {
        const file = open(session, flags);
        const [name = ""] = args;
        if (!entriesOf(file.document, "contexts").some((each) => each.name === name))
          throw new CliError(`no context exists with the name: ${JSON.stringify(name)}`);
        save({ ...file, document: { ...file.document, "current-context": name } });
        session.terminal.write(`Switched to context ${JSON.stringify(name)}.\n`);
      },
    },
    {
      name: "set-context",
      summary: "change a context, or make one",
      arguments: "NAME | --current",
      flags: [{ name: "current", summary: "the context in use" }],
      async run(session, args, flags) {
        const file = open(session, flags);
        const name = flags.switch("current") ? contextOf(file.document, flags) : args[0];
        if (name === undefined || name === "") throw new CliError("a context must be named, or --current given");
        const given = Object.fromEntries(
          ["cluster", "user", "namespace"].flatMap((field) => {
            const value = flags.text(field);
            return value === undefined ? [] : [[field, value]];
          }),
        );
        const isNew = !entriesOf(file.document, "contexts").some((each) => each.name === name);
        save({ ...file, document: withEntry(file.document, "contexts", name, "context", given) });
        session.terminal.write(`Context ${JSON.stringify(name)} ${isNew ? "created" : "modified"}.\n`);
      },
    },
    deletion("delete-context", "contexts", "context"),
    deletion("delete-cluster", "clusters", "cluster"),
    deletion("delete-user", "users", "user"),
  ],
};

function deletion(name: string, list: string, what: string): Command {
  return {
    name,
    summary: `remove a ${what}`,
    arguments: "NAME",
    async run(session, args, flags) {
      const file = open(session, flags);
      const [wanted = ""] = args;
      const kept = entriesOf(file.document, list).filter((each) => each.name !== wanted);
      if (kept.length === entriesOf(file.document, list).length)
        throw new CliError(`cannot delete ${what} ${wanted}, not in ${file.path}`);
      save({ ...file, document: { ...file.document, [list]: kept.map(({ entry }) => entry) } });
      session.terminal.write(`deleted ${what} ${wanted} from ${file.path}\n`);
    },
  };
}

interface ConfigFile {
  readonly path: string;
  readonly document: JsonObject;
}

/** The file of --kubeconfig, or the first of KUBECONFIG that is there. Fails with CliError. */
function open(session: Session, flags: Flags): ConfigFile {
  const { env } = session.terminal;
  const fallback = join(env["HOME"] ?? homedir(), ".kube/config");
  const listed = (env["KUBECONFIG"] ?? "").split(":").filter((path) => path !== "");
  const candidates = flags.text("kubeconfig") === undefined ? [...listed, fallback] : [flags.text("kubeconfig")!];
  const path = candidates.find((each) => statSync(each, { throwIfNoEntry: false }) !== undefined) ?? candidates[0]!;
  let text = "";
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw new CliError((error as Error).message);
  }
  const value = text.trim() === "" ? {} : decodeYaml(Buffer.from(text)).value;
  if (!isObject(value as Json)) throw new CliError(`${path}: is no configuration`);
  return { path, document: value as JsonObject };
}

/** A reader sees the old file or the new one. */
function save({ path, document }: ConfigFile): void {
  const temporary = `${path}.${process.pid}.new`;
  try {
    writeFileSync(temporary, encodeYaml({ apiVersion: "v1", kind: "Config", ...document }), { mode: 0o600 });
    renameSync(temporary, path);
  } catch (error) {
    throw new CliError((error as Error).message);
  }
}

const contextOf = (document: JsonObject, flags: Flags): string =>
  flags.text("context") ?? String(getKey(document, "current-context") ?? "");

function entriesOf(document: JsonObject, list: string): { readonly name: string; readonly entry: JsonObject }[] {
  const entries = getKey(document, list);
  return (Array.isArray(entries) ? entries.filter(isObject) : []).map((entry) => ({
    name: String(entry["name"]),
    entry,
  }));
}

function withEntry(document: JsonObject, list: string, name: string, field: string, given: JsonObject): JsonObject {
  const entries = entriesOf(document, list);
  const known = entries.find((each) => each.name === name)?.entry;
  const before = known !== undefined && isObject(known[field] ?? null) ? (known[field] as JsonObject) : {};
  const entry = { ...known, name, [field]: { ...before, ...given } };
  const rest = entries.map((each) => (each.name === name ? entry : each.entry));
  return { ...document, [list]: known === undefined ? [...rest, entry] : rest };
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
