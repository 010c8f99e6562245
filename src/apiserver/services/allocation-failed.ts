// Nothing was free: what was looked for, and whether it is worth to look again.

import { internalError, type StatusError } from "../../meta/status-error.ts";
import { RangeFull } from "./reservation.ts";

export class AllocationFailed extends Error {
  readonly contended: boolean;
  readonly status: StatusError;

  constructor(what: string, full: RangeFull) {
    super(`failed to allocate ${what}: ${full.message}`);
    this.contended = full.contended;
    this.status = internalError(this.message);
  }
}

/** The value, or an AllocationFailed that says what it was to be. */
export async function explained<T>(value: Promise<T>, what: string): Promise<T> {
  try {
    return await value;
  } catch (error) {
    throw error instanceof RangeFull ? new AllocationFailed(what, error) : error;
  }
}
