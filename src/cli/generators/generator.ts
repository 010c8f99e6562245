// What makes an object from words: a flag table and a function; and what they read words with.

import type { JsonObject } from "../../base/json.ts";
import type { Dialect } from "../../meta/names.ts";
import { CliError, type Flag, type Flags } from "../command.ts";
import type { Session } from "../session.ts";

export interface Generator {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly arguments: string;
  readonly flags: readonly Flag[];
  /** Fails with CliError. */
  make(words: Words): JsonObject | Promise<JsonObject>;
}

export interface Words {
  readonly args: readonly string[];
  readonly flags: Flags;
  readonly dialect: Dialect;
  readonly session: Session;
}

export function head(
  apiVersion: string,
  kind: string,
  args: readonly string[],
): { apiVersion: string; kind: string; metadata: JsonObject } {
  const [name] = args;
  if (name === undefined || args.length > 1) throw new CliError("exactly one NAME is required");
  return { apiVersion, kind, metadata: { name } };
}

export function splitList(flags: Flags, name: string): string[] {
  return flags
    .list(name)
    .flatMap((text) => text.split(","))
    .filter((text) => text !== "");
}

export function pair(text: string, where: string): [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new CliError(`${where}: ${JSON.stringify(text)} is not KEY=VALUE`);
  return [text.slice(0, at), text.slice(at + 1)];
}

export function needed(flags: Flags, name: string): string {
  const value = flags.text(name);
  if (value === undefined || value === "") throw new CliError(`required flag(s) "${name}" not set`);
  return value;
}
