// `pctl describe`: an object in words for people, with its events. Any kind: fields are shown as they are, the long and the
// technical left out; references and conditions are tables.

import { isObject, type JsonObject } from "../../base/json.ts";
import { apiVersionOf } from "../../client/discovery.ts";
import type { Command } from "../command.ts";
import { eventRows, eventsOf } from "../events-of.ts";
import { textAt } from "../json-members.ts";
import { DEFAULT_PAGE_SIZE, itemsOf, listPages } from "../list-pages.ts";
import { describeText } from "../printing/describe-text.ts";
import { textTable } from "../printing/text-table.ts";
import { readSelection } from "../selection.ts";
import type { Session } from "../session.ts";
import { metadataText, targetPath } from "../targets.ts";

export const describe: Command = {
  name: "describe",
  summary: "show objects with everything about them",
  arguments: "TYPE [NAME...] | TYPE/NAME...",
  flags: [
    { name: "selector", short: "l", value: "selector", summary: "with these labels" },
    { name: "all-namespaces", short: "A", summary: "of all namespaces" },
    { name: "show-events", summary: "with the events about them (true when not given)" },
  ],
  async run(session, args, flags) {
    const shown: string[] = [];
    const namespace = flags.switch("all-namespaces") ? undefined : session.namespace;
    for (const { resource, names } of await readSelection(session, args)) {
      const objects: JsonObject[] = [];
      if (names === undefined) {
        const options = { resource, namespace, labelSelector: flags.text("selector"), pageSize: DEFAULT_PAGE_SIZE };
        for await (const page of listPages(session, options))
          for (const item of itemsOf(page, resource, apiVersionOf(resource))) objects.push(item);
      } else {
        for (const name of names) {
          const inside = resource.namespaced ? session.namespace : undefined;
          const object = await session.sendForJson({
            method: "GET",
            path: targetPath({ resource, namespace: inside, name }),
          });
          if (isObject(object)) objects.push(object);
        }
      }
      for (const object of objects) shown.push(await textOf(session, object, flags.switch("show-events", true)));
    }
    if (shown.length === 0) session.terminal.writeError("No resources found\n");
    session.terminal.write(shown.join("\n\n"));
  },
};

async function textOf(session: Session, object: JsonObject, withEvents: boolean): Promise<string> {
  const text = describeText(object);
  if (!withEvents) return text;
  const events = await eventsOf(session, {
    namespace: metadataText(object, "namespace"),
    uid: metadataText(object, "uid") ?? "",
    kind: textAt(object, "kind"),
    name: metadataText(object, "name") ?? "",
  });
  if (events.length === 0) return `${text}Events:  <none>\n`;
  const rows = eventRows(events, session.clock.nowMs());
  const table = textTable([["Type", "Reason", "Age", "From", "Message"], ...rows]);
  return `${text}Events:\n${table.replaceAll(/^/gm, "  ").trimEnd()}\n`;
}
