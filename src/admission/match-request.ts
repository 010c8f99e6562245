// What a request is about, as plug-ins ask for it.

import type { AdmissionRequest } from "../registry/admission.ts";

/** The object itself, not a sub-resource of it. */
export function concerns(request: AdmissionRequest, group: string, resource: string): boolean {
  return concernsPart(request, group, resource, "");
}

export function concernsPart(request: AdmissionRequest, group: string, resource: string, subresource: string): boolean {
  const { resource: asked } = request;
  return asked.resource === resource && asked.group === group && request.subresource === subresource;
}

export const concernsPod = (request: AdmissionRequest): boolean => concerns(request, "", "pods");
