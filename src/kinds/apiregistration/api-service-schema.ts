// The schema of APIService.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type APIService = ObjectOf<typeof apiServiceSchema>;

export const apiServiceSchema = objectSchema(
  "apiregistration.v1.APIService",
  { doc: "Says which server serves a group and version of the API." },
  () => ({
    spec: s.of(apiServiceSpec, { proto: 2, optional: true }),
    status: s.of(apiServiceStatus, { proto: 3, optional: true }),
  }),
);

export type APIServiceSpec = ObjectOf<typeof apiServiceSpec>;

export const apiServiceSpec = s.struct("apiregistration.v1.APIServiceSpec", () => ({
  service: s.of(serviceReference, { proto: 1, optional: true, pointer: true }),
  group: s.string({ proto: 2, optional: true }),
  version: s.string({ proto: 3, optional: true }),
  insecureSkipTLSVerify: s.boolean({ proto: 4, optional: true }),
  caBundle: s.bytes({ proto: 5, optional: true }),
  groupPriorityMinimum: s.int32({ proto: 7 }),
  versionPriority: s.int32({ proto: 8 }),
}));

export type ServiceReference = ObjectOf<typeof serviceReference>;

export const serviceReference = s.struct("apiregistration.v1.ServiceReference", () => ({
  namespace: s.string({ proto: 1, optional: true }),
  name: s.string({ proto: 2, optional: true }),
  port: s.int32({ proto: 3, optional: true, pointer: true }),
}));

export type APIServiceStatus = ObjectOf<typeof apiServiceStatus>;

export const apiServiceStatus = s.struct("apiregistration.v1.APIServiceStatus", () => ({
  conditions: s.list(apiServiceCondition, {
    proto: 1,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
    patchStrategy: ["merge"],
    patchMergeKey: "type",
  }),
}));

export type APIServiceCondition = ObjectOf<typeof apiServiceCondition>;

export const apiServiceCondition = s.struct("apiregistration.v1.APIServiceCondition", () => ({
  type: s.string({ alias: "APIServiceConditionType", proto: 1 }),
  status: s.string({ alias: "ConditionStatus", proto: 2 }),
  lastTransitionTime: s.time({ proto: 3, required: false }),
  reason: s.string({ proto: 4, optional: true }),
  message: s.string({ proto: 5, optional: true }),
}));
