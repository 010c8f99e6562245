// The body of a write, bounded. Requirements: document 1, "Errors": 413.

import { BodyAborted, BodyTooLarge } from "../http/message.ts";
import { badRequest, StatusError } from "../meta/status-error.ts";
import type { TargetedRequest } from "./request.ts";

export async function readBody(
  request: Pick<TargetedRequest, "readBody"> & Partial<Pick<TargetedRequest, "goOn" | "notes">>,
  limitBytes: number,
): Promise<Uint8Array> {
  try {
    const bytes = await request.readBody(limitBytes);
    request.goOn?.();
    if (request.notes !== undefined) request.notes.bodyBytes = bytes.length;
    return bytes;
  } catch (error) {
    if (error instanceof BodyTooLarge) throw bodyTooLarge(error.limitBytes);
    if (error instanceof BodyAborted) throw badRequest(`the body could not be read: ${error.message}`);
    throw error;
  }
}

export function bodyTooLarge(limitBytes: number): StatusError {
  return new StatusError(413, "RequestEntityTooLarge", `Request entity too large: limit is ${limitBytes}`);
}
