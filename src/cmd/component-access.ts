// Who may ask a component beside the API server, decided as upstream's components do: certificates by authorities that flags
// name, tokens and rights by the API server, whose answers are remembered for a while.

import type { Authentication, Authenticator } from "../authn/authenticator.ts";
import { anyAuthenticator, withAnonymous } from "../authn/authenticators.ts";
import { bearerTokens } from "../authn/bearer-token.ts";
import { type CertificateMethods, certificateMethods, readCertificateSources } from "../authn/certificate-methods.ts";
import type { PresentedToken } from "../authn/presented-token.ts";
import { BoundedCache } from "../base/bounded-cache.ts";
import { listFlag, pathFlag } from "../base/flag-values.ts";
import type { OptionsOf } from "../base/flags.ts";
import type { Log } from "../base/log.ts";
import { roughBytes } from "../base/rough-bytes.ts";
import type { Client } from "../client/client.ts";
import type { ReceivedRequest } from "../http/message.ts";
import { durationFlag } from "../meta/flag-values.ts";
import type { UserInfo } from "../meta/user.ts";
import { authenticationFlags, requestHeaderFlags } from "../options/authentication-flags.ts";

const reviewer = (what: string) =>
  pathFlag({ default: undefined, doc: `Of the server that ${what}; that of --kubeconfig when not given.` });
const remembered = (what: string) => durationFlag({ default: "10s", doc: `How long ${what} is remembered.` });

export const accessFlags = {
  authenticationKubeconfig: reviewer("says whose a token is"),
  authenticationTokenWebhookCacheTtlMs: remembered("whose a token is"),
  authorizationKubeconfig: reviewer("says who may read what"),
  authorizationWebhookCacheAuthorizedTtlMs: remembered("that somebody may read a path"),
  authorizationWebhookCacheUnauthorizedTtlMs: remembered("that somebody may not"),
  authorizationAlwaysAllowPaths: listFlag({
    placeholder: "PATH,...",
    default: ["/healthz", "/readyz", "/livez"],
    replaces: true,
    doc: "Paths that everybody may read; one that ends in /* stands for all below it.",
  }),
  clientCaFile: authenticationFlags.clientCaFile,
  requestheaderClientCaFile: requestHeaderFlags.requestheaderClientCaFile,
  requestheaderAllowedNames: requestHeaderFlags.requestheaderAllowedNames,
  requestheaderUsernameHeaders: listFlag({
    default: ["x-remote-user"],
    replaces: true,
    doc: requestHeaderFlags.requestheaderUsernameHeaders.doc,
  }),
  requestheaderUidHeaders: requestHeaderFlags.requestheaderUidHeaders,
  requestheaderGroupHeaders: listFlag({
    default: ["x-remote-group"],
    replaces: true,
    doc: requestHeaderFlags.requestheaderGroupHeaders.doc,
  }),
  requestheaderExtraHeadersPrefix: listFlag({
    default: ["x-remote-extra-"],
    replaces: true,
    doc: requestHeaderFlags.requestheaderExtraHeadersPrefix.doc,
  }),
} as const;

type AccessOptions = OptionsOf<typeof accessFlags>;

interface ComponentAccessParts {
  readonly options: AccessOptions;
  readonly log: Log;
  /** May ask who a caller is and what it may do. */
  readonly client: Client;
  /** The same of another kubeconfig. */
  readonly clientOf: (kubeconfig: string) => Client;
}

/** "unknown": the credentials are no good. "unavailable": nobody can say now who that is or what it may do. */
export type Access = "allowed" | "refused" | "unknown" | "unavailable";

const MAX_REMEMBERED = 4_096;
const MAX_REMEMBERED_BYTES = 4 * 1024 * 1024;

export class ComponentAccess {
  readonly certificates: Pick<CertificateMethods, "clientAuthorities" | "close">;
  readonly #parts: ComponentAccessParts;
  readonly #authenticator: Authenticator;
  readonly #tokens: BoundedCache<string, Authentication>;
  readonly #decisions: BoundedCache<string, boolean>;
  readonly #clients = new Map<string, Client>();

