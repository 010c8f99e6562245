// Authentication put together: every method that the flags ask for, all at once. Requirements: document 2, "Authentication".

import type { Response } from "../http/message.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import type { WriteDeps } from "../registry/write.ts";
import { commonAudiences } from "./audiences.ts";
import { authenticationMetrics } from "./authentication-metrics.ts";
import type { AuthenticationParts } from "./authentication-parts.ts";
import { type AuthenticationSources, type ReadContext, readSources } from "./authentication-sources.ts";
import type { Authentication, Authenticator } from "./authenticator.ts";
import { type AnonymousRules, anyAuthenticator, inAuthenticatedGroup, withAnonymous } from "./authenticators.ts";
import { bearerTokens } from "./bearer-token.ts";
import { type ClientAuthorities, certificateMethods } from "./certificate-methods.ts";
import { measured } from "./measured.ts";
import { type FollowedConfig, followConfigFile } from "./oidc/config-file.ts";
import { PresentedToken } from "./presented-token.ts";
import { type SharedAccountKeys, sharedAccountKeys } from "./service-accounts/account-keys.ts";
import { issuerDocuments, KEYS_PATH } from "./service-accounts/issuer-documents.ts";
import { type TokenIssuer, tokenIssuer } from "./token-issuer.ts";
import { tokenMethods } from "./token-methods.ts";

export type { SharedAccountKeys } from "./service-accounts/account-keys.ts";

/** Everything that the flags name, read and checked. */
export interface ReadAuthentication {
  /** For processes that serve as one with this: what one signs, all must accept. */
  sharedKeys(): SharedAccountKeys;
  build(parts: AuthenticationParts): AuthenticationMethods;
}

export interface AuthenticationMethods {
  readonly authenticator: Authenticator;
  readonly clientAuthorities: ClientAuthorities;
  /** Who has this token, if it is for one of the audiences; the server's own when none are given. */
  reviewToken(token: string, audiences: readonly string[]): Promise<Authentication>;
  readonly issuer: TokenIssuer;
  /** The answer to the paths of the service account issuer. */
  readonly issuerDocuments: (path: string, serverAddress: string) => Response | undefined;
  /** Loads what authentication looks at, and begins to follow its files and issuers. */
  start(deps: WriteDeps): Promise<void>;
  close(): void;
}

/** Reads every file that the flags name. Fails with StartError. */
export function readAuthentication(options: ApiServerOptions, context: ReadContext): ReadAuthentication {
  const sources = readSources(options, context);
  return {
    sharedKeys: () => sharedAccountKeys(sources.accountKeys),
    build: (parts) => build(options, parts, sources),
  };
}

function build(
  options: ApiServerOptions,
  parts: AuthenticationParts,
  sources: AuthenticationSources,
): AuthenticationMethods {
  const { names, log, clock } = parts;
  const { accountKeys, configFile, settings } = sources;
  const { audiences, keys, signingKey } = accountKeys;
  const issuer = accountKeys.issuers[0]!;
  const metrics = parts.metrics && authenticationMetrics(parts.metrics, names, parts.serverId ?? "");
  const certificates = certificateMethods(options, parts, sources, metrics);
  const { tokens, issuers, ...tokenLife } = tokenMethods(options, parts, sources, metrics);
  let anonymous = anonymousRules(options, settings.anonymous);
  let followed: FollowedConfig | undefined;
  const methods = anyAuthenticator([...certificates.methods, bearerTokens(names, tokens, audiences)]);
  return {
    authenticator: measured(
      withAnonymous(methods, () => anonymous),
      metrics,
    ),
    clientAuthorities: certificates.clientAuthorities,
    async reviewToken(token, wanted) {
      const target = wanted.length === 0 ? audiences : wanted;
      const outcome = await tokens.authenticateToken(new PresentedToken(token), target);
      if (outcome.result !== "user") return outcome;
      const { audiences: good = commonAudiences(target, audiences) } = outcome;
      return inAuthenticatedGroup({ ...outcome, audiences: good });
    },
    issuer: tokenIssuer({
      names,
      key: signingKey,
      issuer,
      audiences,
      maxLifeSeconds: Math.floor(options.serviceAccountMaxTokenExpirationMs / 1000),
      extendsLife: options.serviceAccountExtendTokenExpiration,
    }),
    issuerDocuments: issuerDocuments({ issuer, keysUrl: keysUrl(options), keys }),
    async start(deps) {
      await tokenLife.start(deps);
      if (configFile === undefined) return;
      metrics?.configured(configFile.first);
      const onAnonymous = (rules: AnonymousRules | undefined) => {
        anonymous = anonymousRules(options, rules);
      };
      followed = followConfigFile({ ...configFile, issuers, onAnonymous, clock, log, metrics });
    },
    close() {
      followed?.close();
      certificates.close();
      tokenLife.close();
    },
  };
}

/** `given`: what the configuration file says. Requirements: document 2, "Anonymous requests". */
export function anonymousRules(
  options: Pick<ApiServerOptions, "anonymousAuth" | "authorizationMode" | "authorizationConfig">,
  given?: AnonymousRules,
): AnonymousRules {
  const modes = options.authorizationMode.length === 0 ? ["AlwaysAllow"] : options.authorizationMode;
  // Where everything is allowed, whoever has no credentials must not have it all, unless somebody says so.
  const allowsAll = options.authorizationConfig === undefined && modes.includes("AlwaysAllow");
  return given ?? { enabled: options.anonymousAuth ?? !allowsAll };
}

function keysUrl(options: ApiServerOptions): string | undefined {
  const { serviceAccountJwksUri, externalHostname, securePort } = options;
  if (serviceAccountJwksUri !== undefined) return serviceAccountJwksUri;
  return externalHostname === undefined ? undefined : `https://${externalHostname}:${securePort}${KEYS_PATH}`;
}
