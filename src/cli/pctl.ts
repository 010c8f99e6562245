// The command `pctl`: runs one command, turns a failure into text on standard error and exit code 1.

import { systemClock } from "../base/clock.ts";
import type { Command } from "./command.ts";
import { parseCommandLine } from "./command-line.ts";
import { apply } from "./commands/apply.ts";
import { auth } from "./commands/auth.ts";
import { deleteObjects } from "./commands/delete.ts";
import { get } from "./commands/get.ts";
import { version } from "./commands/version.ts";
import { CONNECTION_FLAGS } from "./connection-flags.ts";
import { errorText } from "./error-text.ts";
import { Session, type Terminal } from "./session.ts";

const PROGRAM: Command = {
  name: "pctl",
  summary: "Reads and changes the objects of a server.",
  flags: CONNECTION_FLAGS,
  commands: [get, apply, deleteObjects, auth, version],
};

export async function main(argv: readonly string[]): Promise<void> {
  // Who reads us may stop: `pctl get pods | head`.
  process.stdout.on("error", () => process.exit(0));
  process.exitCode = await runPctl(argv, {
    env: process.env,
    readInput: async () => {
      const pieces: Buffer[] = [];
      for await (const piece of process.stdin) pieces.push(piece as Buffer);
      return Buffer.concat(pieces);
    },
    write: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
  });
}

/** The exit code. */
export async function runPctl(argv: readonly string[], terminal: Terminal): Promise<number> {
  let session: Session | undefined;
  try {
    const line = parseCommandLine(argv, { ...PROGRAM, write: terminal.write });
    if (line === undefined) return 0;
    session = new Session(terminal, line.flags, systemClock);
    await line.command.run!(session, line.args, line.flags);
    return session.failed ? 1 : 0;
  } catch (error) {
    terminal.writeError(`${errorText(error)}\n`);
    return 1;
  } finally {
    await session?.close();
  }
}
