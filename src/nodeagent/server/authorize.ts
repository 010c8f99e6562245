// Whether a caller may: the API server is asked with a SubjectAccessReview, and its answer is kept for a while.

import { BoundedCache } from "../../base/bounded-cache.ts";
import type { Clock } from "../../base/clock.ts";
import type { Client } from "../../client/client.ts";
import type { UserInfo } from "../../meta/user.ts";
import type { NodeAgentConfiguration } from "../config/configuration.ts";
import type { AccessAttributes } from "./access-attributes.ts";

interface AuthorizerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly config: NodeAgentConfiguration["authorization"];
  readonly nodeName: string;
  /** The API server could not be asked: the caller is refused. */
  readonly onError: (error: unknown) => void;
}

const MAX_CACHED_DECISIONS = 4_096;

export class AgentAuthorizer {
  readonly #options: AuthorizerOptions;
  readonly #decided: BoundedCache<string, boolean>;

  constructor(options: AuthorizerOptions) {
    this.#options = options;
    this.#decided = new BoundedCache({ maxEntries: MAX_CACHED_DECISIONS, clock: options.clock, eviction: "segmented" });
  }

  async mayAccess(user: UserInfo, { verb, subresources }: AccessAttributes): Promise<boolean> {
    if (this.#options.config.mode === "AlwaysAllow") return true;
    for (const subresource of subresources) if (await this.#decide(user, verb, subresource)) return true;
    return false;
  }

  async #decide(user: UserInfo, verb: string, subresource: string): Promise<boolean> {
    const key = JSON.stringify([user.name, user.uid, user.groups, user.extra, verb, subresource]);
    const known = this.#decided.get(key);
    if (known !== undefined) return known;
    const { client, config, nodeName, onError } = this.#options;
    const spec = {
      user: user.name,
      groups: [...user.groups],
      ...(user.uid === undefined ? {} : { uid: user.uid }),
      ...(user.extra === undefined ? {} : { extra: copyOf(user.extra) }),
      resourceAttributes: { verb, group: "", version: "v1", resource: "nodes", subresource, name: nodeName },
    };
    try {
      const review = await client.authorization.v1.subjectAccessReviews().create({ spec });
      const allowed = review.status?.allowed === true;
      const { cacheAuthorizedTTLMs, cacheUnauthorizedTTLMs } = config.webhook;
      this.#decided.set(key, allowed, allowed ? cacheAuthorizedTTLMs : cacheUnauthorizedTTLMs);
      return allowed;
    } catch (error) {
      onError(error);
      return false;
    }
  }
}

function copyOf(extra: NonNullable<UserInfo["extra"]>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
}
