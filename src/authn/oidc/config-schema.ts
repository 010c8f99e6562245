// The schema of the AuthenticationConfiguration file. Requirements: document 2, "Authentication configuration file".

import { type ObjectOf, s } from "../../schema/builder.ts";

export type AuthenticationConfiguration = ObjectOf<typeof authenticationConfigurationSchema>;
export type JwtEntry = ObjectOf<typeof jwtAuthenticator>;
export type AnonymousEntry = ObjectOf<typeof anonymousAuth>;

export const authenticationConfigurationSchema = s.struct("apiserver.config.v1.AuthenticationConfiguration", () => ({
  apiVersion: s.string({ proto: 1 }),
  kind: s.string({ proto: 2 }),
  jwt: s.list(jwtAuthenticator, { proto: 3 }),
  anonymous: s.of(anonymousAuth, { proto: 4, optional: true, pointer: true }),
}));

const anonymousAuth = s.struct("apiserver.config.v1.AnonymousAuthConfig", () => ({
  enabled: s.boolean({ proto: 1 }),
  conditions: s.list(anonymousCondition, { proto: 2, optional: true }),
}));

const anonymousCondition = s.struct("apiserver.config.v1.AnonymousAuthCondition", () => ({
  path: s.string({ proto: 1 }),
}));

const jwtAuthenticator = s.struct("apiserver.config.v1.JWTAuthenticator", () => ({
  issuer: s.of(issuer, { proto: 1 }),
  claimValidationRules: s.list(claimValidationRule, { proto: 2, optional: true }),
  claimMappings: s.of(claimMappings, { proto: 3 }),
  userValidationRules: s.list(userValidationRule, { proto: 4, optional: true }),
}));

const issuer = s.struct("apiserver.config.v1.Issuer", () => ({
  url: s.string({ proto: 1 }),
  discoveryURL: s.string({ proto: 2, optional: true }),
  certificateAuthority: s.string({ proto: 3, optional: true }),
  audiences: s.list("string", { proto: 4 }),
  audienceMatchPolicy: s.string({ proto: 5, optional: true }),
  egressSelectorType: s.string({ proto: 6, optional: true }),
}));

const claimValidationRule = s.struct("apiserver.config.v1.ClaimValidationRule", () => ({
  claim: s.string({ proto: 1, optional: true }),
  requiredValue: s.string({ proto: 2, optional: true }),
  expression: s.string({ proto: 3, optional: true }),
  message: s.string({ proto: 4, optional: true }),
}));

const claimMappings = s.struct("apiserver.config.v1.ClaimMappings", () => ({
  username: s.of(prefixedClaimOrExpression, { proto: 1 }),
  groups: s.of(prefixedClaimOrExpression, { proto: 2, optional: true }),
  uid: s.of(claimOrExpression, { proto: 3, optional: true }),
  extra: s.list(extraMapping, { proto: 4, optional: true }),
}));

const prefixedClaimOrExpression = s.struct("apiserver.config.v1.PrefixedClaimOrExpression", () => ({
  claim: s.string({ proto: 1, optional: true }),
  prefix: s.string({ proto: 2, optional: true, pointer: true }),
  expression: s.string({ proto: 3, optional: true }),
}));

const claimOrExpression = s.struct("apiserver.config.v1.ClaimOrExpression", () => ({
  claim: s.string({ proto: 1, optional: true }),
  expression: s.string({ proto: 2, optional: true }),
}));

const extraMapping = s.struct("apiserver.config.v1.ExtraMapping", () => ({
  key: s.string({ proto: 1 }),
  valueExpression: s.string({ proto: 2 }),
}));

const userValidationRule = s.struct("apiserver.config.v1.UserValidationRule", () => ({
  expression: s.string({ proto: 1 }),
  message: s.string({ proto: 2, optional: true }),
}));
