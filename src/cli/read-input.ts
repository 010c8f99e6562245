// The whole of standard input, for as long as the user wants to wait for its end.

import { addAbortSignal, type Readable } from "node:stream";
import { MAX_MANIFEST_BYTES } from "./file-text.ts";
import { CliError } from "./flags.ts";

/** Fails with CliError, and with what the signal says. */
export async function readInput(input: Readable, interrupted: AbortSignal): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const piece of addAbortSignal(interrupted, input)) {
      pieces.push(piece as Buffer);
      sizeBytes += (piece as Buffer).length;
      if (sizeBytes > MAX_MANIFEST_BYTES)
        throw new CliError(`standard input has more than ${MAX_MANIFEST_BYTES} bytes`);
    }
  } catch (error) {
    throw interrupted.aborted ? interrupted.reason : error;
  }
  return Buffer.concat(pieces);
}
