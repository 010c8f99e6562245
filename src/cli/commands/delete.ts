// `pctl delete`: deletes objects by name, by label, or as files name them, and waits until they are gone.
// Requirements: document 1, "Deletion".

import { getKey, isObject, type Json, type JsonObject } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import { apiVersionOf, findKind, pathOf, type ServedResource } from "../../client/discovery.ts";
import { jsonText } from "../../codec/json.ts";
import { CliError, type Command, type Flags } from "../command.ts";
import { DEFAULT_PAGE_SIZE, itemsOf, listPages, withQuery } from "../list-pages.ts";
import { kindWord, nameOf, objectName } from "../printing/object-text.ts";
import { readManifests } from "../read-manifests.ts";
import { readSelection } from "../selection.ts";
import type { Session } from "../session.ts";

export const deleteObjects: Command = {
  name: "delete",
  summary: "delete objects",
  arguments: "TYPE NAME... | TYPE/NAME... | TYPE -l SELECTOR | -f FILE|FOLDER|-",
  flags: [
    { name: "filename", short: "f", value: "path", summary: "the objects of files, folders, or - for standard input" },
    { name: "recursive", short: "R", summary: "folders in folders too" },
    { name: "selector", short: "l", value: "selector", summary: "with these labels" },
    { name: "all", summary: "all objects of the type, in the namespace" },
    { name: "all-namespaces", short: "A", summary: "in all namespaces" },
    { name: "cascade", value: "mode", summary: "background (when not given), foreground, orphan: what objects own" },
    { name: "grace-period", value: "seconds", summary: "how long an object may take to end; -1 for its own" },
    { name: "now", summary: "end within a second" },
    { name: "force", summary: "with --grace-period=0: without waiting for anybody" },
    { name: "ignore-not-found", summary: "what does not exist is no error" },
    { name: "wait", summary: "wait until the objects are gone (true when not given)" },
    { name: "dry-run", value: "mode", summary: "none (when not given), or server: nothing is deleted" },
    { name: "output", short: "o", value: "format", summary: "name" },
  ],
  async run(session, args, flags) {
    const options = readOptions(flags);
    const targets =
      flags.list("filename").length > 0 ? await ofFiles(session, args, flags) : await ofWords(session, args, flags);
    const leaving: Target[] = [];
    for (const target of targets) {
      try {
        const answer = await deleteOne(session, target, options);
        session.terminal.write(shown(target, options));
        if (isStaying(answer)) leaving.push({ ...target, uid: uidOf(answer) });
      } catch (error) {
        if (isApiError(error, "NotFound") && flags.switch("ignore-not-found")) continue;
        if (targets.length === 1) throw error;
        session.report(error);
      }
    }
    if (flags.switch("wait", true) && !options.dryRun) for (const target of leaving) await untilGone(session, target);
  },
};

interface Target {
  readonly resource: ServedResource;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid?: string | undefined;
}

interface Options {
  readonly body: JsonObject;
  readonly dryRun: boolean;
  readonly nameOnly: boolean;
  readonly forced: boolean;
}

const POLICIES = { background: "Background", foreground: "Foreground", orphan: "Orphan" };

function readOptions(flags: Flags): Options {
  const cascade = flags.choice("cascade", ["background", "foreground", "orphan"]);
  const dryRun = flags.choice("dry-run", ["none", "server"]) === "server";
  const forced = flags.switch("force");
  const asked = flags.number("grace-period") ?? -1;
  const graceSeconds = flags.switch("now") ? 1 : forced && asked < 0 ? 0 : asked;
  if (graceSeconds === 0 && !forced) throw new CliError("--grace-period=0 needs --force");
  return {
    body: {
      kind: "DeleteOptions",
      apiVersion: "v1",
      propagationPolicy: POLICIES[cascade],
      ...(graceSeconds < 0 ? {} : { gracePeriodSeconds: graceSeconds }),
      ...(dryRun ? { dryRun: ["All"] } : {}),
    },
    dryRun,
    nameOnly: flags.choice("output", ["", "name"]) === "name",
    forced,
  };
}

