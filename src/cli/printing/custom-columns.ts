// `-o custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[*].image`: a table of what paths lead to.

import type { JsonObject } from "../../base/json.ts";
import { parseJsonPaths } from "../../codec/json-path.ts";
import { CliError } from "../command.ts";
import { valueText } from "./path-template.ts";
import { textTable } from "./text-table.ts";

/** Fails with CliError. */
export function readCustomColumns(text: string): (objects: readonly JsonObject[], withHeaders: boolean) => string {
  const columns = splitColumns(text).map((column) => {
    const colon = column.indexOf(":");
    const values = parseJsonPaths(column.slice(colon + 1));
    // A column may be without a name.
    if (colon < 0 || values === undefined)
      throw new CliError(`custom-columns: ${JSON.stringify(column)} is not of the form NAME:PATH`);
    return { name: column.slice(0, colon), values };
  });
  return (objects, withHeaders) => {
    const rows = objects.map((object) =>
      columns.map(({ values }) => {
        const found = values(object).map(valueText);
        return found.length === 0 ? "<none>" : found.join(",");
      }),
    );
    return textTable(withHeaders ? [columns.map(({ name }) => name), ...rows] : rows);
  };
}

/** Of a file with names on the first line and their paths below. Fails with CliError. */
export function columnsOfFile(text: string): string {
  const [names = [], paths = []] = text.split("\n").map((line) =>
    line
      .trim()
      .split(/\s+/)
      .filter((word) => word !== ""),
  );
  if (names.length === 0 || names.length !== paths.length)
    throw new CliError("custom-columns-file: a line of names, and below it a line of as many paths, are expected");
  return names.map((name, at) => `${name}:${paths[at]}`).join(",");
}

/** Commas in brackets belong to paths. */
function splitColumns(text: string): string[] {
  const columns: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "[") depth += 1;
    else if (text[at] === "]") depth -= 1;
    else if (text[at] === "," && depth === 0) {
      columns.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...columns, text.slice(start)];
}
