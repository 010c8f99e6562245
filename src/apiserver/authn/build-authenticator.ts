// Authentication put together: every method that the flags ask for, all at once. Requirements: document 2, "Authentication".

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Response } from "../../http/message.ts";
import type { Names } from "../../meta/names.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import type { Catalog } from "../registry/catalog.ts";
import { forServerOnly } from "./audiences.ts";
import type { Authentication, Authenticator, TokenAuthenticator } from "./authenticator.ts";
import { anyAuthenticator, inAuthenticatedGroup, withAnonymous } from "./authenticators.ts";
import { anyTokenAuthenticator, bearerTokens } from "./bearer-token.ts";
import { bootstrapTokens, readBootstrapSecret } from "./bootstrap-tokens.ts";
import { readFlagFile } from "./flag-file.ts";
import { ObjectLookup } from "./object-lookup.ts";
import { PresentedToken } from "./presented-token.ts";
import { type AccountKeys, readAccountKeys } from "./service-accounts/account-keys.ts";
import { accountObjects } from "./service-accounts/account-objects.ts";
import { issuerDocuments } from "./service-accounts/issuer-documents.ts";
import { serviceAccountTokens } from "./service-accounts/service-account-tokens.ts";
import { type TokenIssuer, tokenIssuer } from "./service-accounts/token-issuer.ts";
import { parseTokenFile, staticTokens } from "./token-file.ts";
import { type AuthorityBundle, followAuthorities, readAuthorityBundle } from "./x509/authority-file.ts";
import { clientCertificates } from "./x509/client-certificate.ts";
import { requestHeaders } from "./x509/request-header.ts";

export interface ReadContext {
  readonly names: Names;
  readonly gates: { enabled(gate: string): boolean };
  /** An authority of our own beside --client-ca-file, in PEM. */
  readonly ownClientCaPem?: string;
  /** Signs service account tokens where no flag names a key; one that is forgotten with the process when not given. */
  readonly signingKeyFile?: string;
}

/** Everything that the flags name, read and checked. */
export interface ReadAuthentication {
  build(parts: AuthenticationParts): AuthenticationMethods;
}

export interface AuthenticationParts {
  readonly names: Names;
  readonly gateEnabled: (gate: string) => boolean;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics;
}

export interface AuthenticationMethods {
  readonly authenticator: Authenticator;
  /** Who has this token, if it is for one of the audiences; the server's own when none are given. */
  reviewToken(token: string, audiences: readonly string[], signal?: AbortSignal): Promise<Authentication>;
  readonly issuer: TokenIssuer;
  /** The answer to the paths of the service account issuer. */
  readonly issuerDocuments: (path: string, host: string) => Response | undefined;
  /** Loads what authentication looks at, and begins to follow its files and issuers. */
  start(): Promise<void>;
  close(): void;
}

/** Reads every file that the flags name. Fails with StartError. */
export function readAuthentication(options: ApiServerOptions, context: ReadContext): ReadAuthentication {
  const { names } = context;
  const clientBundle = readAuthorityBundle("client-ca-file", options.clientCaFile, context.ownClientCaPem);
  const proxyBundle = readAuthorityBundle("requestheader-client-ca-file", options.requestheaderClientCaFile);
  const users =
    options.tokenAuthFile === undefined
      ? undefined
      : readFlagFile("token-auth-file", options.tokenAuthFile, parseTokenFile);
  const accountKeys = readAccountKeys(names, options, context.signingKeyFile);
  return {
    build: (parts) => build(options, parts, { clientBundle, proxyBundle, users, accountKeys }),
  };
}

interface Sources {
  readonly clientBundle: AuthorityBundle | undefined;
  readonly proxyBundle: AuthorityBundle | undefined;
  readonly users: ReturnType<typeof parseTokenFile> | undefined;
  readonly accountKeys: AccountKeys;
}