async function ofFiles(session: Session, args: readonly string[], flags: Flags): Promise<Target[]> {
  if (args.length > 0) throw new CliError("names cannot be given together with files");
  const names = flags.list("filename");
  if (names.includes("-")) session.takeStdin("used by stdin resource manifest reader");
  const { readInput } = session.terminal;
  const manifests = await readManifests({ names, recursive: flags.switch("recursive"), readInput });
  const discovery = await session.discovery();
  return manifests.map(({ apiVersion, kind, object, source }) => {
    const resource = findKind(discovery, apiVersion, kind);
    if (resource === undefined) {
      throw new CliError(
        `${source}: the server has no kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`,
      );
    }
    const namespace = resource.namespaced ? (metadataText(object, "namespace") ?? session.namespace) : undefined;
    return { resource, namespace, name: nameOf(object) };
  });
}

async function ofWords(session: Session, args: readonly string[], flags: Flags): Promise<Target[]> {
  const labelSelector = flags.text("selector");
  const everything = flags.switch("all");
  const namespace = flags.switch("all-namespaces") ? undefined : session.namespace;
  const targets: Target[] = [];
  for (const { resource, names } of await readSelection(session, args)) {
    if (names !== undefined) {
      if (labelSelector !== undefined || everything) throw new CliError("names exclude --all and a selector");
      const inside = resource.namespaced ? session.namespace : undefined;
      for (const name of names) targets.push({ resource, namespace: inside, name });
      continue;
    }
    if (labelSelector === undefined && !everything) {
      throw new CliError("resource(s) were provided, but no name was specified: give names, a selector, or --all");
    }
    for await (const page of listPages(session, { resource, namespace, labelSelector, pageSize: DEFAULT_PAGE_SIZE })) {
      for (const item of itemsOf(page, resource, apiVersionOf(resource))) {
        targets.push({ resource, namespace: metadataText(item, "namespace"), name: nameOf(item) });
      }
    }
  }
  if (targets.length === 0) session.terminal.write("No resources found\n");
  return targets;
}

function deleteOne(session: Session, { resource, namespace, name }: Target, { body }: Options): Promise<Json> {
  const path = withQuery(pathOf(resource, namespace, name), new URLSearchParams());
  return session.sendForJson({ method: "DELETE", path, body: jsonText(body) });
}

function shown({ resource, namespace, name }: Target, { nameOnly, dryRun, forced }: Options): string {
  if (nameOnly) return `${objectName(resource, name)}\n`;
  const where = namespace === undefined ? "" : ` from ${namespace} namespace`;
  const how = `${forced ? "force deleted" : "deleted"}${where}${dryRun ? " (server dry run)" : ""}`;
  return `${kindWord(resource)} ${JSON.stringify(name)} ${how}\n`;
}

/** The server answers with the object while something keeps it, and with a Status when it is gone. */
const isStaying = (answer: Json): boolean => isObject(answer) && answer["kind"] !== "Status";

const uidOf = (answer: Json): string | undefined => (isObject(answer) ? metadataText(answer, "uid") : undefined);

const FIRST_LOOK_MS = 50;
const LAST_LOOK_MS = 1_000;

/** Another object of the same name is not the one that was deleted. */
async function untilGone(session: Session, { resource, namespace, name, uid }: Target): Promise<void> {
  for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(pauseMs * 2, LAST_LOOK_MS)) {
    try {
      const found = await session.sendForJson({ method: "GET", path: pathOf(resource, namespace, name) });
      if (uidOf(found) !== uid) return;
    } catch (error) {
      if (isApiError(error, "NotFound")) return;
      throw error;
    }
    await session.clock.sleep(pauseMs);
  }
}

function metadataText(object: JsonObject, field: string): string | undefined {
  const metadata = getKey(object, "metadata");
  const value = isObject(metadata) ? getKey(metadata, field) : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}
