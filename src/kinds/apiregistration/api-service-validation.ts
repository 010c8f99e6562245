// Is an APIService well-formed? In upstream's words.

import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { dns1035LabelProblems, dns1123SubdomainProblems, portNumberProblems } from "../../meta/name-formats.ts";
import type { APIService } from "./api-service-schema.ts";

const MAX_GROUP_PRIORITY = 20_000;
const MAX_VERSION_PRIORITY = 1000;
const CONDITION_STATUSES = ["True", "False", "Unknown"];

export function validateApiService({ metadata, spec }: APIService): FieldError[] {
  const { group = "", version = "", service, caBundle, insecureSkipTLSVerify } = spec;
  const errors: FieldError[] = [];
  const name = `${version}.${group}`;
  if (metadata.name !== name)
    errors.push(
      invalid("metadata.name", metadata.name, `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(name)}`),
    );
  if (group === "" && version !== "v1")
    errors.push(required("spec.group", "only v1 may have an empty group and it better be legacy kube"));
  if (group !== "")
    for (const problem of dns1123SubdomainProblems(group)) errors.push(invalid("spec.group", group, problem));
  for (const problem of dns1035LabelProblems(version)) errors.push(invalid("spec.version", version, problem));
  if (!isWithin(spec.groupPriorityMinimum, MAX_GROUP_PRIORITY)) {
    errors.push(
      invalid("spec.groupPriorityMinimum", spec.groupPriorityMinimum, "must be positive and less than 20000"),
    );
  }
  if (!isWithin(spec.versionPriority, MAX_VERSION_PRIORITY))
    errors.push(invalid("spec.versionPriority", spec.versionPriority, "must be positive and less than 1000"));
  if (service == null) {
    if (caBundle)
      errors.push(invalid("spec.caBundle", `${caBundle.length} bytes`, "local APIServices may not have a caBundle"));
    if (insecureSkipTLSVerify) {
      errors.push(invalid("spec.insecureSkipTLSVerify", true, "local APIServices may not have insecureSkipTLSVerify"));
    }
    return errors;
  }
  if (!service.namespace) errors.push(required("spec.service.namespace"));
  if (!service.name) errors.push(required("spec.service.name"));
  const problems = portNumberProblems(service.port ?? 0);
  if (problems.length > 0)
    errors.push(invalid("spec.service.port", service.port, `port is not valid: ${problems.join(",")}`));
  if (insecureSkipTLSVerify && caBundle)
    errors.push(invalid("spec.insecureSkipTLSVerify", true, "may not be true if caBundle is present"));
  return errors;
}

export function validateApiServiceStatus({ status }: APIService): FieldError[] {
  return (status?.conditions ?? []).flatMap((condition, index) =>
    CONDITION_STATUSES.includes(condition.status)
      ? []
      : [notSupported(`status.conditions[${index}].status`, condition.status, CONDITION_STATUSES)],
  );
}

const isWithin = (value: number, most: number): boolean => value > 0 && value <= most;
