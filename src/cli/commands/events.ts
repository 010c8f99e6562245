// `pctl events`: what happened, newest last.

import type { JsonObject } from "../../base/json.ts";
import { CliError, type Command } from "../command.ts";
import { eventRows, eventsOf } from "../events-of.ts";
import { memberOf, textAt } from "../json-members.ts";
import { objectText } from "../printing/object-text.ts";
import { textTable } from "../printing/text-table.ts";
import { readTarget } from "../targets.ts";

export const events: Command = {
  name: "events",
  summary: "show events, of the namespace or about one object",
  flags: [
    { name: "for", value: "type/name", summary: "about this object only" },
    { name: "types", value: "type,...", summary: "Normal, Warning" },
    { name: "all-namespaces", short: "A", summary: "of all namespaces" },
    { name: "output", short: "o", value: "format", summary: "json, yaml" },
    { name: "no-headers", summary: "without the first line" },
  ],
  async run(session, args, flags) {
    if (args.length > 0) throw new CliError(`unexpected argument ${JSON.stringify(args[0])}`);
    const about = flags.text("for");
    const target = about === undefined ? undefined : await readTarget(session, [about]);
    const namespace = flags.switch("all-namespaces") ? undefined : session.namespace;
    const types = flags.list("types").flatMap((list) => list.split(","));
    const found = await eventsOf(session, {
      namespace,
      ...(target === undefined ? {} : { kind: target.resource.kind, name: target.name }),
    });
    const shown = found.filter((event) => types.length === 0 || types.includes(String(event["type"])));
    const format = flags.choice("output", ["", "json", "yaml"]);
    if (format !== "") {
      session.terminal.write(objectText({ apiVersion: "v1", kind: "List", metadata: {}, items: shown }, format));
      return;
    }
    if (shown.length === 0) {
      session.terminal.writeError(`No events found${namespace === undefined ? "" : ` in ${namespace} namespace`}.\n`);
      return;
    }
    const rows = eventRows(shown, session.clock.nowMs()).map(
      ([type = "", reason = "", age = "", , message = ""], index) => [
        ...(namespace === undefined ? [textAt(memberOf(shown[index], "metadata"), "namespace")] : []),
        age,
        type,
        reason,
        subjectOf(shown[index]!),
        message,
      ],
    );
    const header = [
      ...(namespace === undefined ? ["NAMESPACE"] : []),
      "LAST SEEN",
      "TYPE",
      "REASON",
      "OBJECT",
      "MESSAGE",
    ];
    session.terminal.write(textTable(flags.switch("no-headers") ? rows : [header, ...rows]));
  },
};

function subjectOf(event: JsonObject): string {
  const subject = memberOf(event, "involvedObject");
  return `${textAt(subject, "kind")}/${textAt(subject, "name")}`;
}
