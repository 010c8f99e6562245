// What expressions never have a say in: what configures admission, and questions whose answers a cluster lives on.

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
