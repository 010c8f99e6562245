// Two texts as a unified diff, by the program that every system has.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CliError } from "../command.ts";
import type { Terminal } from "../session.ts";
import { type Colour, hasColours, paint } from "./colours.ts";
import { visibleLines } from "./visible-text.ts";

/** Above it, as diff itself has it: something went wrong. */
const FAILED = 2;
const MAX_DIFF_BYTES = 64 * 1024 * 1024;

interface DiffSide {
  readonly label: string;
  readonly text: string;
}

/** Empty when both are the same. Fails with CliError. */
export function unifiedDiff(before: DiffSide, after: DiffSide): string {
  if (before.text === after.text) return "";
  const folder = mkdtempSync(join(tmpdir(), "pctl-diff-"));
  try {
    const [left, right] = [join(folder, "before"), join(folder, "after")];
    writeFileSync(left, before.text, { mode: 0o600 });
    writeFileSync(right, after.text, { mode: 0o600 });
    const labels = ["--label", before.label, "--label", after.label];
    const { status, stdout, error } = spawnSync("diff", ["-u", "-N", ...labels, left, right], {
      encoding: "utf8",
      maxBuffer: MAX_DIFF_BYTES,
    });
    if (error !== undefined || status === null || status >= FAILED)
      throw new CliError(`the program diff failed: ${error?.message ?? `exit code ${status}`}`);
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** With colours where somebody looks at it. */
export function writeDiff(terminal: Terminal, text: string): void {
  terminal.write(hasColours(terminal) ? Buffer.from(coloured(text)) : text);
}

const LINE_COLOURS: Readonly<Record<string, Colour>> = { "+": "green", "-": "red", "@": "cyan" };

const coloured = (text: string): string =>
  visibleLines(text)
    .split("\n")
    .map((line) => paint(line, /^(?:---|\+\+\+) /.test(line) ? "bold" : LINE_COLOURS[line.charAt(0)]))
    .join("\n");
