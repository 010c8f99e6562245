// The body of a write, bounded. Requirements: document 1, "Errors": 413.

import { BodyAborted, BodyTooLarge, type ReceivedRequest } from "../http/message.ts";
import { badRequest, StatusError } from "../meta/status-error.ts";

export async function readBody(request: ReceivedRequest, limitBytes: number): Promise<Uint8Array> {
  try {
    return await request.readBody(limitBytes);
  } catch (error) {
    if (error instanceof BodyTooLarge) {
      throw new StatusError(413, "RequestEntityTooLarge", `Request entity too large: ${error.message}`);
    }
    if (error instanceof BodyAborted) throw badRequest(`the body could not be read: ${error.message}`);
    throw error;
  }
}
