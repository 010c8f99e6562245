// The flags of commands that write: dry runs, who owns the fields, unknown fields, and what is shown of the outcome.

import type { Json } from "../base/json.ts";
import type { DiscoveredResource } from "../client/discovery.ts";
import type { ApiRequest } from "../client/transport.ts";
import { decodeJson } from "../codec/json.ts";
import type { Flag, Flags } from "./command.ts";
import { outputFlags, readOutput, SHOW_MANAGED_FIELDS_FLAG, shownObject } from "./printing/object-form.ts";
import { objectName } from "./printing/object-text.ts";
import type { Session } from "./session.ts";

export const DRY_RUN_FLAG: Flag = {
  name: "dry-run",
  value: "mode",
  summary: "none (when not given), server: nothing is kept; client: nothing is sent, and shown is what would be",
};

export const WRITE_FLAGS: readonly Flag[] = [
  { name: "field-manager", value: "name", summary: "who owns the fields afterwards (pctl)" },
  DRY_RUN_FLAG,
  { name: "validate", value: "mode", summary: "strict (when not given), warn, ignore: unknown fields" },
  ...outputFlags("json, yaml, name"),
  SHOW_MANAGED_FIELDS_FLAG,
];

export type DryRun = "none" | "server" | "client";

/** What is said behind the outcome. */
export const DRY_RUN_NOTES: Readonly<Record<DryRun, string>> = {
  none: "",
  server: " (server dry run)",
  client: " (dry run)",
};

/** A request that changes something. */
type WriteRequest = ApiRequest & { readonly body: string };

export interface WriteSettings {
  readonly query: URLSearchParams;
  readonly dryRun: DryRun;
  /** Whether whole objects are shown. */
  readonly showsObjects: boolean;
  /**
   * The server's answer. In a dry run of the client nothing is sent, and what the object would be stands for it: `outcome`
   * where the body is not all of it.
   */
  send(session: Session, request: WriteRequest, outcome?: Json): Promise<Json>;
  /** What is told of an object that was written: `deployment.apps/web scaled`. */
  shown(resource: Pick<DiscoveredResource, "group" | "kind">, name: string, answer: Json, outcome: string): string;
}

const VALIDATION = { "": "Strict", strict: "Strict", true: "Strict", warn: "Warn", ignore: "Ignore", false: "Ignore" };

/** Fails with CliError. */
export function readWriteSettings(flags: Flags): WriteSettings {
  const validate = flags.choice("validate", ["", "strict", "true", "warn", "ignore", "false"]);
  const dryRun = readDryRun(flags);
  const output = readOutput(flags, ["", "name"]);
  return {
    query: new URLSearchParams({
      fieldManager: flags.text("field-manager") ?? "pctl",
      fieldValidation: VALIDATION[validate],
      ...(dryRun === "server" ? { dryRun: "All" } : {}),
    }),
    dryRun,
    showsObjects: typeof output === "function",
    async send(session, request, outcome) {
      if (dryRun !== "client") return session.sendForJson(request);
      return outcome ?? decodeJson(Buffer.from(request.body)).value;
    },
    shown(resource, name, answer, outcome) {
      if (output === "name") return `${objectName(resource, name)}\n`;
      if (output !== "") return output(shownObject(answer, flags));
      return `${objectName(resource, name)} ${outcome}${DRY_RUN_NOTES[dryRun]}\n`;
    },
  };
}

/** Fails with CliError. */
export function readDryRun(flags: Flags): DryRun {
  return flags.choice<DryRun>("dry-run", ["none", "server", "client"]);
}
