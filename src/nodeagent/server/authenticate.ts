// Who calls the agent: a client certificate, a bearer token that the API server reviews, or nobody in particular.

import { createHash } from "node:crypto";
import { BoundedCache } from "../../base/bounded-cache.ts";
import { certificateSubject } from "../../base/certificate-subject.ts";
import type { Clock } from "../../base/clock.ts";
import type { Client } from "../../client/client.ts";
import type { ReceivedRequest } from "../../http/message.ts";
import { ANONYMOUS_USER, AUTHENTICATED_GROUP, UNAUTHENTICATED_GROUP, type UserInfo } from "../../meta/user.ts";
import type { NodeAgentConfiguration } from "../config/configuration.ts";

interface AuthenticatorOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly config: NodeAgentConfiguration["authentication"];
  /** A token could not be reviewed. */
  readonly onError: (error: unknown) => void;
}

const MAX_CACHED_TOKENS = 4_096;
/** How long a token that was refused is not asked about again. */
const REFUSED_TTL_MS = 10_000;
const MAX_TOKEN_CHARS = 64 * 1024;

export class AgentAuthenticator {
  readonly #options: AuthenticatorOptions;
  /** By the hash of the token; null when it was refused. */
  readonly #reviewed: BoundedCache<string, { readonly user: UserInfo | null }>;
  readonly #asking = new Map<string, Promise<UserInfo | null>>();

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.#reviewed = new BoundedCache({ maxEntries: MAX_CACHED_TOKENS, clock: options.clock, eviction: "segmented" });
  }

  /** Undefined when the caller is nobody that may ask: 401. */
  async authenticate(request: Pick<ReceivedRequest, "headers" | "clientCertificate">): Promise<UserInfo | undefined> {
    const { anonymous, webhook, x509 } = this.#options.config;
    const certificate = x509.clientCAFile === undefined ? undefined : request.clientCertificate;
    const byCertificate = certificate === undefined ? undefined : certificateUser(certificate);
    if (byCertificate !== undefined) return byCertificate;
    // Where nobody reviews tokens, nobody looks at them.
    const token = webhook.enabled ? bearerToken(request.headers.first("authorization")) : undefined;
    if (token !== undefined) return (await this.#review(token)) ?? undefined;
    // A certificate that is no good is not the same as none.
    if (certificate !== undefined || !anonymous.enabled) return undefined;
    return { name: ANONYMOUS_USER, groups: [UNAUTHENTICATED_GROUP] };
  }

  async #review(token: string): Promise<UserInfo | null> {
    const key = createHash("sha256").update(token).digest("base64");
    const known = this.#reviewed.get(key);
    if (known !== undefined) return known.user;
    const asking = this.#asking.get(key) ?? this.#ask(key, token).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return await asking;
  }

  async #ask(key: string, token: string): Promise<UserInfo | null> {
    const { client, config, onError } = this.#options;
    try {
      const review = await client.authentication.v1.tokenReviews().create({ spec: { token } });
      const { authenticated, user } = review.status;
      const found = authenticated === true && user?.username ? asUser(user) : null;
      this.#reviewed.set(key, { user: found }, found === null ? REFUSED_TTL_MS : config.webhook.cacheTTLMs);
      return found;
    } catch (error) {
      onError(error);
      return null;
    }
  }
}

function certificateUser({ chain, problem }: NonNullable<ReceivedRequest["clientCertificate"]>): UserInfo | undefined {
  const [leaf] = chain;
  if (leaf === undefined || problem !== undefined) return undefined;
  const { commonNames, organizations } = certificateSubject(leaf.raw);
  const [name] = commonNames;
  if (!name) return undefined;
  return { name, groups: [...new Set([...organizations, AUTHENTICATED_GROUP])] };
}

function bearerToken(header: string | undefined): string | undefined {
  // What stands behind a second space does not count, as at the API server.
  const match = /^bearer ([^ ]+)(?: |$)/i.exec((header ?? "").slice(0, MAX_TOKEN_CHARS));
  return match?.[1];
}

function asUser(user: {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[] | null>>;
}): UserInfo {
  const extra = Object.entries(user.extra ?? {}).map(([key, values]) => [key, values ?? []] as const);
  return {
    name: user.username ?? "",
    ...(user.uid === undefined || user.uid === "" ? {} : { uid: user.uid }),
    groups: user.groups ?? [],
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}
