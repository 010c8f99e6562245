// The schema of APIService.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type APIService = ObjectOf<typeof apiServiceSchema>;

export const apiServiceSchema = objectSchema(
  "apiregistration.v1.APIService",
  { doc: "Says which server serves a group and version of the API." },
  () => ({
    spec: s.of(apiServiceSpec, { proto: 2, optional: true, doc: "The group and version, and the server behind them." }),
    status: s.of(apiServiceStatus, { proto: 3, optional: true, doc: "Whether the server behind can be reached." }),
  }),
);

export type APIServiceSpec = ObjectOf<typeof apiServiceSpec>;

export const apiServiceSpec = s.struct(
  "apiregistration.v1.APIServiceSpec",
  { doc: "A group and version of the API, and the server that answers for it." },
  () => ({
    service: s.of(serviceReference, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Service that requests are passed on to. When not set, this server answers itself.",
    }),
    group: s.string({ proto: 2, optional: true, doc: "API group that is served; empty only for the core group." }),
    version: s.string({ proto: 3, optional: true, doc: "Version of the group that is served, such as v1." }),
    insecureSkipTLSVerify: s.boolean({
      proto: 4,
      optional: true,
      doc: "Accepts any certificate of the server behind. Unsafe, and excludes caBundle.",
    }),
    caBundle: s.bytes({
      proto: 5,
      optional: true,
      doc: "PEM certificates, in base64, that the server behind is verified with; when not set, the roots of the system.",
    }),
    groupPriorityMinimum: s.int32({
      proto: 7,
      doc: "Order of the group in discovery, from 1 to 20000: greater comes first; the greatest of its versions counts.",
    }),
    versionPriority: s.int32({
      proto: 8,
      doc: "Order of the version in its group, from 1 to 1000: greater comes first; equal ones by maturity, then number.",
    }),
  }),
);

export type ServiceReference = ObjectOf<typeof serviceReference>;

export const serviceReference = s.struct(
  "apiregistration.v1.ServiceReference",
  { doc: "The service of an API server." },
  () => ({
    namespace: s.string({ proto: 1, optional: true, doc: "Namespace of the service." }),
    name: s.string({ proto: 2, optional: true, doc: "Name of the service." }),
    port: s.int32({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Port of the service, from 1 to 65535; by default 443.",
    }),
  }),
);

export type APIServiceStatus = ObjectOf<typeof apiServiceStatus>;

export const apiServiceStatus = s.struct(
  "apiregistration.v1.APIServiceStatus",
  { doc: "What is known of the server behind." },
  () => ({
    conditions: s.list(apiServiceCondition, {
      proto: 1,
      optional: true,
      listType: "map",
      mapKeys: ["type"],
      patchStrategy: ["merge"],
      patchMergeKey: "type",
      doc: "Available says whether requests can be passed on.",
    }),
  }),
);

export type APIServiceCondition = ObjectOf<typeof apiServiceCondition>;

export const apiServiceCondition = s.struct(
  "apiregistration.v1.APIServiceCondition",
  { doc: "One observation about the server behind." },
  () => ({
    type: s.string({
      alias: "APIServiceConditionType",
      proto: 1,
      doc: "What is observed; Available is the one in use.",
    }),
    status: s.string({ alias: "ConditionStatus", proto: 2, doc: "True, False or Unknown." }),
    lastTransitionTime: s.time({ proto: 3, required: false, doc: "When the status last became another one." }),
    reason: s.string({
      proto: 4,
      optional: true,
      doc: "Why the status is what it is, as one CamelCase word for programs.",
    }),
    message: s.string({ proto: 5, optional: true, doc: "What was observed, for people." }),
  }),
);
