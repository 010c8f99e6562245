// A component that speaks another dialect than its server would look for groups that are not there, and wait for ever.

import { StartError } from "../base/start-error.ts";
import { isApiError } from "./api-error.ts";
import type { Client } from "./client.ts";
import { discover } from "./discovery.ts";

const RETRY_MS = 5_000;

/** Rejects with StartError when the server says that it speaks the other one, and when the signal says so; never resolves. */
export async function untilOtherDialect(
  { transport, names, clock }: Pick<Client, "transport" | "names" | "clock">,
  signal: AbortSignal,
): Promise<never> {
  for (;;) {
    try {
      const { dialect } = await discover(transport, { signal });
      if (dialect === names.dialect) break;
      throw new StartError(`the server speaks the dialect ${dialect}: start with --dialect=${dialect}`);
    } catch (error) {
      if (error instanceof StartError) throw error;
      // Who may not ask has to know.
      if (isApiError(error, "Forbidden") || isApiError(error, "Unauthorized")) break;
      await clock.sleep(RETRY_MS, signal);
    }
  }
  return new Promise(() => undefined);
}
