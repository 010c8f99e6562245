// Flags that need or exclude each other. Requirements: document 2, "Methods", "Authentication configuration file",
// "AuthorizationConfiguration file", "Errors".

import { electionFlagsProblem, fitTogether } from "../base/election-times.ts";
import { flagName } from "../base/flags.ts";
import { UsageError } from "../base/start-error.ts";
import { urlProblem } from "../meta/flag-values.ts";
import { parseCidr } from "../meta/ip.ts";
import { VERSION_INFO } from "../meta/version.ts";
import type { ApiServerFlagKey, ApiServerOptions } from "./api-server-flags.ts";
import { oidcFlags } from "./authentication-flags.ts";

type Given = ReadonlySet<ApiServerFlagKey>;

/** Fails with UsageError at the first rule that is broken. */
export function checkFlagRules(options: ApiServerOptions, given: Given): void {
  checkServing(options, given);
  checkOidc(options, given);
  checkRequestHeader(options, given);
  checkServiceAccounts(options, given);
  checkAuthorization(options, given);
  checkRest(options);
}

function checkServing(options: ApiServerOptions, given: Given): void {
  both(given, "tlsCertFile", "tlsPrivateKeyFile");
  both(given, "proxyClientCertFile", "proxyClientKeyFile");
  both(given, "kubeletClientCertificate", "kubeletClientKey");
  both(given, "etcdCertfile", "etcdKeyfile");
  notEmpty(options, given, "etcdServers", "leave it away to use the embedded store");
  if (options.enablePriorityAndFairness && options.maxRequestsInflight + options.maxMutatingRequestsInflight === 0) {
    throw new UsageError(
      "flags --max-requests-inflight and --max-mutating-requests-inflight must add up to something positive while --enable-priority-and-fairness is set",
    );
  }
  const [first, second] = options.serviceClusterIpRange.map((text) => parseCidr(text));
  if (first !== undefined && second !== undefined && first.ip.family === second.ip.family) {
    throw new UsageError("flag --service-cluster-ip-range: two networks must be one of IPv4 and one of IPv6");
  }
}

function checkOidc(options: ApiServerOptions, given: Given): void {
  const used = (Object.keys(oidcFlags) as (keyof typeof oidcFlags)[]).filter((key) => given.has(key));
  if (used.length === 0) return;
  const name = flagName(used[0]!);
  if (given.has("authenticationConfig")) {
    throw new UsageError(
      `flags --authentication-config and --${name} exclude each other: describe the issuer in the file, without any --oidc-* flag`,
    );
  }
  if (options.oidcIssuerUrl === undefined || options.oidcClientId === undefined) {
    throw new UsageError(`flag --${name} needs both --oidc-issuer-url and --oidc-client-id`);
  }
  const wrong = urlProblem(options.oidcIssuerUrl, ["https"]);
  if (wrong !== undefined)
    throw new UsageError(`flag --oidc-issuer-url: ${JSON.stringify(options.oidcIssuerUrl)} ${wrong}`);
  if (options.serviceAccountIssuer.includes(options.oidcIssuerUrl)) {
    throw new UsageError("flag --oidc-issuer-url must differ from every --service-account-issuer");
  }
}

function checkRequestHeader(options: ApiServerOptions, given: Given): void {
  const keys = (
    [
      "requestheaderUsernameHeaders",
      "requestheaderUidHeaders",
      "requestheaderGroupHeaders",
      "requestheaderExtraHeadersPrefix",
      "requestheaderAllowedNames",
      "requestheaderClientCaFile",
    ] as const
  ).filter((key) => given.has(key));
  if (keys.length === 0) return;
  for (const needed of ["requestheaderClientCaFile", "requestheaderUsernameHeaders"] as const) {
    if (!given.has(needed)) throw new UsageError(`flag --${flagName(keys[0]!)} needs --${flagName(needed)}`);
  }
  notEmpty(options, given, "requestheaderUsernameHeaders", "name the header that carries the user");
}

const HOUR_MS = 3_600_000;
const MAX_TOKEN_LIFE_MS = 2 ** 32 * 1000;

