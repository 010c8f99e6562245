// Durations as command lines have them: `30s`, `2m`, a bare number for seconds.

import { parseDuration } from "../meta/duration.ts";
import { CliError, type Flags } from "./command.ts";

const NANOS_PER_MS = 1_000_000n;

/** Undefined when the flag is not given. Fails with CliError. */
export function readDurationMs(flags: Flags, name: string): number | undefined {
  const given = flags.text(name);
  if (given === undefined) return undefined;
  const nanos = parseDuration(/^-?\d+$/.test(given) ? `${given}s` : given);
  if (typeof nanos === "string") throw new CliError(`--${name}: not a duration: ${given}`);
  return Number(nanos / NANOS_PER_MS);
}
