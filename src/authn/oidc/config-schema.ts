// The schema of the AuthenticationConfiguration file. Requirements: document 2, "Authentication configuration file".

import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";

export type AuthenticationConfiguration = ObjectOf<typeof authenticationConfigurationSchema>;
export type JwtEntry = ObjectOf<typeof jwtAuthenticator>;

export const authenticationConfigurationSchema = s.struct("apiserver.config.v1.AuthenticationConfiguration", () => ({
  apiVersion: s.string(1),
  kind: s.string(2),
  jwt: s.list(jwtAuthenticator, 3),
  anonymous: ptr.of(anonymousAuth, 4),
}));

const anonymousAuth = s.struct("apiserver.config.v1.AnonymousAuthConfig", () => ({
  enabled: s.boolean(1),
  conditions: opt.list(anonymousCondition, 2),
}));

const anonymousCondition = s.struct("apiserver.config.v1.AnonymousAuthCondition", () => ({
  path: s.string(1),
}));

const jwtAuthenticator = s.struct("apiserver.config.v1.JWTAuthenticator", () => ({
  issuer: s.of(issuer, 1),
  claimValidationRules: opt.list(claimValidationRule, 2),
  claimMappings: s.of(claimMappings, 3),
  userValidationRules: opt.list(userValidationRule, 4),
}));

const issuer = s.struct("apiserver.config.v1.Issuer", () => ({
  url: s.string(1),
  discoveryURL: opt.string(2),
  certificateAuthority: opt.string(3),
  audiences: s.list("string", 4),
  audienceMatchPolicy: opt.string(5),
  egressSelectorType: opt.string(6),
}));

const claimValidationRule = s.struct("apiserver.config.v1.ClaimValidationRule", () => ({
  claim: opt.string(1),
  requiredValue: opt.string(2),
  expression: opt.string(3),
  message: opt.string(4),
}));

const claimMappings = s.struct("apiserver.config.v1.ClaimMappings", () => ({
  username: s.of(prefixedClaimOrExpression, 1),
  groups: opt.of(prefixedClaimOrExpression, 2),
  uid: opt.of(claimOrExpression, 3),
  extra: opt.list(extraMapping, 4),
}));

const prefixedClaimOrExpression = s.struct("apiserver.config.v1.PrefixedClaimOrExpression", () => ({
  claim: opt.string(1),
  prefix: ptr.string(2),
  expression: opt.string(3),
}));

const claimOrExpression = s.struct("apiserver.config.v1.ClaimOrExpression", () => ({
  claim: opt.string(1),
  expression: opt.string(2),
}));

const extraMapping = s.struct("apiserver.config.v1.ExtraMapping", () => ({
  key: s.string(1),
  valueExpression: s.string(2),
}));

const userValidationRule = s.struct("apiserver.config.v1.UserValidationRule", () => ({
  expression: s.string(1),
  message: opt.string(2),
}));