function checkServiceAccounts(options: ApiServerOptions, given: Given): void {
  const {
    serviceAccountIssuer: issuers,
    serviceAccountMaxTokenExpirationMs: maxMs,
    serviceAccountJwksUri: keysUrl,
  } = options;
  const repeated = issuers.find((issuer, index) => issuers.indexOf(issuer) !== index);
  if (repeated !== undefined)
    throw new UsageError(`flag --service-account-issuer: ${JSON.stringify(repeated)} is given twice`);
  if (maxMs !== 0 && (maxMs < HOUR_MS || maxMs > MAX_TOKEN_LIFE_MS)) {
    throw new UsageError("flag --service-account-max-token-expiration must lie between 1 hour and 2^32 seconds");
  }
  if (keysUrl === undefined) return;
  if (issuers.length === 0) throw new UsageError("flag --service-account-jwks-uri needs --service-account-issuer");
  // Upstream asks for the scheme only: whoever reads it may find the host elsewhere.
  const wrong =
    URL.canParse(keysUrl) && new URL(keysUrl).protocol === "https:" ? undefined : "must begin with https://";
  if (wrong !== undefined && given.has("serviceAccountJwksUri"))
    throw new UsageError(`flag --service-account-jwks-uri: ${JSON.stringify(keysUrl)} ${wrong}`);
}

function checkAuthorization(options: ApiServerOptions, given: Given): void {
  const { authorizationMode: modes } = options;
  if (given.has("authorizationConfig")) {
    for (const key of [
      "authorizationMode",
      "authorizationWebhookConfigFile",
      "authorizationWebhookVersion",
      "authorizationWebhookCacheAuthorizedTtlMs",
      "authorizationWebhookCacheUnauthorizedTtlMs",
      "authorizationPolicyFile",
    ] as const) {
      if (given.has(key))
        throw new UsageError(
          `flags --authorization-config and --${flagName(key)} exclude each other: name the authorizers in the file`,
        );
    }
    return;
  }
  // Without the flag everything is allowed: an empty value must not come to mean that by a slip.
  notEmpty(options, given, "authorizationMode", "name at least one mode");
  const repeated = modes.find((mode, index) => modes.indexOf(mode) !== index);
  if (repeated !== undefined) throw new UsageError(`flag --authorization-mode: ${repeated} is given twice`);
  modeNeeds(modes, given, "ABAC", "authorizationPolicyFile");
  modeNeeds(modes, given, "Webhook", "authorizationWebhookConfigFile");
}

function modeNeeds(modes: readonly string[], given: Given, mode: string, key: ApiServerFlagKey): void {
  if (modes.includes(mode) && !given.has(key))
    throw new UsageError(`flag --authorization-mode: ${mode} needs --${flagName(key)}`);
  if (!modes.includes(mode) && given.has(key))
    throw new UsageError(`flag --${flagName(key)} needs ${mode} in --authorization-mode`);
}

function checkRest(options: ApiServerOptions): void {
  const twice = options.enableAdmissionPlugins.find((plugin) => options.disableAdmissionPlugins.includes(plugin));
  if (twice !== undefined) {
    throw new UsageError(
      `flags --enable-admission-plugins and --disable-admission-plugins exclude each other for ${twice}`,
    );
  }
  const times = {
    leaseDurationMs: options.coordinatedLeadershipLeaseDurationMs,
    renewDeadlineMs: options.coordinatedLeadershipRenewDeadlineMs,
    retryPeriodMs: options.coordinatedLeadershipRetryPeriodMs,
  };
  if (!fitTogether(times)) throw new UsageError(electionFlagsProblem("coordinated-leadership"));
  const shown = options.showHiddenMetricsForVersion;
  const previous = `${VERSION_INFO.major}.${Number(VERSION_INFO.minor) - 1}`;
  if (shown !== undefined && shown !== "" && shown !== previous) {
    throw new UsageError(
      `flag --show-hidden-metrics-for-version: ${JSON.stringify(shown)} is not the previous release: write ${previous} or leave the flag away`,
    );
  }
}

function notEmpty(
  options: ApiServerOptions,
  given: Given,
  key: "authorizationMode" | "etcdServers" | "requestheaderUsernameHeaders",
  hint: string,
): void {
  if (given.has(key) && options[key].length === 0) throw new UsageError(`flag --${flagName(key)} is empty: ${hint}`);
}

function both(given: Given, a: ApiServerFlagKey, b: ApiServerFlagKey): void {
  if (given.has(a) === given.has(b)) return;
  const [present, missing] = given.has(a) ? [a, b] : [b, a];
  throw new UsageError(`flag --${flagName(present)} needs --${flagName(missing)}`);
}
