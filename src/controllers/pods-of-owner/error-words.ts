// What is said of a failure in events and conditions.

import { isApiError } from "../../client/api-error.ts";

/** What the server said, without the request. */
export function errorWords(error: unknown): string {
  if (isApiError(error)) return error.status.message ?? error.message;
  return error instanceof Error ? error.message : String(error);
}
