// `pctl describe`: objects in words for people, with their events.

import { isObject, type JsonObject } from "../../base/json.ts";
import { ApiError, isApiError } from "../../client/api-error.ts";
import { apiVersionOf, findResource, pathOf } from "../../client/discovery.ts";
import { type GroupKey, namesFor } from "../../meta/names.ts";
import type { Command, Flags } from "../command.ts";
import { describerOf } from "../describe/describe-object.ts";
import type { Lookup } from "../describe/describer.ts";
import { Sheet } from "../describe/sheet.ts";
import { eventRows, eventsReader } from "../events-of.ts";
import { textAt } from "../json-members.ts";
import { DEFAULT_PAGE_SIZE, itemsOf, listPages } from "../list-pages.ts";
import { checkNamed, readSelection, type Selected } from "../selection.ts";
import type { Session } from "../session.ts";
import { FILE_FLAGS, metadataText, readTargets, targetPath } from "../targets.ts";

export const describe: Command = {
  name: "describe",
  summary: "show objects with everything about them",
  arguments: "TYPE [NAME|PREFIX...] | TYPE/NAME... | -f FILE|FOLDER|-",
  flags: [
    ...FILE_FLAGS,
    { name: "selector", short: "l", value: "selector", summary: "with these labels" },
    { name: "all-namespaces", short: "A", summary: "of all namespaces" },
    { name: "show-events", summary: "with the events about them (true when not given)" },
    { name: "chunk-size", value: "number", summary: `objects to a page (${DEFAULT_PAGE_SIZE}); 0 for all at once` },
  ],
  async run(session, args, flags) {
    const withEvents = flags.switch("show-events", true);
    const eventsOf = eventsReader(session, flags.switch("all-namespaces"));
    const lookup = await lookupOf(session);
    let count = 0;
    for await (const object of objectsOf(session, args, flags)) {
      // Objects stand apart by two empty lines.
      if (count > 0) session.terminal.write("\n\n");
      count += 1;
      const sheet = new Sheet();
      const describer = describerOf(object, groupOf(object, lookup));
      await describer.write(sheet, object, lookup);
      if (withEvents && describer.withEvents !== false) writeEvents(sheet, await eventsOf(object), lookup.nowMs);
      session.terminal.write(sheet.text());
    }
    if (count > 0 || session.failed) return;
    const where = flags.switch("all-namespaces") ? "" : ` in ${session.namespace} namespace.`;
    session.terminal.writeError(`No resources found${where}\n`);
  },
};

async function* objectsOf(session: Session, args: readonly string[], flags: Flags): AsyncGenerator<JsonObject> {
  if (flags.list("filename").length > 0) {
    for (const target of await readTargets(session, args, flags)) {
      const object = await session.sendForJson({ method: "GET", path: targetPath(target) });
      if (isObject(object)) yield object;
    }
    return;
  }
  for (const selected of await readSelection(session, args)) {
    if (selected.names === undefined) yield* listed(session, selected, flags);
    else for (const name of selected.names) yield* named(session, selected, name, flags);
  }
}

async function* listed(session: Session, { resource }: Selected, flags: Flags): AsyncGenerator<JsonObject> {
  const options = {
    resource,
    namespace: flags.switch("all-namespaces") ? undefined : session.namespace,
    labelSelector: flags.text("selector"),
    pageSize: flags.number("chunk-size") ?? DEFAULT_PAGE_SIZE,
  };
  for await (const page of listPages(session, options)) yield* itemsOf(page, resource, apiVersionOf(resource));
}

/** One that is not there may be the beginning of several names. */
async function* named(session: Session, selected: Selected, name: string, flags: Flags): AsyncGenerator<JsonObject> {
  const { resource } = selected;
  checkNamed(resource, flags);
  const inside = resource.namespaced ? session.namespace : undefined;
  try {
    const path = targetPath({ resource, namespace: inside, name });
    const object = await session.sendForJson({ method: "GET", path });
    if (isObject(object)) yield object;
  } catch (error) {
    if (!isApiError(error, "NotFound")) throw error;
    let found = false;
    for await (const object of listed(session, selected, flags)) {
      if (metadataText(object, "name")?.startsWith(name) !== true) continue;
      found = true;
      yield object;
    }
    if (!found) session.report(error);
  }
}

/** What the server does not show is left out, not an error. */
async function lookupOf(session: Session): Promise<Lookup> {
  const discovery = await session.discovery();
  const unlessRefused = async <T>(look: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await look();
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  };
  return {
    names: namesFor(discovery.dialect),
    nowMs: session.clock.nowMs(),
    list: (word, namespace, selectors = {}) =>
      unlessRefused(async () => {
        const resource = findResource(discovery, word);
        if (resource === undefined) return undefined;
        const found: JsonObject[] = [];
        const options = { resource, namespace, ...selectors, pageSize: DEFAULT_PAGE_SIZE, quiet: true };
        for await (const page of listPages(session, options))
          for (const item of itemsOf(page, resource, apiVersionOf(resource))) found.push(item);
        return found;
      }),
    get: (word, namespace, name) =>
      unlessRefused(async () => {
        const resource = findResource(discovery, word);
        if (resource === undefined || name === "") return undefined;
        const object = await session.sendForJson({ method: "GET", path: pathOf(resource, namespace, name) });
        return isObject(object) ? object : undefined;
      }),
  };
}

function groupOf(object: JsonObject, { names }: Lookup): GroupKey | undefined {
  const version = textAt(object, "apiVersion");
  return names.groupKey(version.includes("/") ? version.slice(0, version.indexOf("/")) : "");
}

function writeEvents(sheet: Sheet, events: readonly JsonObject[], nowMs: number): void {
  if (events.length === 0) {
    sheet.row(0, "Events", "<none>");
    return;
  }
  sheet.head(0, "Events");
  sheet.cells(1, "Type", "Reason", "Age", "From", "Message");
  // As kubectl has it, which scripts cut by: longer than the word.
  sheet.cells(1, "----", "------", "----", "----", "-------");
  for (const row of eventRows(events, nowMs)) sheet.cells(1, ...row);
}
