// Patches of objects that no server is asked to patch, with a server's rules.

import type { Json, JsonObject } from "../base/json.ts";
import { decodeYaml } from "../codec/yaml.ts";
import { CliError, type Flag, type Flags } from "./command.ts";
import type { LocalPatch } from "./offline-server.ts";
import type { Session } from "./session.ts";

/** Of commands that make an object from words, of which few can be said in words. */
export const OVERRIDE_FLAGS: readonly Flag[] = [
  { name: "overrides", value: "patch", summary: "changes of the object that is made, as JSON or YAML" },
  { name: "override-type", value: "type", summary: "what --overrides is: merge (when not given), strategic, json" },
];

/** Fails with CliError. */
export async function overridden(session: Session, object: JsonObject, flags: Flags): Promise<JsonObject> {
  const text = flags.text("overrides");
  const type = flags.choice("override-type", ["merge", "strategic", "json"]);
  if (text === undefined) return object;
  return (await patchHere(session, object, parsePatch(text, "--overrides"), type)) as JsonObject;
}

/** Undefined where the kind has no patches of this type. Fails with CliError. */
export async function patchHere(
  session: Session,
  object: JsonObject,
  patch: Json,
  type: LocalPatch["type"],
): Promise<Json | undefined> {
  const { patchObject } = session.parts;
  if (patchObject === undefined) throw new CliError("patches are not known here: use --dry-run=server");
  const { dialect } = await session.discovery();
  const patched = await patchObject({ object, patch, type, dialect });
  if (patched !== undefined && "refused" in patched) throw new CliError(`unable to patch: ${patched.refused}`);
  return patched?.object;
}

/** Fails with CliError. */
export function parsePatch(text: string, what: string): Json {
  try {
    return decodeYaml(Buffer.from(text)).value;
  } catch (error) {
    throw new CliError(`unable to parse ${what}: ${(error as Error).message}`);
  }
}
