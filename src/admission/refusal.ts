// How admission says no: 403 that names the object as well as it is known by then.

import type { ApiObject } from "../meta/object.ts";
import { forbidden, type StatusError } from "../meta/status-error.ts";
import type { AdmissionRequest } from "../registry/admission.ts";

export function refusal(request: AdmissionRequest, why: string): StatusError {
  const { group, resource } = request.resource;
  return forbidden({ group, resource }, nameOf(request), why);
}

/** Several reasons as one text, each said once: `a`, `[a, b]`. */
export function aggregate(reasons: readonly string[]): string {
  const unique = [...new Set(reasons)];
  return unique.length === 1 ? unique[0]! : `[${unique.join(", ")}]`;
}

function nameOf({ name, object }: AdmissionRequest): string {
  if (name !== "") return name;
  const { metadata } = (object ?? {}) as Partial<ApiObject>;
  // A generated name is not known yet.
  return metadata?.name || metadata?.generateName || "Unknown";
}
