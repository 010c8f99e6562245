// APIService: says which server serves a group and version of the API.

import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { dns1035LabelProblems, dns1123SubdomainProblems, portNumberProblems } from "../../meta/name-formats.ts";
import { STORAGE_PREFIXES } from "../../meta/names.ts";
import { timeOfMs } from "../../meta/time.ts";
import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind } from "../define-kind.ts";
import { observationMembers } from "../meta/condition.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { differentNames } from "../meta/value-checks.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";

export type APIService = ObjectOf<typeof apiServiceSchema>;

const apiServiceSchema = objectSchema(
  "apiregistration.v1.APIService",
  "Says which server serves a group and version of the API.",
  () => ({
    spec: opt.of(apiServiceSpec, 2, "The group and version, and the server behind them."),
    status: opt.of(apiServiceStatus, 3, "Whether the server behind can be reached."),
  }),
);

export const apiService = defineKind({
  group: "apiregistration",
  version: "v1",
  kind: "APIService",
  resource: "apiservices",
  scope: "Cluster",
  categories: ["api-extensions"],
  schema: apiServiceSchema,
  storagePrefix: STORAGE_PREFIXES.apiServices,
  name: "pathSegment",
  freeFinalizers: true,
  columns: [
    NAME_COLUMN,
    {
      name: "Service",
      type: "string",
      cell: ({ spec: { service } }) => (service ? `${service.namespace ?? ""}/${service.name ?? ""}` : "Local"),
    },
    { name: "Available", type: "string", cell: availableCell },
    AGE_COLUMN,
  ],
  subresources: {
    status: {
      ...statusSubresource<APIService>({ keepMetadata: true, resetFields: [["metadata"], ["spec"]] }),
      validateUpdate: validateApiServiceStatus,
    },
  },
  hooks: {
    default({ spec }) {
      if (spec.service) spec.service.port ??= 443;
    },
    prepareForCreate(apiService, { nowMs }) {
      apiService.status = {};
      if (!apiService.spec.service) apiService.status.conditions = [localCondition(nowMs)];
    },
    prepareForUpdate: keepStatus,
    validate: validateApiService,
    validateUpdate: validateApiService,
  },
});

function localCondition(nowMs: number): APIServiceCondition {
  return {
    type: "Available",
    status: "True",
    lastTransitionTime: timeOfMs(nowMs),
    reason: "Local",
    message: "Local APIServices are always available",
  };
}

function availableCell({ status }: APIService): string {
  const available = (status.conditions ?? []).find((condition) => condition.type === "Available");
  if (available === undefined) return "Unknown";
  return available.status === "True" || !available.reason
    ? available.status
    : `${available.status} (${available.reason})`;
}

const apiServiceSpec = s.struct(
  "apiregistration.v1.APIServiceSpec",
  "A group and version of the API, and the server that answers for it.",
  () => ({
    service: ptr.of(
      serviceReference,
      1,
      "Service that requests are passed on to. When not set, this server answers itself.",
    ),
    group: opt.string(2, "API group that is served; empty only for the core group."),
    version: opt.string(3, "Version of the group that is served, such as v1."),
    insecureSkipTLSVerify: opt.boolean(
      4,
      "Accepts any certificate of the server behind. Unsafe, and excludes caBundle.",
    ),
    caBundle: opt.bytes(
      5,
      "PEM certificates, in base64, that the server behind is verified with; when not set, the roots of the system.",
      { publishedListType: "atomic" },
    ),
    groupPriorityMinimum: s.int32(
      7,
      "Order of the group in discovery, from 1 to 20000: greater comes first; the greatest of its versions counts.",
    ),
    versionPriority: s.int32(
      8,
      "Order of the version in its group, from 1 to 1000: greater comes first; equal ones by maturity, then number.",
    ),
  }),
);

const serviceReference = s.struct("apiregistration.v1.ServiceReference", "The service of an API server.", () => ({
  namespace: opt.string(1, "Namespace of the service."),
  name: opt.string(2, "Name of the service."),
  port: ptr.int32(3, "Port of the service, from 1 to 65535; by default 443."),
}));

const apiServiceStatus = s.struct("apiregistration.v1.APIServiceStatus", "What is known of the server behind.", () => ({
  conditions: opt.listBy("type", apiServiceCondition, 1, "Available says whether requests can be passed on."),
}));

type APIServiceCondition = ObjectOf<typeof apiServiceCondition>;

const apiServiceCondition = s.struct(
  "apiregistration.v1.APIServiceCondition",
  "One observation about the server behind.",
  () => observationMembers("APIServiceConditionType", "What is observed; Available is the one in use."),
);

const MAX_GROUP_PRIORITY = 20_000;
const MAX_VERSION_PRIORITY = 1000;
const CONDITION_STATUSES = ["True", "False", "Unknown"];

function validateApiService({ metadata, spec }: APIService): FieldError[] {
  const { group = "", version = "", service, caBundle, insecureSkipTLSVerify } = spec;
  const name = `${version}.${group}`;
  const errors = differentNames(metadata, name, `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(name)}`);
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
      errors.push(
        invalid(
          "spec.caBundle",
          `${Buffer.byteLength(caBundle, "base64")} bytes`,
          "local APIServices may not have a caBundle",
        ),
      );
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

function validateApiServiceStatus({ status }: APIService): FieldError[] {
  return (status?.conditions ?? []).flatMap((condition, index) =>
    CONDITION_STATUSES.includes(condition.status)
      ? []
      : [notSupported(`status.conditions[${index}].status`, condition.status, CONDITION_STATUSES)],
  );
}

const isWithin = (value: number, most: number): boolean => value > 0 && value <= most;
