// How webhooks are called, and for which requests.

import { qualifiedNameProblems } from "../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
import { FILLED, LISTED } from "../../schema/check-fields.ts";
import { starAlone } from "../meta/value-checks.ts";

export type WebhookClientConfig = ObjectOf<typeof webhookClientConfig>;

export const webhookClientConfig = s.struct(
  "admissionregistration.v1.WebhookClientConfig",
  "Where a webhook is, and how it is trusted: exactly one of url and service is set.",
  () => ({
    url: ptr.string(
      3,
      "Address as https://host:port/path, without user, query or fragment. For webhooks outside the cluster.",
    ),
    service: ptr.of(serviceReference, 1, "Service of the webhook. For webhooks that run in the cluster."),
    caBundle: opt.bytes(
      2,
      "PEM certificates, in base64, that the webhook is verified with; when not set, the roots of the system.",
    ),
  }),
);

const serviceReference = s.struct("admissionregistration.v1.ServiceReference", "The service of a webhook.", () => ({
  namespace: s.string(1, "Namespace of the service."),
  name: s.string(2, "Name of the service."),
  path: ptr.string(3, "Path that is asked on the service; by default /."),
  port: ptr.int32(4, "Port of the service, from 1 to 65535; by default 443."),
}));

export type RuleWithOperations = ObjectOf<typeof ruleWithOperations>;

export const ruleWithOperations = s.struct(
  "admissionregistration.v1.RuleWithOperations",
  "Operations on resources.",
  () => ({
    operations: opt.atomic(
      s.enumValue(["*", "CONNECT", "CREATE", "DELETE", "UPDATE"]),
      1,
      "CREATE, UPDATE, DELETE, CONNECT, or * alone for all.",
      { alias: "v1.OperationType", must: { filled: true, whole: starAlone("operations"), each: LISTED } },
    ),
    rule: s.inline(rule, 2),
  }),
);

const rule = s.struct(
  "admissionregistration.v1.Rule",
  "Resources by group, version, name and scope; all must match.",
  () => ({
    apiGroups: opt.atomic("string", 1, "API groups, with an empty text for the core group; or * alone for all.", {
      must: { filled: true, whole: starAlone("API groups") },
    }),
    apiVersions: opt.atomic("string", 2, "API versions, such as v1; or * alone for all.", {
      must: { filled: true, whole: starAlone("API versions"), each: FILLED },
    }),
    resources: opt.atomic(
      "string",
      3,
      "Resources in plural: pods, pods/status, pods/* or */scale; * takes all without subresources, */* truly all.",
    ),
    scope: ptr.named(
      "v1.ScopeType",
      4,
      "Cluster takes only resources without namespaces, Namespaced only those with; * (the default) takes both.",
      { must: { listed: ["*", "Cluster", "Namespaced"] } },
    ),
  }),
);

export type MatchCondition = ObjectOf<typeof matchCondition>;

export const matchCondition = s.struct(
  "admissionregistration.v1.MatchCondition",
  "A condition in CEL on which requests are considered.",
  () => ({
    name: s.string(
      1,
      "Name of the condition, a label key that is unique in its list; appears in messages and metrics.",
      { must: { filled: true, form: qualifiedNameProblems } },
    ),
    expression: s.string(
      2,
      "Gives true when the request is to be considered. It sees object, oldObject, request and authorizer, in policies also params.",
    ),
  }),
);
