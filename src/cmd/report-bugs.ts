// What becomes of errors that nobody handled: they are bugs, and the log must hold them.

import type { Log } from "../base/log.ts";

export function reportBugs(log: Log): void {
  // A forgotten promise belongs to one request or one background task: the others go on.
  process.on("unhandledRejection", (error) => log.error({ err: error }, "an error was not handled"));
  // After this nothing is known about the state of the process. The store is crash-safe: a new start is.
  process.on("uncaughtException", (error) => {
    log.error({ err: error }, "an error was not handled; ending");
    process.exit(1);
  });
}
