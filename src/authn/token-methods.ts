// The methods that look at bearer tokens, in the order in which they are asked: those that know at once come first.

import type { ApiServerOptions } from "../options/api-server-options.ts";
import { ObjectLookup } from "../registry/object-lookup.ts";
import type { WriteDeps } from "../registry/write.ts";
import { forServerOnly } from "./audiences.ts";
import type { AuthenticationMetrics } from "./authentication-metrics.ts";
import type { AuthenticationParts } from "./authentication-parts.ts";
import type { AuthenticationSources } from "./authentication-sources.ts";
import { anyTokenAuthenticator } from "./bearer-token.ts";
import { bootstrapTokens, readBootstrapSecret } from "./bootstrap-tokens.ts";
import { JwtAuthenticators } from "./oidc/jwt-authenticators.ts";
import type { TokenAuthenticator } from "./presented-token.ts";
import { accountObjects } from "./service-accounts/account-objects.ts";
import { LegacyTokenUses } from "./service-accounts/legacy-token-uses.ts";
import { serviceAccountTokens } from "./service-accounts/service-account-tokens.ts";
import { staticTokens } from "./token-file.ts";
import type { ReviewVersion } from "./webhook/token-review.ts";
import { webhookTokens } from "./webhook/webhook-tokens.ts";

interface TokenMethods {
  readonly tokens: TokenAuthenticator;
  readonly issuers: JwtAuthenticators;
  start(deps: WriteDeps): Promise<void>;
  close(): void;
}

export function tokenMethods(
  options: ApiServerOptions,
  parts: AuthenticationParts,
  sources: AuthenticationSources,
  metrics: AuthenticationMetrics | undefined,
): TokenMethods {
  const { names, clock, catalog, log } = parts;
  const { users, accountKeys, webhook } = sources;
  const { audiences, keys, issuers: accountIssuers } = accountKeys;
  const objects = accountObjects(names, catalog);
  const secrets = new ObjectLookup(catalog.own("", "v1", "secrets")!.store!, (object) =>
    readBootstrapSecret(names, object),
  );
  const issuers = new JwtAuthenticators(sources.settings.jwt, {
    clock,
    log,
    ...(metrics === undefined ? {} : { observe: metrics.jwtJudged, cacheMetrics: metrics.tokenCache }),
  });
  const methods: TokenAuthenticator[] = [];
  if (users !== undefined) methods.push(forServerOnly(audiences, staticTokens(users)));
  const uses = new LegacyTokenUses(parts);
  methods.push(
    serviceAccountTokens({
      names,
      clock,
      keys,
      issuers: accountIssuers,
      audiences,
      objects,
      lookup: options.serviceAccountLookup,
      onSecretUse: (namespace, secretName, lastUsed) => uses.note(namespace, secretName, lastUsed),
      ...(metrics === undefined ? {} : { count: metrics.accountToken, cacheMetrics: metrics.tokenCache }),
    }),
  );
  if (options.enableBootstrapTokenAuth) {
    const find = (name: string) => secrets.get(names.systemNamespace, name);
    methods.push(forServerOnly(audiences, bootstrapTokens(clock, find)));
  }
  methods.push(forServerOnly(audiences, issuers));
  if (webhook !== undefined) {
    methods.push(
      webhookTokens({
        names,
        version: options.authenticationTokenWebhookVersion as ReviewVersion,
        ttlMs: options.authenticationTokenWebhookCacheTtlMs,
        audiences,
        post: (body, callOptions) => webhook.post(body, callOptions),
        clock,
        log,
        random: Math.random,
        sharedAnswers: parts.sharedAnswers,
        ...(metrics === undefined ? {} : { cacheMetrics: metrics.tokenCache }),
      }),
    );
  }
  return {
    tokens: anyTokenAuthenticator(methods),
    issuers,
    async start(deps) {
      await uses.start(deps);
      issuers.start();
      await Promise.all([objects.ready(), secrets.ready()]);
    },
    close() {
      issuers.close();
      webhook?.close();
    },
  };
}
