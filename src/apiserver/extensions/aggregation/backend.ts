// Connections to the servers behind: where their service is, their authority, and the certificate that shows who we are.

import { HttpsCaller } from "../../../client/callouts/https-caller.ts";
import { type HeldConnections, HttpsPool } from "../../../client/callouts/https-pool.ts";
import type { ServiceResolver } from "../../../client/callouts/webhook-client.ts";
import type { ClientIdentity, HttpsTarget } from "../../../client/tls-target.ts";
import { hostPort } from "../../../meta/host-port.ts";
import type { RemoteApi } from "./remote-api.ts";

/** Shown to the servers behind, so that they believe the headers about the user. */
export type ProxyIdentity = ClientIdentity;

const POOL_LIMITS = { maxSocketsPerTarget: 256, maxTargets: 64 };
/** Documents and checks: every one over a connection of its own, which shows that the server can be reached now. */
const CALL_LIMITS = { maxSocketsPerTarget: 16, maxTargets: 64, maxCalls: 1_000, keepAlive: false };

export class Backends {
  readonly #resolve: ServiceResolver;
  readonly #identity: () => ProxyIdentity | undefined;
  readonly #pool = new HttpsPool(POOL_LIMITS);
  /** For answers that are read whole. */
  readonly caller = new HttpsCaller(CALL_LIMITS);

  constructor(resolve: ServiceResolver, identity: () => ProxyIdentity | undefined) {
    this.#resolve = resolve;
    this.#identity = identity;
  }

  /** How to reach the server. Fails with a sentence when its service cannot be reached. */
  async targetOf({ service, insecure, authority }: RemoteApi): Promise<HttpsTarget> {
    const reached = await this.#resolve(service.namespace, service.name, service.port);
    const identity = this.#identity();
    return {
      ...reached,
      serverName: `${service.name}.${service.namespace}.svc`,
      insecure,
      ...(authority === undefined ? {} : { authority }),
      ...(identity === undefined ? {} : { identity }),
    };
  }

  /** Connections for requests that are carried on. */
  hold(target: HttpsTarget): Promise<HeldConnections> {
    return this.#pool.hold(target);
  }

  close(): void {
    this.#pool.close();
    this.caller.close();
  }
}

/** Host and port, as headers and messages have them. */
export function authorityOf({ host, port }: Pick<HttpsTarget, "host" | "port">): string {
  return hostPort(host, port);
}
