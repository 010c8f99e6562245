// The paths and backends of an Ingress. Requirements: document 3, "Ingress": HTTPIngressPath, IngressBackend.

import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import {
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  pathSegmentProblems,
  portNameProblems,
  portNumberProblems,
} from "../../meta/name-formats.ts";
import type { HookContext } from "../define-kind.ts";
import type { HTTPIngressPath, IngressBackend, IngressServiceBackend } from "./ingress-schema.ts";

const PATH_TYPES = ["Exact", "ImplementationSpecific", "Prefix"];
const FORBIDDEN_PARTS = ["//", "/./", "/../", "%2f", "%2F"];
const FORBIDDEN_ENDS = ["/..", "/."];

export function validateIngressPath(path: HTTPIngressPath, field: string, context: HookContext): FieldError[] {
  // Without a type nothing else is judged.
  if (path.pathType === undefined || path.pathType === null)
    return [required(`${field}.pathType`, "pathType must be specified")];
  return [...validatePath(path, field), ...validateIngressBackend(path.backend, `${field}.backend`, context)];
}

function validatePath({ path = "", pathType }: HTTPIngressPath, field: string): FieldError[] {
  const at = `${field}.path`;
  const notAbsolute = invalid(at, path, "must be an absolute path");
  switch (pathType) {
    case "Exact":
    case "Prefix":
      return [
        ...(path.startsWith("/") ? [] : [notAbsolute]),
        ...FORBIDDEN_PARTS.filter((part) => path.includes(part)).map((part) =>
          invalid(at, path, `must not contain '${part}'`),
        ),
        ...FORBIDDEN_ENDS.filter((end) => path.endsWith(end)).map((end) =>
          invalid(at, path, `cannot end with '${end}'`),
        ),
      ];
    case "ImplementationSpecific":
      return path === "" || path.startsWith("/") ? [] : [notAbsolute];
    default:
      return [notSupported(`${field}.pathType`, pathType, PATH_TYPES)];
  }
}

export function validateIngressBackend(backend: IngressBackend, field: string, context: HookContext): FieldError[] {
  const { service, resource } = backend;
  if (resource && service) return [invalid(field, "", "cannot set both resource and service backends")];
  if (resource) return validateReference(resource, `${field}.resource`);
  if (service) return validateServiceBackend(service, field, context);
  return [invalid(field, "", "resource or service backend is required")];
}

function validateServiceBackend(
  { name, port }: IngressServiceBackend,
  field: string,
  context: HookContext,
): FieldError[] {
  const errors: FieldError[] = [];
  const relaxed = context.gateEnabled("RelaxedServiceNameValidation");
  if (name === "") errors.push(required(`${field}.service.name`));
  else {
    for (const problem of relaxed ? dns1123LabelProblems(name) : dns1035LabelProblems(name)) {
      errors.push(invalid(`${field}.service.name`, name, problem));
    }
  }
  const portName = port.name ?? "";
  const number = port.number ?? 0;
  if (portName !== "" && number !== 0) {
    errors.push(invalid(field, "", "cannot set both port name & port number"));
  } else if (portName !== "") {
    for (const problem of portNameProblems(portName)) {
      errors.push(invalid(`${field}.service.port.name`, portName, problem));
    }
  } else if (number !== 0) {
    for (const problem of portNumberProblems(number)) {
      errors.push(invalid(`${field}.service.port.number`, number, problem));
    }
  } else errors.push(required(field, "port name or number is required"));
  return errors;
}

interface Reference {
  readonly apiGroup?: string | null;
  readonly kind: string;
  readonly name: string;
}

/** A reference by group, kind and name, as Ingress and IngressClass have it. */
export function validateReference({ apiGroup, kind, name }: Reference, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const problem of apiGroup === undefined || apiGroup === null ? [] : dns1123SubdomainProblems(apiGroup)) {
    errors.push(invalid(`${field}.apiGroup`, apiGroup, problem));
  }
  if (kind === "") errors.push(required(`${field}.kind`));
  else for (const problem of pathSegmentProblems(kind)) errors.push(invalid(`${field}.kind`, kind, problem));
  if (name === "") errors.push(required(`${field}.name`));
  else for (const problem of pathSegmentProblems(name)) errors.push(invalid(`${field}.name`, name, problem));
  return errors;
}
