// The schema of the AuthorizationConfiguration file. Requirements: document 2, "AuthorizationConfiguration file".

import { s } from "../../schema/builder.ts";

export const authorizationConfigurationSchema = s.struct("apiserver.config.v1.AuthorizationConfiguration", () => ({
  apiVersion: s.string({ proto: 1 }),
  kind: s.string({ proto: 2 }),
  authorizers: s.list(authorizer, { proto: 3 }),
}));

const authorizer = s.struct("apiserver.config.v1.AuthorizerConfiguration", () => ({
  type: s.string({ proto: 1 }),
  name: s.string({ proto: 2 }),
  webhook: s.of(webhook, { proto: 3, optional: true, pointer: true }),
}));

const webhook = s.struct("apiserver.config.v1.WebhookConfiguration", () => ({
  authorizedTTL: s.string({ proto: 1, optional: true }),
  cacheAuthorizedRequests: s.boolean({ proto: 2, optional: true, pointer: true }),
  unauthorizedTTL: s.string({ proto: 3, optional: true }),
  cacheUnauthorizedRequests: s.boolean({ proto: 4, optional: true, pointer: true }),
  timeout: s.string({ proto: 5, optional: true }),
  subjectAccessReviewVersion: s.string({ proto: 6, optional: true }),
  matchConditionSubjectAccessReviewVersion: s.string({ proto: 7, optional: true }),
  failurePolicy: s.string({ proto: 8, optional: true }),
  connectionInfo: s.of(connectionInfo, { proto: 9, optional: true }),
  matchConditions: s.list(matchCondition, { proto: 10, optional: true }),
}));

const connectionInfo = s.struct("apiserver.config.v1.WebhookConnectionInfo", () => ({
  type: s.string({ proto: 1, optional: true }),
  kubeConfigFile: s.string({ proto: 2, optional: true, pointer: true }),
}));

const matchCondition = s.struct("apiserver.config.v1.WebhookMatchCondition", () => ({
  expression: s.string({ proto: 1, optional: true }),
}));
