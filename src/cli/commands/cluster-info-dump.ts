// `pctl cluster-info dump`: nodes, and of namespaces what runs in them, their events and logs: for who looks for a fault.

import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Json, JsonObject } from "../../base/json.ts";
import type { PodResource } from "../../client/index.ts";
import { namesFor } from "../../meta/names.ts";
import { containerNames } from "../choose-container.ts";
import { CliError, type Command, type Flags } from "../command.ts";
import { errorText } from "../error-text.ts";
import { fileProblem } from "../file-text.ts";
import { splitList } from "../generators/generator.ts";
import { memberOf } from "../json-members.ts";
import { DEFAULT_PAGE_SIZE, itemsOf, listPages } from "../list-pages.ts";
import { outputFlags, readOutput, SHOW_MANAGED_FIELDS_FLAG, shownObject } from "../printing/object-form.ts";
import { nameOf, objectText } from "../printing/object-text.ts";
import { whileWaiting } from "../progress.ts";
import type { Session } from "../session.ts";

/** Of every namespace, each in a file of this name. */
const RESOURCES: readonly (readonly [resource: string, file: string])[] = [
  ["events", "events"],
  ["replicationcontrollers", "replication-controllers"],
  ["services", "services"],
  ["daemonsets.apps", "daemonsets"],
  ["deployments.apps", "deployments"],
  ["replicasets.apps", "replicasets"],
  ["pods", "pods"],
];

export const dump: Command = {
  name: "dump",
  summary: "show all that helps to find a fault: nodes, workloads, pods, events and logs",
  flags: [
    {
      name: "output-directory",
      value: "folder",
      summary: "where to write files; standard output when not given, or for -",
    },
    {
      name: "namespaces",
      value: "name,...",
      summary: "of these namespaces; of the system's and your own when not given",
    },
    { name: "all-namespaces", short: "A", summary: "of all namespaces" },
    {
      name: "pod-running-timeout",
      value: "duration",
      summary: "",
      refused: "nobody is waited for: logs are those of now",
    },
    ...outputFlags("json (when not given), yaml"),
    SHOW_MANAGED_FIELDS_FLAG,
  ],
  async run(session, _args, flags) {
    const output = readOutput(flags, ["json", "yaml"]);
    const format = typeof output === "function" ? "txt" : output;
    const folder = flags.text("output-directory") ?? "-";
    const place: Place = folder === "-" ? standardOutput(session) : filesIn(folder);
    const show = async (resource: string, namespace: string | undefined, file: string): Promise<JsonObject[]> => {
      const list = await wholeList(session, resource, namespace, flags);
      if (folder === "-" && format === "yaml") session.terminal.write("---\n");
      place(`${file}.${format}`)(typeof output === "function" ? output(list) : objectText(list, output));
      return list["items"] as JsonObject[];
    };
    let at = "nodes";
    const dumpAll = async (): Promise<void> => {
      await show("nodes", undefined, "nodes");
      const { core } = await session.client();
      for (const namespace of await namespacesOf(session, flags)) {
        for (const [resource, file] of RESOURCES) {
          at = `${resource} of ${namespace}`;
          const items = await show(resource, namespace, join(namespace, file));
          if (resource !== "pods") continue;
          for (const pod of items)
            await writeLogs(core.v1.pods(namespace), pod, place(join(namespace, nameOf(pod), "logs.txt")));
        }
      }
    };
    await whileWaiting(session, () => `reading ${at}`, dumpAll);
    if (folder !== "-") session.terminal.write(`Cluster info dumped to ${folder}\n`);
  },
};

type Write = (text: string | Uint8Array) => void;
/** Where a part goes, by the name of its file. */
type Place = (file: string) => Write;

const standardOutput =
  (session: Session): Place =>
  () =>
    session.terminal.write;

/** Logs may hold secrets: the files are the user's alone. Fails with CliError. */
function filesIn(folder: string): Place {
  return (file) => {
    const path = join(folder, file);
    // Names are the server's.
    if (relative(folder, path).startsWith("..")) throw new CliError(`${JSON.stringify(file)} is no name of a file`);
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, "", { mode: 0o600 });
    } catch (error) {
      throw new CliError(fileProblem(error));
    }
    return (text) => appendFileSync(path, text);
  };
}

async function namespacesOf(session: Session, flags: Flags): Promise<string[]> {
  if (flags.switch("all-namespaces")) {
    const list = await wholeList(session, "namespaces", undefined, flags);
    return (list["items"] as JsonObject[]).map(nameOf);
  }
  const named = splitList(flags, "namespaces");
  const { systemNamespace } = namesFor((await session.discovery()).dialect);
  const namespaces = named.length > 0 ? named : [...new Set([systemNamespace, session.namespace])];
  for (const name of namespaces)
    if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)) throw new CliError(`${JSON.stringify(name)} is no namespace`);
  return namespaces;
}

/** As one list, in however many pages it comes. */
async function wholeList(
  session: Session,
  word: string,
  namespace: string | undefined,
  flags: Flags,
): Promise<JsonObject> {
  const resource = await session.resource(word);
  const items: Json[] = [];
  let head: JsonObject = {};
  for await (const page of listPages(session, { resource, namespace, pageSize: DEFAULT_PAGE_SIZE })) {
    const { apiVersion, kind } = page;
    head = { apiVersion, kind, metadata: { resourceVersion: memberOf(page, "metadata")["resourceVersion"] ?? "" } };
    for (const item of itemsOf(page, resource, String(apiVersion))) items.push(shownObject(item, flags));
  }
  return { ...head, items };
}

/** A log that cannot be had is a line of its own: the rest may still tell what is wrong. */
async function writeLogs(pods: PodResource, pod: JsonObject, write: Write): Promise<void> {
  const { namespace, name } = memberOf(pod, "metadata");
  for (const container of containerNames(pod)) {
    const of = `logs for container ${container} of pod ${String(namespace)}/${String(name)}`;
    write(`==== START ${of} ====\n`);
    try {
      for await (const piece of pods.log(String(name), { container })) write(piece);
    } catch (error) {
      write(`Request log error: ${errorText(error)}\n`);
    }
    write(`==== END ${of} ====\n`);
  }
}
