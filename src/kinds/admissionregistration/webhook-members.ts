// What mutating and validating webhooks have in common. In protobuf they differ in one number.

import { s } from "../../schema/builder.ts";
import { labelSelector } from "../meta/label-selector.ts";
import { ruleWithOperations, webhookClientConfig } from "./webhook-schema.ts";

export const webhookMembers = (objectSelectorProto: number) => ({
  name: s.string({
    proto: 1,
    doc: "Full name of the webhook with at least three parts, such as images.policy.example.com; unique in the list.",
  }),
  clientConfig: s.of(webhookClientConfig, { proto: 2, doc: "Where the webhook is, and how it is trusted." }),
  rules: s.list(ruleWithOperations, {
    proto: 3,
    optional: true,
    listType: "atomic",
    doc: "Operations on resources that the webhook is called for; one must match. Without any it is never called.",
  }),
  failurePolicy: s.enumOf(["Fail", "Ignore"], {
    alias: "FailurePolicyType",
    proto: 4,
    optional: true,
    pointer: true,
    doc: "When the webhook cannot be reached or errs: Fail (the default) refuses the request, Ignore lets it pass.",
  }),
  matchPolicy: s.enumOf(["Equivalent", "Exact"], {
    alias: "MatchPolicyType",
    proto: 9,
    optional: true,
    pointer: true,
    doc: "Exact takes requests only as the rules name them, Equivalent (the default) also through other versions or groups.",
  }),
  namespaceSelector: s.of(labelSelector, {
    proto: 5,
    optional: true,
    pointer: true,
    doc: "Labels that the namespace of the object must have; objects without a namespace always match. Empty: all.",
  }),
  objectSelector: s.of(labelSelector, {
    proto: objectSelectorProto,
    optional: true,
    pointer: true,
    doc: "Labels that the object must have, before or after the change. Users can set labels: do not rely on it for security.",
  }),
  sideEffects: s.enumOf(["None", "NoneOnDryRun", "Some", "Unknown"], {
    alias: "SideEffectClass",
    proto: 6,
    pointer: true,
    doc: "None or NoneOnDryRun. Dry runs that match are refused for webhooks with other (older) values.",
  }),
  timeoutSeconds: s.int32({
    proto: 7,
    optional: true,
    pointer: true,
    doc: "How long to wait for an answer, 1 to 30 seconds, by default 10. After that failurePolicy decides.",
  }),
  admissionReviewVersions: s.list("string", {
    proto: 8,
    listType: "atomic",
    doc: "Versions of AdmissionReview that the webhook understands, best first; the first that the server knows is sent.",
  }),
});
