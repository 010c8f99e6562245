// `pctl events`: what happened, newest last.

import type { JsonObject } from "../../base/json.ts";
import { CliError, type Command } from "../command.ts";
import { eventRows, eventsOf, watchEvents } from "../events-of.ts";
import { memberOf, textAt } from "../json-members.ts";
import { DEFAULT_PAGE_SIZE } from "../list-pages.ts";
import { outputFlags, readOutput, SHOW_MANAGED_FIELDS_FLAG, shownObject } from "../printing/object-form.ts";
import { textTable } from "../printing/text-table.ts";
import { readTarget } from "../targets.ts";

const EVENT_TYPES = ["Normal", "Warning"];

export const events: Command = {
  name: "events",
  summary: "show events, of the namespace or about one object",
  flags: [
    { name: "for", value: "type/name", summary: "about this object only" },
    { name: "types", value: "type,...", summary: EVENT_TYPES.join(", ") },
    { name: "all-namespaces", short: "A", summary: "of all namespaces" },
    ...outputFlags("json, yaml"),
    SHOW_MANAGED_FIELDS_FLAG,
    { name: "chunk-size", value: "number", summary: `objects to a page (${DEFAULT_PAGE_SIZE}); 0 for all at once` },
    { name: "watch", short: "w", summary: "go on with what happens" },
    { name: "no-headers", summary: "without the first line" },
  ],
  async run(session, args, flags) {
    if (args.length > 0) throw new CliError(`unexpected argument ${JSON.stringify(args[0])}`);
    const about = flags.text("for");
    const target = about === undefined ? undefined : await readTarget(session, [about]);
    const namespace = flags.switch("all-namespaces") ? undefined : session.namespace;
    const types = flags.list("types").flatMap((list) => list.split(",").map(eventType));
    const subject = { namespace, ...(target === undefined ? {} : { kind: target.resource.kind, name: target.name }) };
    const isWanted = (event: JsonObject): boolean => types.length === 0 || types.includes(textAt(event, "type"));
    const format = readOutput(flags, [""]);
    const withNamespace = namespace === undefined;
    const header = [...(withNamespace ? ["NAMESPACE"] : []), "LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"];
    let withHeader = !flags.switch("no-headers");
    const tableOf = (events: readonly JsonObject[]): string => {
      const rows = rowsOf(events, session.clock.nowMs(), withNamespace);
      const text = textTable(withHeader ? [header, ...rows] : rows);
      withHeader = false;
      return text;
    };
    if (flags.switch("watch")) {
      for await (const event of watchEvents(session, subject))
        if (isWanted(event))
          session.terminal.write(format === "" ? tableOf([event]) : format(shownObject(event, flags)));
      return;
    }
    const shown = (await eventsOf(session, subject, flags.number("chunk-size"))).filter(isWanted);
    if (format !== "") {
      session.terminal.write(
        format({
          apiVersion: "v1",
          kind: "List",
          metadata: {},
          items: shown.map((event) => shownObject(event, flags)),
        }),
      );
      return;
    }
    if (shown.length === 0) {
      session.terminal.writeError(`No events found${namespace === undefined ? "" : ` in ${namespace} namespace`}.\n`);
      return;
    }
    session.terminal.write(tableOf(shown));
  },
};

/** However it is written. Fails with CliError. */
function eventType(text: string): string {
  const type = EVENT_TYPES.find((each) => each.toLowerCase() === text.toLowerCase());
  if (type === undefined) throw new CliError(`--types: ${JSON.stringify(text)} is none of ${EVENT_TYPES.join(", ")}`);
  return type;
}

function rowsOf(events: readonly JsonObject[], nowMs: number, withNamespace: boolean): string[][] {
  return eventRows(events, nowMs).map(([type = "", reason = "", age = "", , message = ""], index) => [
    ...(withNamespace ? [textAt(memberOf(events[index], "metadata"), "namespace")] : []),
    age,
    type,
    reason,
    subjectOf(events[index]!),
    message,
  ]);
}

function subjectOf(event: JsonObject): string {
  const subject = memberOf(event, "involvedObject");
  return `${textAt(subject, "kind")}/${textAt(subject, "name")}`;
}
