// What a command of pctl is: words, flags, and a function. How command lines are read stands in command-line.ts.

import type { Flag, Flags } from "./flags.ts";
import type { Session } from "./session.ts";

export { CliError, type Flag, Flags } from "./flags.ts";

export interface Command {
  readonly name: string;
  /** Other words for it. */
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** As the help shows them: `TYPE [NAME...]`. Any number is passed on. */
  readonly arguments?: string;
  readonly flags?: readonly Flag[];
  readonly commands?: readonly Command[];
  /** Commands of kubectl that are none here, and what to do instead. */
  readonly elsewhere?: ReadonlyMap<string, string>;
  /** The exit code when it could not be done, where 1 is an answer; 1 when not given. */
  readonly failureCode?: number;
  readonly run?: (session: Session, args: readonly string[], flags: Flags) => Promise<void>;
}
