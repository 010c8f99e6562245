// `pctl get`: shows objects, as the server's tables or whole; or the answer to any path.

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import { apiVersionOf, pathOf } from "../../client/discovery.ts";
import { CliError, type Command, type Flags } from "../command.ts";
import { DEFAULT_PAGE_SIZE, itemsOf, listPages } from "../list-pages.ts";
import { kindWord, nameOf, objectName, objectText, withoutManagedFields } from "../printing/object-text.ts";
import { ServerTable, TABLE_ACCEPT } from "../printing/server-table.ts";
import { readSelection, type Selected } from "../selection.ts";
import type { Session } from "../session.ts";

export const get: Command = {
  name: "get",
  summary: "show objects",
  arguments: "TYPE[,TYPE...] [NAME...] | TYPE/NAME...",
  flags: [
    { name: "output", short: "o", value: "format", summary: "table (when not given), wide, json, yaml, name" },
    { name: "all-namespaces", short: "A", summary: "of all namespaces" },
    { name: "selector", short: "l", value: "selector", summary: "with these labels: a=b,c!=d" },
    { name: "field-selector", value: "selector", summary: "with these fields: metadata.name=a" },
    { name: "chunk-size", value: "number", summary: `objects to a page (${DEFAULT_PAGE_SIZE}); 0 for all at once` },
    { name: "ignore-not-found", summary: "what does not exist is no error" },
    { name: "show-labels", summary: "a column with all labels" },
    { name: "no-headers", summary: "tables without their first line" },
    { name: "show-managed-fields", summary: "json and yaml with who owns which field" },
    { name: "raw", value: "path", summary: "the answer to this path, as it comes" },
  ],
  async run(session, args, flags) {
    const raw = flags.text("raw");
    if (raw !== undefined) return getRaw(session, raw, args);
    const format = flags.choice("output", ["table", "wide", "json", "yaml", "name"]);
    const selection = await readSelection(session, args);
    const question: Question = { session, flags, namespace: namespaceOf(session, flags), selection };
    if (format === "table" || format === "wide") await showTables(question, format === "wide");
    else if (format === "name") await showNames(question);
    else session.terminal.write(objectText(await wholeObjects(question), format));
  },
};

interface Question {
  readonly session: Session;
  readonly flags: Flags;
  /** Undefined for all of them. */
  readonly namespace: string | undefined;
  readonly selection: readonly Selected[];
}

async function getRaw(session: Session, path: string, args: readonly string[]): Promise<void> {
  if (args.length > 0) throw new CliError("arguments may not be passed when --raw is specified");
  const address = path.startsWith("/") ? path : `/${path}`;
  session.terminal.write(await session.send({ method: "GET", path: address }));
}

function namespaceOf(session: Session, flags: Flags): string | undefined {
  return flags.switch("all-namespaces") ? undefined : session.namespace;
}

async function showTables({ session, flags, namespace, selection }: Question, wide: boolean): Promise<void> {
  const shown: string[] = [];
  for (const selected of selection) {
    const table = new ServerTable();
    for await (const answer of answersOf({ session, flags, namespace, selection }, selected, TABLE_ACCEPT)) {
      table.add(answer);
    }
    if (table.size === 0) continue;
    const { resource } = selected;
    shown.push(
      table.text({
        wide,
        withNamespace: namespace === undefined && resource.namespaced,
        withLabels: flags.switch("show-labels"),
        withHeaders: !flags.switch("no-headers"),
        namePrefix: selection.length > 1 ? `${kindWord(resource)}/` : "",
      }),
    );
  }
  session.terminal.write(shown.join("\n"));
  if (shown.length > 0 || session.failed || flags.switch("ignore-not-found")) return;
  const where = selection.some(({ resource }) => resource.namespaced) && namespace !== undefined;
  session.terminal.writeError(`No resources found${where ? ` in ${namespace} namespace.` : ""}\n`);
}

async function showNames(question: Question): Promise<void> {
  for (const selected of question.selection) {
    const { resource } = selected;
    for await (const answer of answersOf(question, selected, undefined)) {
      const objects = Array.isArray(answer["items"]) ? itemsOf(answer, resource, "") : [answer];
      for (const object of objects) question.session.terminal.write(`${objectName(resource, nameOf(object))}\n`);
    }
  }
}

/** One object that was named alone, or a list of everything. */
async function wholeObjects(question: Question): Promise<Json> {
  const { selection, flags } = question;
  const items: JsonObject[] = [];
  for (const selected of selection) {
    const apiVersion = apiVersionOf(selected.resource);
    for await (const answer of answersOf(question, selected, undefined)) {
      if (selected.names !== undefined) items.push(answer);
      else for (const item of itemsOf(answer, selected.resource, apiVersion)) items.push(item);
    }
  }
  const shown = flags.switch("show-managed-fields") ? items : items.map(withoutManagedFields);
  const alone = selection.length === 1 && selection[0]!.names?.length === 1;
  if (alone && shown[0] !== undefined) return shown[0];
  return { apiVersion: "v1", items: shown, kind: "List", metadata: { resourceVersion: "" } };
}

/** Pages of lists, or objects one by one. An object that does not exist is told of, and the others are shown. */
async function* answersOf(
  { session, flags, namespace, selection }: Question,
  { resource, names }: Selected,
  accept: string | undefined,
): AsyncGenerator<JsonObject> {
  if (names === undefined) {
    yield* listPages(session, {
      resource,
      namespace,
      labelSelector: flags.text("selector"),
      fieldSelector: flags.text("field-selector"),
      pageSize: flags.number("chunk-size") ?? DEFAULT_PAGE_SIZE,
      ...(accept === undefined ? {} : { accept }),
    });
    return;
  }
  if (namespace === undefined && resource.namespaced) {
    throw new CliError("a resource cannot be retrieved by name across all namespaces");
  }
  const single = selection.length === 1 && names.length === 1;
  for (const name of names) {
    try {
      const path = pathOf(resource, namespace, name);
      const answer = await session.sendForJson({
        method: "GET",
        path,
        ...(accept === undefined ? {} : { headers: { accept } }),
      });
      if (isObject(answer)) yield answer;
    } catch (error) {
      if (!isApiError(error, "NotFound")) throw error;
      if (flags.switch("ignore-not-found")) continue;
      if (single) throw error;
      session.report(error);
    }
  }
}
