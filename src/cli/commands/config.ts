// `pctl config`: shows and changes the kubeconfig file.

import { CliError, type Command } from "../command.ts";
import {
  type ConfigList,
  configNames,
  contextOf,
  entriesOf,
  mergedConfig,
  openConfig,
  saveConfig,
  withEntry,
} from "../config-file.ts";
import { memberOf } from "../json-members.ts";
import { textTable } from "../printing/text-table.ts";
import { getClusters, getUsers, renameContext, setCluster, setCredentials } from "./config-entries.ts";
import { setProperty, unsetProperty } from "./config-property.ts";
import { viewConfig } from "./config-view.ts";

export const config: Command = {
  name: "config",
  summary: "show or change the kubeconfig file",
  commands: [
    viewConfig,
    {
      name: "current-context",
      summary: "the context in use",
      async run(session, _args, flags) {
        const name = contextOf(mergedConfig(session, flags), flags);
        if (name === "") throw new CliError("current-context is not set");
        session.terminal.write(`${name}\n`);
      },
    },
    {
      name: "get-contexts",
      summary: "the contexts that there are",
      arguments: "[CONTEXT...]",
      flags: [
        { name: "output", short: "o", value: "format", summary: "name" },
        { name: "no-headers", summary: "without the first line" },
      ],
      async run(session, args, flags) {
        const document = mergedConfig(session, flags);
        const current = contextOf(document, flags);
        const all = entriesOf(document, "contexts");
        for (const name of args)
          if (!all.some((each) => each.name === name)) session.report(new CliError(`context ${name} not found`));
        const contexts = args.length === 0 ? all : all.filter(({ name }) => args.includes(name));
        if (flags.choice("output", ["", "name"]) === "name") {
          for (const { name } of contexts) session.terminal.write(`${name}\n`);
          return;
        }
        const rows = contexts.map(({ name, entry }) => {
          const text = (field: string) => String(memberOf(entry, "context")[field] ?? "");
          return [name === current ? "*" : "", name, text("cluster"), text("user"), text("namespace")];
        });
        const head = flags.switch("no-headers") ? [] : [["CURRENT", "NAME", "CLUSTER", "AUTHINFO", "NAMESPACE"]];
        session.terminal.write(textTable([...head, ...rows]));
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
        const name = flags.switch("current") ? contextOf(mergedConfig(session, flags), flags) : args[0];
        if (name === undefined || name === "") throw new CliError("a context must be named, or --current given");
        const file = openConfig(session, flags, { list: "contexts", name });
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

function deletion(name: string, list: ConfigList, what: string): Command {
  return {
    name,
    summary: `remove a ${what}`,
    arguments: what.toUpperCase(),
    async run(session, args, flags) {
      const [wanted = ""] = args;
      const file = openConfig(session, flags, { list, name: wanted });
      const kept = entriesOf(file.document, list).filter((each) => each.name !== wanted);
      if (kept.length === entriesOf(file.document, list).length)
        throw new CliError(`cannot delete ${what} ${wanted}, not in ${file.path}`);
      saveConfig({ ...file, document: { ...file.document, [list]: kept.map(({ entry }) => entry) } });
      session.terminal.write(`deleted ${what} ${wanted} from ${file.path}\n`);
    },
  };
}
