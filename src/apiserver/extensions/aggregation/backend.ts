// Connections to the servers behind: where their service is, their authority, and the certificate that shows who we are.

import { Agent, type RequestOptions } from "node:https";
import type { ServiceResolver } from "../../../client/webhook-client.ts";
import type { RemoteApi } from "./remote-api.ts";

const MAX_AGENTS = 64;
const MAX_SOCKETS = 256;

/** Shown to the servers behind, so that they believe the headers about the user. */
export interface ProxyIdentity {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export class Backends {
  readonly #resolve: ServiceResolver;
  readonly #identity: () => ProxyIdentity | undefined;
  /** Least recently used first. */
  readonly #agents = new Map<string, Agent>();

  constructor(resolve: ServiceResolver, identity: () => ProxyIdentity | undefined) {
    this.#resolve = resolve;
    this.#identity = identity;
  }

  /** How to reach the server. Fails with a sentence when its service cannot be found. */
  async connect(api: RemoteApi): Promise<RequestOptions & { readonly host: string; readonly port: number }> {
    const { namespace, name, port } = api.service;
    const { host, port: realPort } = await this.#resolve(namespace, name, port);
    return { host, port: realPort, agent: this.#agentOf(api), ...this.tls(api) };
  }

  /** For connections of one's own. */
  tls(api: RemoteApi): { ca?: string; cert?: string; key?: string; rejectUnauthorized: boolean; servername: string } {
    const identity = this.#identity();
    return {
      rejectUnauthorized: !api.insecure,
      servername: serverName(api),
      ...(api.authority === undefined ? {} : { ca: api.authority }),
      ...(identity === undefined ? {} : { cert: identity.certificatePem, key: identity.keyPem }),
    };
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }

  #agentOf(api: RemoteApi): Agent {
    const key = `${api.uid} ${api.service.namespace}/${api.service.name}:${api.service.port} ${api.insecure} ${api.authority ?? ""}`;
    let agent = this.#agents.get(key);
    this.#agents.delete(key);
    agent ??= new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS, minVersion: "TLSv1.2", ...this.tls(api) });
    this.#agents.set(key, agent);
    if (this.#agents.size > MAX_AGENTS) {
      const oldest = this.#agents.keys().next().value!;
      this.#agents.get(oldest)?.destroy();
      this.#agents.delete(oldest);
    }
    return agent;
  }
}

const serverName = ({ service }: RemoteApi): string => `${service.name}.${service.namespace}.svc`;
