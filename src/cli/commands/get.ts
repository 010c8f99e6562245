// `pctl get`: shows objects, as the server's tables or whole; or the answer to any path.

import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import { apiVersionOf, type DiscoveredResource } from "../../client/discovery.ts";
import { whereField } from "../../meta/field-selector.ts";
import { CliError, type Command, type Flags } from "../command.ts";
import { fieldOwners, ownersTable } from "../field-owners.ts";
import { memberOf, textAt } from "../json-members.ts";
import { DEFAULT_PAGE_SIZE, itemsOf, type ListOptions, listPages } from "../list-pages.ts";
import { hasColours } from "../printing/colours.ts";
import { outputFlags, readOutput, SHOW_MANAGED_FIELDS_FLAG, shownObject } from "../printing/object-form.ts";
import { kindWord, nameOf, objectName } from "../printing/object-text.ts";
import { ServerTable, TABLE_ACCEPT, type TableStyle } from "../printing/server-table.ts";
import { sortedBy } from "../printing/sort-objects.ts";
import { RAW_FLAG, sendRaw } from "../raw-request.ts";
import { checkNamed, readSelection, type Selected } from "../selection.ts";
import type { Session } from "../session.ts";
import { FILE_FLAGS, readTargets, targetPath } from "../targets.ts";
import { watchChanges } from "../watch-changes.ts";

export const get: Command = {
  name: "get",
  summary: "show objects",
  arguments: "TYPE[,TYPE...] [NAME...] | TYPE/NAME... | -f FILE|FOLDER|-",
  flags: [
    ...FILE_FLAGS,
    ...outputFlags("table (when not given), wide, json, yaml, name"),
    { name: "all-namespaces", short: "A", summary: "of all namespaces" },
    { name: "selector", short: "l", value: "selector", summary: "with these labels: a=b,c!=d" },
    { name: "field-selector", value: "selector", summary: "with these fields: metadata.name=a" },
    { name: "chunk-size", value: "number", summary: `objects to a page (${DEFAULT_PAGE_SIZE}); 0 for all at once` },
    { name: "ignore-not-found", summary: "what does not exist is no error" },
    {
      name: "server-print",
      summary: "columns of the server's choice (true when not given); else names and ages alone",
    },
    { name: "show-labels", summary: "a column with all labels" },
    { name: "show-kind", summary: "names with their kinds" },
    { name: "label-columns", short: "L", value: "label,...", summary: "a column for each of these labels" },
    { name: "sort-by", value: "path", summary: "in the order of what this path leads to" },
    { name: "watch", short: "w", summary: "go on with changes" },
    { name: "watch-only", summary: "changes only" },
    { name: "no-headers", summary: "tables without their first line" },
    SHOW_MANAGED_FIELDS_FLAG,
    { name: "show-owners", summary: "who owns which field, instead of the objects" },
    { name: "output-watch-events", summary: "with -w: each change with its kind, ADDED, MODIFIED or DELETED" },
    { name: "subresource", value: "name", summary: "status, scale, ... of the objects that are named" },
    { ...RAW_FLAG, summary: "the answer to this path, as it comes" },
  ],
  async run(session, args, flags) {
    if (await sendRaw(session, "GET", args, flags)) return;
    const form = readForm(flags);
    const selection =
      flags.list("filename").length > 0 ? await ofFiles(session, args, flags) : await ofWords(session, args, flags);
    const question: Question = { session, flags, namespace: namespaceOf(session, flags), selection };
    if (flags.switch("watch") || flags.switch("watch-only")) await watchObjects(question, form);
    else if (flags.switch("show-owners")) await showOwners(question);
    else if (form.type === "table") await showTables(question, form.wide);
    else if (form.type === "name") await showNames(question);
    else {
      const shown = await wholeObjects(question);
      if (shown !== undefined) session.terminal.write(form.text(shown));
    }
  },
};

/** Fails with CliError. */
async function ofWords(session: Session, args: readonly string[], flags: Flags): Promise<Selected[]> {
  const selection = await readSelection(session, args);
  for (const { resource, names } of selection) if (names !== undefined) checkNamed(resource, flags);
  return selection;
}

/** The objects that files name, those of one resource and namespace together. Fails with CliError. */
async function ofFiles(session: Session, args: readonly string[], flags: Flags): Promise<Selected[]> {
  const selected: { resource: DiscoveredResource; namespace: string | undefined; names: string[] }[] = [];
  for (const { resource, namespace, name } of await readTargets(session, args, flags)) {
    const last = selected.at(-1);
    if (last?.resource === resource && last.namespace === namespace) last.names.push(name);
    else selected.push({ resource, namespace, names: [name] });
  }
  return selected;
}

