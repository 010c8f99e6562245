// Requests that no policy is asked about: changes of admission itself, and the reviews by which other components authenticate
// and authorize. A wrong policy could otherwise not be corrected by anybody.

import type { Names } from "../../meta/names.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { isAdmissionConfiguration } from "../matching/matcher.ts";

const REVIEWS = [
  ["authentication", new Set(["tokenreviews", "selfsubjectreviews"])],
  [
    "authorization",
    new Set([
      "subjectaccessreviews",
      "localsubjectaccessreviews",
      "selfsubjectaccessreviews",
      "selfsubjectrulesreviews",
    ]),
  ],
] as const;

export function isExcluded(names: Names, request: AdmissionRequest): boolean {
  const { group, resource } = request.resource;
  return (
    isAdmissionConfiguration(names, request) ||
    REVIEWS.some(([word, resources]) => resources.has(resource) && group === names.group(word))
  );
}
