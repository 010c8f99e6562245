// Runs a command to its end and gives what it printed: bounded in time and size. Whatever goes wrong is one sentence that
// names the command.

import { spawn } from "node:child_process";
import type { Clock } from "./clock.ts";
import { goQuote } from "./go-quote.ts";

export interface PluginRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The command may talk to the user: it gets our standard input and writes to our standard error itself. */
  readonly interactive: boolean;
  /** What it reads, where it is not interactive; nothing when not given. */
  readonly input?: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Ends the command at once. */
  readonly signal: AbortSignal;
  /** Told what it writes to standard error, as it comes. Where nobody listens, the end of it stands in the error. */
  readonly onErrorOutput?: (chunk: Uint8Array) => void;
}

export class PluginError extends Error {
  /** There is no such command. */
  readonly missing: boolean;

  constructor(message: string, missing = false) {
    super(message);
    this.missing = missing;
  }
}

/** A credential is a few kilobytes. */
const MAX_OUTPUT_BYTES = 1024 * 1024;
/** Of its standard error, so much is told. */
const MAX_TOLD_BYTES = 1024;

/** Its standard output. Fails with PluginError. */
export function runPlugin(run: PluginRun): Promise<Uint8Array> {
  const { command, args, env, interactive, input, timeoutMs, clock, signal, onErrorOutput } = run;
  return new Promise((resolve, reject) => {
    if (signal.aborted) throw new PluginError(`exec: executable ${command} is not started any more`);
    const child = spawn(command, args, {
      env,
      stdio: [
        interactive ? "inherit" : input === undefined ? "ignore" : "pipe",
        "pipe",
        interactive ? "inherit" : "pipe",
      ],
    });
    // One that ends without reading closes its end.
    child.stdin?.on("error", () => undefined).end(input);
    const pieces: Buffer[] = [];
    let sizeBytes = 0;
    let told = Buffer.alloc(0);

    const stop = (why: string): void => {
      child.kill("SIGKILL");
      // What it has started may keep its output open: that is not waited for.
      child.stdout!.destroy();
      child.stderr?.destroy();
      fail(`executable ${command} ${why}`);
    };
    const timer = clock.setTimer(timeoutMs, () => stop(`did not end within ${timeoutMs / 1000} seconds`));
    const onAbort = (): void => stop("was stopped");
    signal.addEventListener("abort", onAbort, { once: true });
    const settle = (): void => {
      timer.cancel();
      signal.removeEventListener("abort", onAbort);
    };
    const fail = (message: string, missing = false): void => {
      settle();
      const printed = told.toString("utf8").trim();
      const tail = printed === "" || onErrorOutput !== undefined ? "" : `; it printed ${goQuote(printed)}`;
      reject(new PluginError(`exec: ${message}${tail}`, missing));
    };

    child.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") fail(`executable ${command} not found`, true);
      else fail(`executable ${command} could not be started: ${error.message}`);
    });
    child.stdout!.on("data", (chunk: Buffer) => {
      sizeBytes += chunk.length;
      pieces.push(chunk);
      if (sizeBytes > MAX_OUTPUT_BYTES) stop(`printed more than ${MAX_OUTPUT_BYTES} bytes`);
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      onErrorOutput?.(chunk);
      told = Buffer.concat([told, chunk]).subarray(-MAX_TOLD_BYTES);
    });
    child.on("close", (code, killedBy) => {
      if (code === 0) {
        settle();
        resolve(Buffer.concat(pieces));
      } else {
        fail(
          `executable ${command} ${killedBy === null ? `failed with exit code ${code}` : `was ended by ${killedBy}`}`,
        );
      }
    });
  });
}
