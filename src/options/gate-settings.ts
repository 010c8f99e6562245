// Feature gates of a flag, in the form in which configuration files say them.

import { StartError } from "../base/start-error.ts";

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...["true", "True", "TRUE", "t", "T", "1"].map((word) => [word, true] as const),
  ...["false", "False", "FALSE", "f", "F", "0"].map((word) => [word, false] as const),
]);

/** Fails with StartError on a value that is neither true nor false. */
export function gateSettings(flag: ReadonlyMap<string, string>): Record<string, boolean> {
  const settings = [...flag].map(([name, text]) => {
    const value = WORDS.get(text);
    if (value === undefined)
      throw new StartError(`--feature-gates: ${name}: ${JSON.stringify(text)} is neither true nor false`);
    return [name, value] as const;
  });
  return Object.fromEntries(settings);
}
