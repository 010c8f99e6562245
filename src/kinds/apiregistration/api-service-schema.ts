// The schema of APIService.

import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
import { observationMembers } from "../meta/condition.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type APIService = ObjectOf<typeof apiServiceSchema>;

export const apiServiceSchema = objectSchema(
  "apiregistration.v1.APIService",
  "Says which server serves a group and version of the API.",
  () => ({
    spec: opt.of(apiServiceSpec, 2, "The group and version, and the server behind them."),
    status: opt.of(apiServiceStatus, 3, "Whether the server behind can be reached."),
  }),
);

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

export type APIServiceCondition = ObjectOf<typeof apiServiceCondition>;

const apiServiceCondition = s.struct(
  "apiregistration.v1.APIServiceCondition",
  "One observation about the server behind.",
  () => observationMembers("APIServiceConditionType", "What is observed; Available is the one in use."),
);
