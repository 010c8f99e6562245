// The flags of commands that write: dry runs, who owns the fields, unknown fields, and what is shown of the outcome.

import { isObject, type Json } from "../base/json.ts";
import type { ServedResource } from "../client/discovery.ts";
import type { Flag, Flags } from "./command.ts";
import { objectName, objectText, withoutManagedFields } from "./printing/object-text.ts";

export const WRITE_FLAGS: readonly Flag[] = [
  { name: "field-manager", value: "name", summary: "who owns the fields afterwards (pctl)" },
  { name: "dry-run", value: "mode", summary: "none (when not given), or server: nothing is kept" },
  { name: "validate", value: "mode", summary: "strict (when not given), warn, ignore: unknown fields" },
  { name: "output", short: "o", value: "format", summary: "json, yaml, name" },
];

export interface WriteSettings {
  readonly query: URLSearchParams;
  readonly dryRun: boolean;
  /** What is told of an object that was written: `deployment.apps/web scaled`. */
  shown(resource: ServedResource, name: string, answer: Json, outcome: string): string;
}

const VALIDATION = { "": "Strict", strict: "Strict", true: "Strict", warn: "Warn", ignore: "Ignore", false: "Ignore" };

/** Fails with CliError. */
export function readWriteSettings(flags: Flags): WriteSettings {
  const validate = flags.choice("validate", ["", "strict", "true", "warn", "ignore", "false"]);
  const dryRun = flags.choice("dry-run", ["none", "server"]) === "server";
  const format = flags.choice("output", ["", "json", "yaml", "name"]);
  return {
    query: new URLSearchParams({
      fieldManager: flags.text("field-manager") ?? "pctl",
      fieldValidation: VALIDATION[validate],
      ...(dryRun ? { dryRun: "All" } : {}),
    }),
    dryRun,
    shown(resource, name, answer, outcome) {
      if (format === "name") return `${objectName(resource, name)}\n`;
      if (format !== "") return objectText(isObject(answer) ? withoutManagedFields(answer) : answer, format);
      return `${objectName(resource, name)} ${outcome}${dryRun ? " (server dry run)" : ""}\n`;
    },
  };
}
