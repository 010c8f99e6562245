// Feature gates of a flag, in the form in which configuration files say them.

import { StartError } from "../base/start-error.ts";
import { parseBool } from "../base/truth-words.ts";

/** Fails with StartError on a value that is neither true nor false. */
export function gateSettings(flag: ReadonlyMap<string, string>): Record<string, boolean> {
  const settings = [...flag].map(([name, text]) => {
    const value = parseBool(text);
    if (value === undefined)
      throw new StartError(`--feature-gates: ${name}: ${JSON.stringify(text)} is neither true nor false`);
    return [name, value] as const;
  });
  return Object.fromEntries(settings);
}
