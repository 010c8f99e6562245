// A CustomResourceDefinition and an Event in words for people; of a schema, `explain` tells.

import { itemsAt, memberOf, textAt } from "../json-members.ts";
import type { Describer } from "./describer.ts";
import { at, CONDITION, timeText, valueAt, writeConditions, writeHead } from "./field-text.ts";

export const definition: Describer = {
  write(sheet, object, { names }) {
    const spec = memberOf(object, "spec");
    writeHead(sheet, object, names, ["Name", "Labels", "Annotations", "CreationTimestamp"]);
    sheet.row(0, "Group", at(spec, "group"));
    sheet.row(0, "Kind", at(spec, "names.kind"));
    sheet.row(0, "Resource", at(spec, "names.plural"));
    for (const [title, path] of [
      ["Singular", "names.singular"],
      ["Short Names", "names.shortNames"],
      ["Categories", "names.categories"],
    ] as const)
      if (at(spec, path) !== "") sheet.row(0, title, at(spec, path));
    sheet.row(0, "Scope", at(spec, "scope"));
    sheet.row(0, "Conversion", at(spec, "conversion.strategy", "None"));
    sheet.row(0, "Stored Versions", at(object, "status.storedVersions", "<none>"));
    sheet.head(0, "Versions");
    sheet.table(
      1,
      ["Name", "Served", "Storage", "Deprecated", "Subresources", "Columns"],
      itemsAt(spec, "versions").map((version) => [
        textAt(version, "name"),
        at(version, "served", "false"),
        at(version, "storage", "false"),
        at(version, "deprecated", "false"),
        Object.keys(memberOf(version, "subresources")).join(",") || "<none>",
        itemsAt(version, "additionalPrinterColumns")
          .map((column) => textAt(column, "name"))
          .join(",") || "<none>",
      ]),
    );
    writeConditions(sheet, object, [CONDITION.type, CONDITION.status, CONDITION.reason, CONDITION.message]);
  },
};

/** Of either group that events stand in. */
export const event: Describer = {
  withEvents: false,
  write(sheet, object, { names }) {
    const about = { ...memberOf(object, "involvedObject"), ...memberOf(object, "regarding") };
    writeHead(sheet, object, names, ["Name", "Namespace", "Labels", "Annotations"]);
    sheet.row(0, "Type", at(object, "type"));
    sheet.row(0, "Reason", at(object, "reason"));
    if (at(object, "action") !== "") sheet.row(0, "Action", at(object, "action"));
    sheet.row(0, "Object", `${at(about, "kind")}/${at(about, "name")}`);
    sheet.row(0, "Message", at(object, "message") || at(object, "note"));
    const source = at(object, "source.component") || at(object, "deprecatedSource.component");
    sheet.row(0, "From", source || at(object, "reportingComponent") || at(object, "reportingController"));
    const count = at(object, "count") || at(object, "series.count") || at(object, "deprecatedCount");
    sheet.row(0, "Count", count || "1");
    const created = valueAt(object, "metadata.creationTimestamp");
    const first = valueAt(object, "firstTimestamp") ?? valueAt(object, "eventTime") ?? created;
    sheet.row(0, "First Seen", timeText(first));
    sheet.row(
      0,
      "Last Seen",
      timeText(valueAt(object, "series.lastObservedTime") ?? valueAt(object, "lastTimestamp") ?? first),
    );
  },
};