type OutputForm =
  | { readonly type: "table"; readonly wide: boolean }
  | { readonly type: "name" }
  /** `object`: one, or a list of several. */
  | { readonly type: "objects"; readonly text: (object: Json) => string };

/** Fails with CliError. */
function readForm(flags: Flags): OutputForm {
  const output = readOutput(flags, ["table", "wide", "name"]);
  if (typeof output === "function") return { type: "objects", text: output };
  return output === "name" ? { type: "name" } : { type: "table", wide: output === "wide" };
}

interface Question {
  readonly session: Session;
  readonly flags: Flags;
  /** Undefined for all of them. */
  readonly namespace: string | undefined;
  readonly selection: readonly Selected[];
}

function namespaceOf(session: Session, flags: Flags): string | undefined {
  return flags.switch("all-namespaces") ? undefined : session.namespace;
}

/** Undefined where the server is not asked for tables: of objects names and ages are shown. */
const tableAccept = (flags: Flags): string | undefined =>
  flags.switch("server-print", true) ? TABLE_ACCEPT : undefined;

async function showTables({ session, flags, namespace, selection }: Question, wide: boolean): Promise<void> {
  const shown: string[] = [];
  for (const selected of selection) {
    const table = new ServerTable(session.clock);
    for await (const answer of answersOf({ session, flags, namespace, selection }, selected, tableAccept(flags))) {
      table.add(answer);
    }
    if (table.size === 0) continue;
    const sortBy = flags.text("sort-by");
    if (sortBy !== undefined) table.sortBy(sortBy);
    shown.push(table.text(styleOf({ session, flags, namespace, selection }, selected, wide)));
  }
  // Tables are safe already, and may have colours.
  session.terminal.write(Buffer.from(shown.join(flags.switch("no-headers") ? "" : "\n")));
  if (shown.length > 0 || session.failed || flags.switch("ignore-not-found")) return;
  const where = selection.some(({ resource }) => resource.namespaced) && namespace !== undefined;
  session.terminal.writeError(`No resources found${where ? ` in ${namespace} namespace.` : ""}\n`);
}

function styleOf(
  { session, flags, namespace, selection }: Question,
  { resource }: Selected,
  wide: boolean,
): TableStyle {
  return {
    wide,
    withNamespace: namespace === undefined && resource.namespaced,
    withLabels: flags.switch("show-labels"),
    withHeaders: !flags.switch("no-headers"),
    withColours: hasColours(session.terminal),
    labelColumns: flags.list("label-columns").flatMap((list) => list.split(",")),
    namePrefix: selection.length > 1 || flags.switch("show-kind") ? `${kindWord(resource)}/` : "",
  };
}

/** What is there, and then every change as it comes. */
async function watchObjects(question: Question, form: OutputForm): Promise<void> {
  const { session, flags, selection } = question;
  const [selected, ...more] = selection;
  if (selected === undefined || more.length > 0 || (selected.names?.length ?? 0) > 1)
    throw new CliError("only one type, or one object, can be watched");
  const { resource, names, namespace = question.namespace } = selected;
  const [name] = names ?? [];
  const accept = form.type === "table" ? tableAccept(flags) : undefined;
  const terms = [flags.text("field-selector"), name === undefined ? undefined : whereField("metadata.name", name)];
  const fieldSelector = terms.filter((term) => term !== undefined).join(",");
  const wish = {
    resource,
    namespace,
    labelSelector: flags.text("selector"),
    ...(fieldSelector === "" ? {} : { fieldSelector }),
    accept,
  };
  // Who waits for an object that was never there waits for ever.
  if (name !== undefined) await session.send({ method: "GET", path: targetPath({ resource, namespace, name }) });
  const table = new ServerTable(session.clock);
  let resourceVersion = "";
  let withHeaders = true;
  const withEvents = flags.switch("output-watch-events");
  const show = (type: string, answer: JsonObject): void => {
    if (form.type === "table") {
      table.add(answer);
      if (table.size > 0) {
        const style = { ...styleOf(question, selected, form.wide), ...(withEvents ? { event: type } : {}) };
        session.terminal.write(Buffer.from(table.text({ ...style, withHeaders: style.withHeaders && withHeaders })));
        withHeaders = false;
      }
      table.clear();
    } else if (form.type === "name") {
      session.terminal.write(`${withEvents ? `${type} ` : ""}${objectName(resource, nameOf(answer))}\n`);
    } else {
      const object = shownObject(answer, flags);
      session.terminal.write(form.text(withEvents ? { type, object } : object));
    }
  };
  const list = listPages(session, { ...wish, pageSize: 0, ...(accept === undefined ? {} : { accept }) } as ListOptions);
  for await (const page of list) {
    resourceVersion = textAt(memberOf(page, "metadata"), "resourceVersion");
    if (flags.switch("watch-only")) continue;
    if (form.type === "table") show("ADDED", page);
    else for (const item of itemsOf(page, resource, apiVersionOf(resource))) show("ADDED", item);
  }
  const limitMs = session.requestTimeoutMs;
  const limit = limitMs === undefined ? {} : { onlyForSeconds: Math.ceil(limitMs / 1000) };
  for await (const { type, object } of watchChanges(session, { ...wish, ...limit, resourceVersion }))
    show(type, object);
}

