// `pctl edit`: opens an object in the user's editor and writes what is saved. A text that the server refuses can be mended.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { ApiError } from "../../client/api-error.ts";
import { DecodeError } from "../../codec/decode-error.ts";
import { jsonText } from "../../codec/json.ts";
import { decodeYaml } from "../../codec/yaml.ts";
import { CliError, type Command } from "../command.ts";
import { withQuery } from "../list-pages.ts";
import { objectName, objectText, withoutManagedFields } from "../printing/object-text.ts";
import type { Session } from "../session.ts";
import { readTarget, type Target, targetPath } from "../targets.ts";

const INTRO = `# Lines that begin with '#' are ignored. Saving an empty file, or the file as it is, changes nothing.
# When the server refuses, this file is opened again with the reasons.
#
`;
const MAX_ROUNDS = 10;

export const edit: Command = {
  name: "edit",
  summary: "change an object in an editor",
  arguments: "TYPE NAME | TYPE/NAME",
  flags: [
    { name: "subresource", value: "name", summary: "status, scale, ..." },
    { name: "field-manager", value: "name", summary: "who owns the fields afterwards (pctl-edit)" },
  ],
  async run(session, args, flags) {
    const target = await readTarget(session, args);
    const path = targetPath(target, flags.text("subresource"));
    const live = await session.sendForJson({ method: "GET", path });
    if (!isObject(live)) throw new CliError("the server answers with something else than an object");
    const query = new URLSearchParams({
      fieldManager: flags.text("field-manager") ?? "pctl-edit",
      fieldValidation: "Strict",
    });
    await editing(session, target, live, withQuery(path, query));
  },
};

async function editing(session: Session, target: Target, live: JsonObject, path: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "pctl-edit-"));
  const file = join(folder, `${target.name}.yaml`);
  const original = objectText(withoutManagedFields(live), "yaml");
  let text = original;
  let reasons = "";
  try {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      writeFileSync(file, `${INTRO}${reasons}${text}`, { mode: 0o600 });
      openEditor(session, file);
      const saved = withoutComments(readFileSync(file, "utf8"));
      if (
        saved.trim() === "" ||
        saved === withoutComments(original) ||
        (round > 0 && saved === withoutComments(text))
      ) {
        session.terminal.writeError("Edit cancelled, no changes made.\n");
        return;
      }
      text = saved;
      try {
        await session.sendForJson({
          method: "PUT",
          path,
          body: jsonText(decodeYaml(Buffer.from(saved)).value as Json),
        });
        session.terminal.write(`${objectName(target.resource, target.name)} edited\n`);
        return;
      } catch (error) {
        if (!(error instanceof ApiError) && !(error instanceof DecodeError)) throw error;
        const message = (error instanceof ApiError ? error.status.message : error.message) ?? "";
        reasons = `${message
          .split("\n")
          .map((line) => `# ${line}`)
          .join("\n")}\n#\n`;
        session.terminal.writeError(`${message}\n`);
      }
    }
    throw new CliError("the object was refused too often");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function openEditor(session: Session, file: string): void {
  const { env } = session.terminal;
  const command = env["KUBE_EDITOR"] ?? env["VISUAL"] ?? env["EDITOR"] ?? "vi";
  // An editor may come with flags of its own: `code --wait`.
  const { status, error } = spawnSync("sh", ["-c", `${command} "$0"`, file], { stdio: "inherit", env });
  if (error !== undefined || status !== 0)
    throw new CliError(`the editor ${JSON.stringify(command)} failed: ${error?.message ?? `exit code ${status}`}`);
}

const withoutComments = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n");
