// The schema of the AuthorizationConfiguration file. Requirements: document 2, "AuthorizationConfiguration file".

import { opt, ptr, s } from "../../schema/builder.ts";

export const authorizationConfigurationSchema = s.struct("apiserver.config.v1.AuthorizationConfiguration", () => ({
  apiVersion: s.string(1),
  kind: s.string(2),
  authorizers: s.list(authorizer, 3),
}));

const authorizer = s.struct("apiserver.config.v1.AuthorizerConfiguration", () => ({
  type: s.string(1),
  name: s.string(2),
  webhook: ptr.of(webhook, 3),
}));

const webhook = s.struct("apiserver.config.v1.WebhookConfiguration", () => ({
  authorizedTTL: opt.string(1),
  cacheAuthorizedRequests: ptr.boolean(2),
  unauthorizedTTL: opt.string(3),
  cacheUnauthorizedRequests: ptr.boolean(4),
  timeout: opt.string(5),
  subjectAccessReviewVersion: opt.string(6),
  matchConditionSubjectAccessReviewVersion: opt.string(7),
  failurePolicy: opt.string(8),
  connectionInfo: opt.of(connectionInfo, 9),
  matchConditions: opt.list(matchCondition, 10),
}));

const connectionInfo = s.struct("apiserver.config.v1.WebhookConnectionInfo", () => ({
  type: opt.string(1),
  kubeConfigFile: ptr.string(2),
}));

const matchCondition = s.struct("apiserver.config.v1.WebhookMatchCondition", () => ({
  expression: opt.string(1),
}));
