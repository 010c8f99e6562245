// How webhooks are called, and for which requests.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type WebhookClientConfig = ObjectOf<typeof webhookClientConfig>;

export const webhookClientConfig = s.struct("admissionregistration.v1.WebhookClientConfig", () => ({
  url: s.string({ proto: 3, optional: true, pointer: true }),
  service: s.of(serviceReference, { proto: 1, optional: true, pointer: true }),
  caBundle: s.bytes({ proto: 2, optional: true }),
}));

export type ServiceReference = ObjectOf<typeof serviceReference>;

export const serviceReference = s.struct("admissionregistration.v1.ServiceReference", () => ({
  namespace: s.string({ proto: 1 }),
  name: s.string({ proto: 2 }),
  path: s.string({ proto: 3, optional: true, pointer: true }),
  port: s.int32({ proto: 4, optional: true, pointer: true }),
}));

export type RuleWithOperations = ObjectOf<typeof ruleWithOperations>;

export const ruleWithOperations = s.struct("admissionregistration.v1.RuleWithOperations", () => ({
  operations: s.list(s.enumValue(["*", "CONNECT", "CREATE", "DELETE", "UPDATE"]), {
    proto: 1,
    optional: true,
    listType: "atomic",
  }),
  rule: s.inline(rule, { proto: 2, protoName: "rule" }),
}));

export type Rule = ObjectOf<typeof rule>;

export const rule = s.struct("admissionregistration.v1.Rule", () => ({
  apiGroups: s.list("string", { proto: 1, optional: true, listType: "atomic" }),
  apiVersions: s.list("string", { proto: 2, optional: true, listType: "atomic" }),
  resources: s.list("string", { proto: 3, optional: true, listType: "atomic" }),
  scope: s.string({ proto: 4, optional: true, pointer: true }),
}));

export type MatchCondition = ObjectOf<typeof matchCondition>;

export const matchCondition = s.struct("admissionregistration.v1.MatchCondition", () => ({
  name: s.string({ proto: 1 }),
  expression: s.string({ proto: 2 }),
}));
