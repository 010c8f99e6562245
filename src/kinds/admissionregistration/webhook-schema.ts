// How webhooks are called, and for which requests.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type WebhookClientConfig = ObjectOf<typeof webhookClientConfig>;

export const webhookClientConfig = s.struct(
  "admissionregistration.v1.WebhookClientConfig",
  { doc: "Where a webhook is, and how it is trusted: exactly one of url and service is set." },
  () => ({
    url: s.string({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Address as https://host:port/path, without user, query or fragment. For webhooks outside the cluster.",
    }),
    service: s.of(serviceReference, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Service of the webhook. For webhooks that run in the cluster.",
    }),
    caBundle: s.bytes({
      proto: 2,
      optional: true,
      doc: "PEM certificates, in base64, that the webhook is verified with; when not set, the roots of the system.",
    }),
  }),
);

export type ServiceReference = ObjectOf<typeof serviceReference>;

export const serviceReference = s.struct(
  "admissionregistration.v1.ServiceReference",
  { doc: "The service of a webhook." },
  () => ({
    namespace: s.string({ proto: 1, doc: "Namespace of the service." }),
    name: s.string({ proto: 2, doc: "Name of the service." }),
    path: s.string({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Path that is asked on the service; by default /.",
    }),
    port: s.int32({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "Port of the service, from 1 to 65535; by default 443.",
    }),
  }),
);

export type RuleWithOperations = ObjectOf<typeof ruleWithOperations>;

export const ruleWithOperations = s.struct(
  "admissionregistration.v1.RuleWithOperations",
  { doc: "Operations on resources." },
  () => ({
    operations: s.list(s.enumValue(["*", "CONNECT", "CREATE", "DELETE", "UPDATE"]), {
      alias: "v1.OperationType",
      proto: 1,
      optional: true,
      listType: "atomic",
      doc: "CREATE, UPDATE, DELETE, CONNECT, or * alone for all.",
    }),
    rule: s.inline(rule, { proto: 2, protoName: "rule" }),
  }),
);

export type Rule = ObjectOf<typeof rule>;

export const rule = s.struct(
  "admissionregistration.v1.Rule",
  { doc: "Resources by group, version, name and scope; all must match." },
  () => ({
    apiGroups: s.list("string", {
      proto: 1,
      optional: true,
      listType: "atomic",
      doc: "API groups, with an empty text for the core group; or * alone for all.",
    }),
    apiVersions: s.list("string", {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "API versions, such as v1; or * alone for all.",
    }),
    resources: s.list("string", {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "Resources in plural: pods, pods/status, pods/* or */scale; * takes all without subresources, */* truly all.",
    }),
    scope: s.string({
      alias: "v1.ScopeType",
      proto: 4,
      optional: true,
      pointer: true,
      doc: "Cluster takes only resources without namespaces, Namespaced only those with; * (the default) takes both.",
    }),
  }),
);

export type MatchCondition = ObjectOf<typeof matchCondition>;

export const matchCondition = s.struct(
  "admissionregistration.v1.MatchCondition",
  { doc: "A condition in CEL on which requests are considered." },
  () => ({
    name: s.string({
      proto: 1,
      doc: "Name of the condition, a label key that is unique in its list; appears in messages and metrics.",
    }),
    expression: s.string({
      proto: 2,
      doc: "Gives true when the request is to be considered. It sees object, oldObject, request and authorizer, in policies also params.",
    }),
  }),
);
