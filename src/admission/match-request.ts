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

type Place = Pick<AdmissionRequest, "resource" | "namespace" | "name">;

export const isAboutNamespace = ({ resource }: Pick<Place, "resource">): boolean =>
  resource.group === "" && resource.resource === "namespaces";

/** The namespace as webhooks and expressions are told it: a Namespace is in itself. */
export const toldNamespace = (request: Place): string => (isAboutNamespace(request) ? request.name : request.namespace);

export const concernsPod = (request: AdmissionRequest): boolean => concerns(request, "", "pods");