async function showOwners(question: Question): Promise<void> {
  const { session, selection } = question;
  for (const selected of selection) {
    const { resource } = selected;
    for await (const answer of answersOf(question, selected, undefined)) {
      const objects = Array.isArray(answer["items"]) ? itemsOf(answer, resource, "") : [answer];
      for (const object of objects)
        session.terminal.write(`${objectName(resource, nameOf(object))}\n${ownersTable(fieldOwners(object))}\n`);
    }
  }
}

async function showNames(question: Question): Promise<void> {
  const { session, selection, flags } = question;
  const sortBy = flags.text("sort-by");
  const found: { readonly name: string; readonly object: JsonObject }[] = [];
  for (const selected of selection) {
    const { resource } = selected;
    for await (const answer of answersOf(question, selected, undefined)) {
      const objects = Array.isArray(answer["items"]) ? itemsOf(answer, resource, "") : [answer];
      for (const object of objects) {
        const name = objectName(resource, nameOf(object));
        if (sortBy === undefined) session.terminal.write(`${name}\n`);
        else found.push({ name, object });
      }
    }
  }
  if (sortBy === undefined) return;
  for (const { name } of sortedBy(found, sortBy, ({ object }) => object)) session.terminal.write(`${name}\n`);
}

/** One object that was named alone, or a list of everything; undefined where nothing of what was named is there, and may be so. */
async function wholeObjects(question: Question): Promise<Json | undefined> {
  const { selection, flags } = question;
  const items: JsonObject[] = [];
  for (const selected of selection) {
    const apiVersion = apiVersionOf(selected.resource);
    for await (const answer of answersOf(question, selected, undefined)) {
      if (selected.names !== undefined) items.push(answer);
      else for (const item of itemsOf(answer, selected.resource, apiVersion)) items.push(item);
    }
  }
  const areNamed = selection.every(({ names }) => names !== undefined);
  if (items.length === 0 && areNamed && flags.switch("ignore-not-found")) return undefined;
  const sortBy = flags.text("sort-by");
  const sorted = sortBy === undefined ? items : sortedBy(items, sortBy, (item) => item);
  const shown = sorted.map((object) => shownObject(object, flags));
  const alone = selection.length === 1 && selection[0]!.names?.length === 1;
  if (alone && shown[0] !== undefined) return shown[0];
  return { apiVersion: "v1", items: shown, kind: "List", metadata: { resourceVersion: "" } };
}

/** Pages of lists, or objects one by one. An object that does not exist is told of, and the others are shown. */
async function* answersOf(
  { session, flags, namespace: asked, selection }: Question,
  { resource, names, namespace = asked }: Selected,
  accept: string | undefined,
): AsyncGenerator<JsonObject> {
  if (names === undefined) {
    if (flags.text("subresource") !== undefined) throw new CliError("--subresource is of objects that are named");
    yield* listPages(session, {
      resource,
      namespace,
      labelSelector: flags.text("selector"),
      fieldSelector: flags.text("field-selector"),
      pageSize: flags.number("chunk-size") ?? DEFAULT_PAGE_SIZE,
      ...(accept === undefined ? {} : { accept, wholeRows: flags.text("sort-by") !== undefined }),
    });
    return;
  }
  const single = selection.length === 1 && names.length === 1;
  for (const name of names) {
    try {
      const path = targetPath({ resource, namespace, name }, flags.text("subresource"));
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
