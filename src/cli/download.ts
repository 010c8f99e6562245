// A file of another server, for who trusts it.

import type { Clock } from "../base/clock.ts";
import { CliError } from "./command.ts";

const MAX_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** Fails with CliError. */
export async function download(url: string, clock: Clock): Promise<Uint8Array> {
  try {
    const response = await fetch(url, { signal: clock.timeoutSignal(TIMEOUT_MS) });
    if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of response.body as AsyncIterable<Uint8Array>) {
      bytes += piece.length;
      if (bytes > MAX_BYTES) throw new Error(`longer than ${MAX_BYTES} bytes`);
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  } catch (error) {
    throw new CliError(`unable to read ${url}: ${(error as Error).message}`);
  }
}
