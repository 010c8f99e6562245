// The connections to the server of a kubeconfig entry, as its certificates are now: others than before mean new connections.

import type { SecureContext } from "node:tls";
import type { Clock } from "../../base/clock.ts";
import { sameIdentity } from "../credentials/credential-source.ts";
import { RereadFile } from "../credentials/reread-file.ts";
import { type ClusterEntry, KubeconfigError } from "../kubeconfig.ts";
import { proxyFor } from "../proxy-settings.ts";
import { type ClientIdentity, secureContextOf } from "../tls-target.ts";
import { TransportError } from "../transport.ts";
import { Endpoint } from "./endpoint.ts";

interface ServerEndpointOptions {
  readonly cluster: ClusterEntry;
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  readonly connectTimeoutMs: number;
  readonly pingIntervalMs: number;
}

interface Current {
  readonly authority: string | undefined;
  readonly identity: ClientIdentity | undefined;
  readonly endpoint: Endpoint;
}

export class ServerEndpoint {
  readonly url: URL;
  readonly #options: ServerEndpointOptions;
  readonly #proxy: URL | undefined;
  readonly #authority: string | RereadFile | undefined;
  #current: Current | undefined;
  #destroyed = false;

  /** Fails with KubeconfigError. */
  constructor(options: ServerEndpointOptions) {
    const { cluster, clock, env } = options;
    const { server, certificateAuthority, proxyUrl } = cluster;
    this.url = serverUrl(server);
    this.#options = options;
    try {
      this.#proxy = proxyFor({ server: this.url, env, ...(proxyUrl === undefined ? {} : { proxyUrl }) });
    } catch (error) {
      throw new KubeconfigError((error as Error).message);
    }
    this.#authority =
      certificateAuthority === undefined
        ? undefined
        : (certificateAuthority.pem ?? new RereadFile(certificateAuthority.file!, clock));
  }

  /** Fails with TransportError. */
  async with(identity: ClientIdentity | undefined): Promise<Endpoint> {
    const authority = this.#authority instanceof RereadFile ? await this.#authority.read() : this.#authority;
    if (this.#destroyed) throw new TransportError("closed", "the client was closed");
    const current = this.#current;
    const same = current?.authority === authority && sameIdentity(current?.identity, identity);
    if (current !== undefined && same) return current.endpoint;
    const endpoint = this.#open(authority, identity);
    this.#current = { authority, identity, endpoint };
    current?.endpoint.retire();
    return endpoint;
  }

  destroy(): void {
    this.#destroyed = true;
    this.#current?.endpoint.destroy();
  }

  #open(authority: string | undefined, identity: ClientIdentity | undefined): Endpoint {
    const { cluster, clock, connectTimeoutMs, pingIntervalMs } = this.#options;
    const plain = this.url.protocol === "http:";
    return new Endpoint({
      authority: this.url.host,
      target: {
        host: this.url.hostname.replace(/^\[|\]$/g, ""),
        port: Number(this.url.port || (plain ? 80 : 443)),
        insecure: cluster.insecureSkipTlsVerify,
        ...(cluster.tlsServerName === undefined ? {} : { serverName: cluster.tlsServerName }),
      },
      ...(plain ? {} : { secureContext: contextOf({ authority, identity, insecure: cluster.insecureSkipTlsVerify }) }),
      clock,
      connectTimeoutMs,
      pingIntervalMs,
      ...(this.#proxy === undefined ? {} : { proxy: this.#proxy }),
    });
  }
}

function serverUrl(server: string): URL {
  if (!URL.canParse(server)) throw new KubeconfigError(`server ${JSON.stringify(server)} is not a URL`);
  const url = new URL(server);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new KubeconfigError(`server ${JSON.stringify(server)} must be an https or http URL`);
  }
  return url;
}

function contextOf(trust: Parameters<typeof secureContextOf>[0]): SecureContext {
  try {
    return secureContextOf(trust);
  } catch (error) {
    throw new TransportError("credentials", `certificates or key cannot be used: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
