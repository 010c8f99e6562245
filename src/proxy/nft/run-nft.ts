// The nft tool: one transaction is one run, with everything on its standard input.

import { spawn } from "node:child_process";

/** nft has refused a transaction, or could not be run; nothing of it has been done. */
class NftError extends Error {
  override readonly name = "NftError";
}

/** Fails with NftError, also where it does not end in time. */
export function runNft(text: string, timeoutMs = TIMEOUT_MS): Promise<void> {
  return run(["-f", "-"], text, timeoutMs);
}

/** Asks the kernel without changing anything. Fails with NftError. */
export function checkNft(text: string): Promise<void> {
  return run(["-c", "-f", "-"], text, TIMEOUT_MS);
}

/** Tens of thousands of Services take seconds. */
const TIMEOUT_MS = 120_000;

const MAX_STDERR_CHARS = 2_000;

function run(args: readonly string[], text: string, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("nft", args, {
      stdio: ["pipe", "ignore", "pipe"],
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    });
    let complaint = "";
    child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      if (complaint.length < MAX_STDERR_CHARS) complaint += piece;
    });
    child.once("error", (error) => reject(new NftError(`nft cannot be run: ${error.message}`, { cause: error })));
    child.once("close", (code, end) => {
      if (code === 0) resolve();
      else reject(new NftError(`nft ended with ${code ?? end}: ${complaint.slice(0, MAX_STDERR_CHARS).trim()}`));
    });
    // A tool that ends before it has read everything says why on its standard error.
    child.stdin.on("error", () => undefined);
    child.stdin.end(text);
  });
}
