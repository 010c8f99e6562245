// `npm start --secure-port=0`: npm takes a flag before `--` for one of its own and only hands it on in the environment.

import { type FlagTable, flagName } from "../base/flags.ts";

/** The flags of the table that npm was given, as arguments. */
export function npmFlags(table: FlagTable, env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(table).flatMap((key) => {
    const name = flagName(key);
    const value = env[`npm_config_${name.replaceAll("-", "_")}`];
    return value === undefined || value === "" ? [] : [`--${name}=${value}`];
  });
}
