// A text in the user's editor, until it is taken, left as it was, or refused too often.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "../base/json.ts";
import { ApiError, isApiError } from "../client/api-error.ts";
import { DecodeError } from "../codec/decode-error.ts";
import { decodeYaml } from "../codec/yaml.ts";
import { CliError, type Flag, type Flags } from "./command.ts";
import { fileText, MAX_MANIFEST_BYTES } from "./file-text.ts";
import type { Session } from "./session.ts";

const INTRO = `# Lines that begin with '#' are ignored. Saving an empty file, or the file as it is, changes nothing.
# When the server refuses, this file is opened again with the reasons.
#
`;
const MAX_ROUNDS = 10;

export const LINE_ENDS_FLAG: Flag = {
  name: "windows-line-endings",
  summary: "lines in the editor end as on Windows",
};

interface Editing {
  /** Of the file that the editor opens: its ending says what is in it. */
  readonly fileName: string;
  /** YAML or JSON. */
  readonly text: string;
  /** Of the command: how lines end in the file. */
  readonly flags: Flags;
  /** Takes what was saved. What fails with ApiError, DecodeError or CliError can be mended. */
  save(value: Json): Promise<void>;
}

/** Says so where nothing was changed. What was changed in vain is kept in a file that is named. Fails with CliError. */
export async function editText(session: Session, { fileName, text: original, flags, save }: Editing): Promise<void> {
  const lineEnd = flags.switch(LINE_ENDS_FLAG.name) ? "\r\n" : "\n";
  const write = (content: string): void => writeFileSync(file, content.replaceAll("\n", lineEnd), { mode: 0o600 });
  const folder = mkdtempSync(join(tmpdir(), "pctl-edit-"));
  const file = join(folder, fileName);
  let text = original;
  let reasons = "";
  let kept = false;
  const keep = (): void => {
    kept = true;
    write(text);
    session.terminal.writeError(`A copy of your changes has been stored to ${JSON.stringify(file)}\n`);
  };
  try {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      write(`${INTRO}${reasons}${text}`);
      await openEditor(session, file);
      const saved = withoutComments(fileText(file, MAX_MANIFEST_BYTES).replaceAll("\r\n", "\n"));
      if (round === 0 && (saved.trim() === "" || saved === withoutComments(original))) {
        session.terminal.writeError("Edit cancelled, no changes made.\n");
        return;
      }
      if (saved.trim() === "" || saved === text) {
        keep();
        throw new CliError("Edit cancelled, no valid changes were saved.");
      }
      text = saved;
      try {
        return await save(decodeYaml(Buffer.from(saved)).value as Json);
      } catch (error) {
        const message = reasonIn(error);
        if (message === undefined) {
          keep();
          throw error;
        }
        const lines = message.split("\n").map((line) => `# ${line}`);
        reasons = `${lines.join("\n")}\n#\n`;
        session.terminal.writeError(`${message}\n`);
      }
    }
    keep();
    throw new CliError("the object was refused too often");
  } finally {
    if (!kept) rmSync(folder, { recursive: true, force: true });
  }
}

/** Undefined for what the user cannot mend. */
function reasonIn(error: unknown): string | undefined {
  // Who has changed the same meanwhile is not to be overwritten by who does not know of it.
  if (isApiError(error, "Conflict")) return undefined;
  if (error instanceof ApiError) return error.status.message ?? "";
  return error instanceof DecodeError || error instanceof CliError ? error.message : undefined;
}

function openEditor(session: Session, file: string): Promise<void> {
  const { env } = session.terminal;
  const command = env["KUBE_EDITOR"] ?? env["VISUAL"] ?? env["EDITOR"] ?? "vi";
  // An editor may come with flags of its own: `code --wait`.
  const editor = spawn("sh", ["-c", `${command} "$0"`, file], { stdio: "inherit", env });
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void =>
      reject(new CliError(`the editor ${JSON.stringify(command)} failed: ${reason}`));
    editor.once("error", ({ message }) => fail(message));
    editor.once("close", (status) => (status === 0 ? resolve() : fail(`exit code ${status}`)));
  });
}

const withoutComments = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n");
