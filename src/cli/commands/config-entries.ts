// `pctl config set-cluster`, `set-credentials`, `rename-context`, `get-clusters`, `get-users`: entries of the kubeconfig file.

import { resolve } from "node:path";
import type { JsonObject } from "../../base/json.ts";
import { readSmallFileSync } from "../../base/read-small-file.ts";
import { CliError, type Command, type Flag, type Flags } from "../command.ts";
import { configNames, entriesOf, openConfig, saveConfig, withEntry } from "../config-file.ts";
import { fileProblem } from "../file-text.ts";
import { pair } from "../generators/generator.ts";
import { itemsAt, memberOf, textAt } from "../json-members.ts";

const EMBED: Flag = { name: "embed-certs", summary: "the certificates themselves, not the names of their files" };

export const setCluster: Command = {
  name: "set-cluster",
  summary: "change a cluster, or make one, from the flags of the connection",
  arguments: "CLUSTER",
  flags: [EMBED, { name: "proxy-url", value: "address", summary: "the proxy to go through" }],
  async run(session, args, flags) {
    const name = nameIn(args, "cluster");
    const file = openConfig(session, flags, { list: "clusters", name });
    const insecure = flags.setSwitch("insecure-skip-tls-verify");
    if (insecure === true && flags.text("certificate-authority") !== undefined)
      throw new CliError("--certificate-authority and --insecure-skip-tls-verify exclude each other");
    const given = {
      ...texts(flags, ["server", "tls-server-name", "proxy-url"]),
      ...fileEntry(flags, "certificate-authority"),
      ...(insecure === undefined ? {} : { "insecure-skip-tls-verify": insecure }),
    };
    saveConfig({ ...file, document: withEntry(file.document, "clusters", name, "cluster", given) });
    session.terminal.write(`Cluster ${JSON.stringify(name)} set.\n`);
  },
};

const EXEC_FLAGS: readonly Flag[] = [
  { name: "exec-command", value: "program", summary: "a program that says who the user is" },
  { name: "exec-api-version", value: "version", summary: "the version that the program speaks" },
  { name: "exec-arg", value: "argument", summary: "an argument of the program; may be repeated" },
  { name: "exec-env", value: "name=value", summary: "a variable of the program; NAME- removes it; may be repeated" },
  {
    name: "exec-interactive-mode",
    value: "mode",
    summary: "IfAvailable (when not given), Never, Always: whether it may ask",
  },
  { name: "exec-provide-cluster-info", summary: "tell the program of the cluster" },
];

const BY_PROGRAM = "--exec-command names a program that says who the user is";

export const setCredentials: Command = {
  name: "set-credentials",
  summary: "change a user, or make one, from the flags of the connection",
  arguments: "USER",
  flags: [
    EMBED,
    { name: "username", value: "name", summary: "the name to show with a password" },
    { name: "password", value: "text", summary: "the password" },
    ...EXEC_FLAGS,
    { name: "auth-provider", value: "name", summary: "", refused: BY_PROGRAM },
    { name: "auth-provider-arg", value: "key=value", summary: "", refused: BY_PROGRAM },
  ],
  async run(session, args, flags) {
    const name = nameIn(args, "user");
    if ((flags.text("token") ?? "") !== "" && (flags.text("username") || flags.text("password") || "") !== "")
      throw new CliError("a user has a token or a password: --token, or --username and --password");
    const file = openConfig(session, flags, { list: "users", name });
    const known = entriesOf(file.document, "users").find((each) => each.name === name);
    const given = {
      ...texts(flags, ["token", "username", "password"]),
      ...fileEntry(flags, "client-certificate"),
      ...fileEntry(flags, "client-key"),
      ...execEntry(memberOf(memberOf(known?.entry, "user"), "exec"), flags),
    };
    saveConfig({ ...file, document: withEntry(file.document, "users", name, "user", given) });
    session.terminal.write(`User ${JSON.stringify(name)} set.\n`);
  },
};

