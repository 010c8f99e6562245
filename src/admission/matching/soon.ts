// What admission does about one request: at once while that is short, in turns with all others from there on.

import { atOnceWhileShort, type Steps } from "../../base/steps.ts";
import { turnIsOver } from "../../base/work-turns.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { turnOf } from "../../registry/write.ts";

/** To be awaited between two of very many parts of a request's work. */
export function turnIfOver({ caller }: Pick<AdmissionRequest, "caller">): undefined | Promise<void> {
  return turnIsOver() ? turnOf(caller) : undefined;
}

export function soon<T>(steps: Steps<T>, { caller }: Pick<AdmissionRequest, "caller">): T | Promise<T> {
  return atOnceWhileShort(steps, () => turnOf(caller));
}
