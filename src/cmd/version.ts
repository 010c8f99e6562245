// `plinth version`: what /version serves, on standard output.

import { UsageError } from "../base/start-error.ts";
import { VERSION_INFO } from "../meta/version.ts";

export async function version(args: readonly string[]): Promise<void> {
  if (args.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(args[0])}`);
  process.stdout.write(`${JSON.stringify(VERSION_INFO, null, 2)}\n`);
}