  /** Reads the authorities. Fails with StartError. */
  constructor(parts: ComponentAccessParts) {
    this.#parts = parts;
    const { options, log, client } = parts;
    const { names, clock } = client;
    // Whoever may knock can show a new token, and ask for a new path, each time.
    this.#tokens = new BoundedCache({ maxEntries: MAX_REMEMBERED, clock, eviction: "segmented" });
    this.#decisions = new BoundedCache({
      maxEntries: MAX_REMEMBERED,
      maxBytes: MAX_REMEMBERED_BYTES,
      sizeBytes: (question) => roughBytes(question),
      clock,
      eviction: "segmented",
    });
    const gateEnabled = () => true;
    const certificates = certificateMethods(
      options,
      { names, clock, log, gateEnabled },
      readCertificateSources(options),
    );
    this.certificates = certificates;
    const tokens = { authenticateToken: (token: PresentedToken) => this.#authenticateToken(token) };
    const methods = anyAuthenticator([...certificates.methods, bearerTokens(names, tokens, [])]);
    this.#authenticator = withAnonymous(methods, () => ({ enabled: true }));
  }

  async judge(request: ReceivedRequest): Promise<Access> {
    const { path } = request;
    if (this.#parts.options.authorizationAlwaysAllowPaths.some((each) => matches(path, each))) return "allowed";
    try {
      const outcome = await this.#authenticator.authenticate(request);
      if (outcome.result !== "user") return "unknown";
      return (await this.#mayRead(outcome.user, path)) ? "allowed" : "refused";
    } catch {
      return "unavailable";
    }
  }

  /** Closes what was opened here. */
  async close(): Promise<void> {
    this.certificates.close();
    await Promise.all([...this.#clients.values()].map((client) => client.close()));
  }

  async #authenticateToken(token: PresentedToken): Promise<Authentication> {
    const known = this.#tokens.get(token.digest);
    if (known !== undefined) return known;
    const { options } = this.#parts;
    const client = this.#reviewer(options.authenticationKubeconfig);
    const { status } = await client.authentication.v1.tokenReviews().create({ spec: { token: token.text } });
    const { username, ...user } = status?.user ?? {};
    const outcome: Authentication =
      status?.authenticated === true && username
        ? { result: "user", user: { ...user, name: username, groups: user.groups ?? [] } as UserInfo }
        : { result: "none" };
    this.#tokens.set(token.digest, outcome, options.authenticationTokenWebhookCacheTtlMs);
    return outcome;
  }

  async #mayRead(user: UserInfo, path: string): Promise<boolean> {
    const key = JSON.stringify([user, path]);
    const known = this.#decisions.get(key);
    if (known !== undefined) return known;
    const { options } = this.#parts;
    const review = await this.#reviewer(options.authorizationKubeconfig)
      .authorization.v1.subjectAccessReviews()
      .create({ spec: { ...subjectOf(user), nonResourceAttributes: { path, verb: "get" } } });
    const isAllowed = review.status?.allowed === true;
    const ttlMs = isAllowed
      ? options.authorizationWebhookCacheAuthorizedTtlMs
      : options.authorizationWebhookCacheUnauthorizedTtlMs;
    this.#decisions.set(key, isAllowed, ttlMs);
    return isAllowed;
  }

  #reviewer(kubeconfig: string | undefined): Client {
    if (kubeconfig === undefined) return this.#parts.client;
    const client = this.#clients.get(kubeconfig) ?? this.#parts.clientOf(kubeconfig);
    this.#clients.set(kubeconfig, client);
    return client;
  }
}

function subjectOf({ name, uid, groups, extra = {} }: UserInfo) {
  return {
    user: name,
    groups: [...groups],
    extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
    ...(uid === undefined ? {} : { uid }),
  };
}

function matches(path: string, allowed: string): boolean {
  return allowed.endsWith("/*") ? path.startsWith(allowed.slice(0, -1)) : path === allowed;
}
