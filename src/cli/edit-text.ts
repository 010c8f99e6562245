// A text in the user's editor, until it is taken, left as it was, or refused too often.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "../base/json.ts";
import { ApiError } from "../client/api-error.ts";
import { DecodeError } from "../codec/decode-error.ts";
import { decodeYaml } from "../codec/yaml.ts";
import { CliError } from "./command.ts";
import type { Session } from "./session.ts";

const INTRO = `# Lines that begin with '#' are ignored. Saving an empty file, or the file as it is, changes nothing.
# When the server refuses, this file is opened again with the reasons.
#
`;
const MAX_ROUNDS = 10;

interface Editing {
  /** Of the file that the editor opens: its ending says what is in it. */
  readonly fileName: string;
  /** YAML or JSON. */
  readonly text: string;
  /** Takes what was saved. What fails with ApiError, DecodeError or CliError can be mended. */
  save(value: Json): Promise<void>;
}

/** Says so where nothing was changed. Fails with CliError. */
export async function editText(session: Session, { fileName, text: original, save }: Editing): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "pctl-edit-"));
  const file = join(folder, fileName);
  let text = original;
  let reasons = "";
  try {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      writeFileSync(file, `${INTRO}${reasons}${text}`, { mode: 0o600 });
      openEditor(session, file);
      const saved = withoutComments(readFileSync(file, "utf8"));
      const isSame = saved === withoutComments(original) || (round > 0 && saved === withoutComments(text));
      if (saved.trim() === "" || isSame) {
        session.terminal.writeError("Edit cancelled, no changes made.\n");
        return;
      }
      text = saved;
      try {
        return await save(decodeYaml(Buffer.from(saved)).value as Json);
      } catch (error) {
        const message = reasonIn(error);
        if (message === undefined) throw error;
        const lines = message.split("\n").map((line) => `# ${line}`);
        reasons = `${lines.join("\n")}\n#\n`;
        session.terminal.writeError(`${message}\n`);
      }
    }
    throw new CliError("the object was refused too often");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Undefined for what the user cannot mend. */
function reasonIn(error: unknown): string | undefined {
  if (error instanceof ApiError) return error.status.message ?? "";
  return error instanceof DecodeError || error instanceof CliError ? error.message : undefined;
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
