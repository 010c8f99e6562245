// What is said of a failure in events and conditions, and when nothing is.

import { isApiError } from "../../client/api-error.ts";

/** What the server said, without the request. */
export function errorWords(error: unknown): string {
  if (isApiError(error)) return error.status.message ?? error.message;
  return error instanceof Error ? error.message : String(error);
}

/** Nothing can be created in a namespace that ends, and nobody wonders why. */
export function isEndingNamespace(error: unknown): boolean {
  return isApiError(error) && error.causes.some(({ reason }) => reason === "NamespaceTerminating");
}
