// What admission does about one request: at once while that is short, in turns with all others from there on.

import { atOnceWhileShort, type Steps } from "../../base/steps.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { turnOf } from "../../registry/write.ts";

export function soon<T>(steps: Steps<T>, { caller }: Pick<AdmissionRequest, "caller">): T | Promise<T> {
  return atOnceWhileShort(steps, () => turnOf(caller));
}