export const renameContext: Command = {
  name: "rename-context",
  summary: "give a context another name",
  arguments: "CONTEXT NEW-NAME",
  async run(session, args, flags) {
    const [before = "", after = "", ...more] = args;
    if (before === "" || after === "" || more.length > 0) throw new CliError("two names of contexts are needed");
    const file = openConfig(session, flags, { list: "contexts", name: before });
    const contexts = entriesOf(file.document, "contexts");
    if (!contexts.some(({ name }) => name === before))
      throw new CliError(`cannot rename the context ${JSON.stringify(before)}, it's not in ${file.path}`);
    if (configNames(session, flags, "contexts").includes(after))
      throw new CliError(
        `cannot rename the context ${JSON.stringify(before)}, the context ${JSON.stringify(after)} already exists`,
      );
    const document = {
      ...file.document,
      contexts: contexts.map(({ name, entry }) => (name === before ? { ...entry, name: after } : entry)),
      ...(file.document["current-context"] === before ? { "current-context": after } : {}),
    };
    saveConfig({ ...file, document });
    const chosenIn = openConfig(session, flags);
    if (chosenIn.document["current-context"] === before)
      saveConfig({ ...chosenIn, document: { ...chosenIn.document, "current-context": after } });
    session.terminal.write(`Context ${JSON.stringify(before)} renamed to ${JSON.stringify(after)}.\n`);
  },
};

export const getClusters = listing("get-clusters", "clusters");
export const getUsers = listing("get-users", "users");

function listing(name: string, list: "clusters" | "users"): Command {
  return {
    name,
    summary: `the ${list} that there are`,
    async run(session, _args, flags) {
      const names = configNames(session, flags, list);
      session.terminal.write(["NAME", ...names].map((each) => `${each}\n`).join(""));
    },
  };
}

function nameIn(args: readonly string[], what: string): string {
  const [name = "", ...more] = args;
  if (name === "" || more.length > 0) throw new CliError(`exactly one ${what} must be named`);
  return name;
}

/** What the flags say over what the entry has. Fails with CliError. */
function execEntry(before: JsonObject, flags: Flags): JsonObject {
  const said = EXEC_FLAGS.some(({ name }) => flags.text(name) !== undefined || flags.setSwitch(name) !== undefined);
  if (!said) return {};
  const command = flags.text("exec-command") ?? textAt(before, "command");
  const apiVersion = flags.text("exec-api-version") ?? textAt(before, "apiVersion");
  if (command === "" || apiVersion === "") throw new CliError("--exec-command and --exec-api-version are needed");
  const args = flags.list("exec-arg").flatMap((text) => text.split(","));
  const mode = flags.choice("exec-interactive-mode", ["", "IfAvailable", "Never", "Always"]);
  const exec = {
    ...before,
    apiVersion,
    command,
    args: args.length > 0 ? args : (before["args"] ?? []),
    env: execVariables(itemsAt(before, "env"), flags),
    interactiveMode: mode || textAt(before, "interactiveMode") || "IfAvailable",
    provideClusterInfo: flags.switch("exec-provide-cluster-info", before["provideClusterInfo"] === true),
  };
  return { exec };
}

/** `NAME=VALUE` sets a variable, `NAME-` removes it. Fails with CliError. */
function execVariables(before: readonly JsonObject[], flags: Flags): JsonObject[] {
  const values = new Map(before.map((variable) => [textAt(variable, "name"), textAt(variable, "value")]));
  for (const text of flags.list("exec-env")) {
    if (/^[^=]+-$/.test(text)) values.delete(text.slice(0, -1));
    else values.set(...pair(text, "--exec-env"));
  }
  return [...values].map(([name, value]) => ({ name, value }));
}

function texts(flags: Flags, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = flags.text(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The name of the file, or with --embed-certs what stands in it. Fails with CliError. */
function fileEntry(flags: Flags, name: string): JsonObject {
  const path = flags.text(name);
  if (path === undefined) return {};
  if (!flags.switch("embed-certs")) return { [name]: resolve(path) };
  try {
    return { [`${name}-data`]: readSmallFileSync(path).toString("base64") };
  } catch (error) {
    throw new CliError(`--${name}: ${fileProblem(error)}`);
  }
}