function build(options: ApiServerOptions, parts: AuthenticationParts, sources: Sources): AuthenticationMethods {
  const { names } = parts;
  const { accountKeys } = sources;
  const { audiences: own } = accountKeys;
  const certificates = certificateMethods(options, parts, sources);
  const tokens = tokenMethods(options, parts, sources);
  const all = anyTokenAuthenticator(tokens.methods);
  const authenticator = anyAuthenticator([...certificates.methods, bearerTokens(names, all, own)]);
  const anonymous = { enabled: anonymousAllowed(options) };
  return {
    authenticator: withAnonymous(authenticator, () => anonymous),
    async reviewToken(token, wanted, signal) {
      const outcome = await all.authenticateToken(
        new PresentedToken(token),
        wanted.length === 0 ? own : wanted,
        signal,
      );
      return outcome.result === "user" ? inAuthenticatedGroup(outcome) : outcome;
    },
    issuer: tokenIssuer({
      names,
      key: accountKeys.signingKey,
      issuer: accountKeys.issuers[0]!,
      audiences: own,
      maxLifeSeconds: Math.floor(options.serviceAccountMaxTokenExpirationMs / 1000),
      extendsLife: options.serviceAccountExtendTokenExpiration,
    }),
    issuerDocuments: issuerDocuments({
      issuer: accountKeys.issuers[0]!,
      keysUrl: options.serviceAccountJwksUri ?? externalKeysUrl(options),
      keys: accountKeys.keys,
    }),
    start: tokens.start,
    close() {
      certificates.close();
      tokens.close();
    },
  };
}

/** Requirements: document 2, "Anonymous requests". */
export function anonymousAllowed(
  options: Pick<ApiServerOptions, "anonymousAuth" | "authorizationMode" | "authorizationConfig">,
): boolean {
  const modes = options.authorizationMode.length === 0 ? ["AlwaysAllow"] : options.authorizationMode;
  const allowsAll = options.authorizationConfig === undefined && modes.includes("AlwaysAllow");
  return !allowsAll && options.anonymousAuth !== false;
}

function certificateMethods(options: ApiServerOptions, parts: AuthenticationParts, sources: Sources) {
  const { names, clock, log, gateEnabled } = parts;
  const proxy = sources.proxyBundle && followAuthorities(sources.proxyBundle, clock, log);
  const client = sources.clientBundle && followAuthorities(sources.clientBundle, clock, log);
  const methods: Authenticator[] = [];
  if (proxy !== undefined) {
    methods.push(
      requestHeaders(proxy.authorities, {
        usernameHeaders: options.requestheaderUsernameHeaders,
        uidHeaders: gateEnabled("RemoteRequestHeaderUID") ? options.requestheaderUidHeaders : [],
        groupHeaders: options.requestheaderGroupHeaders,
        extraHeaderPrefixes: options.requestheaderExtraHeadersPrefix,
        allowedNames: options.requestheaderAllowedNames,
      }),
    );
  }
  if (client !== undefined) {
    methods.push(
      clientCertificates(names, client.authorities, { withUid: gateEnabled("AllowParsingUserUIDFromCertAuth") }),
    );
  }
  return {
    methods,
    close() {
      proxy?.close();
      client?.close();
    },
  };
}

function tokenMethods(options: ApiServerOptions, parts: AuthenticationParts, sources: Sources) {
  const { names, clock, catalog } = parts;
  const { users, accountKeys } = sources;
  const { audiences: own } = accountKeys;
  const objects = accountObjects(names, catalog);
  const secrets = new ObjectLookup(catalog.find("", "v1", "secrets")!.store!, (object) =>
    readBootstrapSecret(names, object),
  );
  const methods: TokenAuthenticator[] = [];
  if (users !== undefined) methods.push(forServerOnly(own, staticTokens(users)));
  methods.push(
    serviceAccountTokens({
      names,
      clock,
      keys: accountKeys.keys,
      issuers: accountKeys.issuers,
      audiences: own,
      objects,
      lookup: options.serviceAccountLookup,
    }),
  );
  if (options.enableBootstrapTokenAuth) {
    methods.push(
      forServerOnly(
        own,
        bootstrapTokens(clock, (name) => secrets.get(names.systemNamespace, name)),
      ),
    );
  }
  return {
    methods,
    async start() {
      await Promise.all([objects.ready(), secrets.ready()]);
    },
    close() {},
  };
}

function externalKeysUrl(options: ApiServerOptions): string | undefined {
  return options.externalHostname === undefined
    ? undefined
    : `https://${options.externalHostname}:${options.securePort}/openid/v1/jwks`;
}
