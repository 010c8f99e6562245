// The way to an etcd cluster: several endpoints, one of them in use until it fails, deadlines on everything.
// The only place that knows gRPC, beside address-credentials.ts.

import { isIP } from "node:net";
import { createSecureContext } from "node:tls";
import {
  type ChannelCredentials,
  Client,
  type ClientDuplexStream,
  connectivityState,
  credentials,
  Metadata,
} from "@grpc/grpc-js";
import type { Clock } from "../../base/clock.ts";
import { AddressCredentials } from "./address-credentials.ts";
import { EtcdFailure, failureOf, type GrpcStatus } from "./failure.ts";
import type { Method } from "./messages.ts";

export interface EtcdTls {
  /** PEM. The system's authorities when absent. */
  readonly ca?: Uint8Array | string;
  /** PEM, both or none. */
  readonly cert?: Uint8Array | string;
  readonly key?: Uint8Array | string;
}

interface ConnectionOptions {
  /** "https://host:port", "http://host:port" or "host:port" (TLS when `tls` is given). The first is preferred. */
  readonly endpoints: readonly string[];
  readonly tls?: EtcdTls;
  /** How long one call may take, all tries and endpoints together. */
  readonly requestTimeoutMs: number;
  /** How long one endpoint may take to answer before another is tried. */
  readonly tryTimeoutMs: number;
  /** Of the time that passes over the network. */
  readonly clock: Clock;
}

/** A stream of messages both ways; ended by `cancel` or by the server. */
export interface EtcdStream<Request, Response> {
  readonly endpoint: string;
  send(request: Request): void;
  /** Tells the connection that this endpoint does not serve, so that the next stream tries another. */
  blame(): void;
  cancel(): void;
  onMessage(receive: (message: Response) => void): void;
  /** Called once. */
  onEnd(ended: (failure: EtcdFailure) => void): void;
}

const CONNECT_ROUND_MS = 500;
/** Once one has waited in vain for a connection, others wait no longer than this: clients hear soon that they are to come again. */
const LOST_WAIT_MS = 1_000;
const FIRST_BACKOFF_MS = 20;
const MAX_BACKOFF_MS = 500;

// etcd closes connections that are pinged more often than every five seconds, or without a call.
const channelOptions = {
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 5_000,
  "grpc.keepalive_permit_without_calls": 0,
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 1_000,
  "grpc.max_receive_message_length": -1,
  "grpc.max_send_message_length": -1,
  "grpc.use_local_subchannel_pool": 1,
  "grpc.service_config_disable_resolution": 1,
  "grpc.enable_http_proxy": 0,
} as const;

const DEADLINE_EXCEEDED = 4;
const INTERNAL = 13;
const UNAVAILABLE = 14;

interface Endpoint {
  readonly name: string;
  readonly client: Client;
  /** Ends each stream that is open here. */
  readonly streams: Set<() => void>;
}

export class EtcdConnection {
  readonly #endpoints: readonly Endpoint[];
  readonly #requestTimeoutMs: number;
  readonly #tryTimeoutMs: number;
  readonly #clock: Clock;
  #current = 0;
  #closing = false;
  /** Since when no endpoint has had a connection, as far as anybody has looked. */
  #downSinceMs: number | undefined;
  #lastProblem = "no connection yet";

  constructor(options: ConnectionOptions) {
    if (options.endpoints.length === 0) throw new Error("no etcd endpoint given");
    this.#endpoints = options.endpoints.map((endpoint) => connect(endpoint, options.tls));
    this.#requestTimeoutMs = options.requestTimeoutMs;
    this.#tryTimeoutMs = options.tryTimeoutMs;
    this.#clock = options.clock;
  }

  get requestTimeoutMs(): number {
    return this.#requestTimeoutMs;
  }

  /** Calls until it works, the failure is final, or time is up. Only for what may be carried out twice. */
  async callRepeatable<Request, Response>(method: Method<Request, Response>, request: Request): Promise<Response> {
    const retry = this.retries();
    for (;;) {
      try {
        return await this.callOnce(method, request, retry.deadlineMs);
      } catch (failure) {
        await retry.afterFailure(failure);
      }
    }
  }

  /** One try at the endpoint in use, until the deadline of `retries()`. Fails with EtcdFailure. */
  async callOnce<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    deadlineMs: number,
  ): Promise<Response> {
    const endpoint = await this.#readyEndpoint(deadlineMs);
    const deadline = inTimeOfDay(Math.min(deadlineMs - this.#clock.monotonicMs(), this.#tryTimeoutMs));
    return await new Promise<Response>((resolve, reject) => {
      endpoint.client.makeUnaryRequest(
        method.path,
        method.encode,
        method.decode,
        request,
        requireLeader(),
        { deadline },
        (error, response) => {
          if (error === null && response !== undefined) resolve(response);
          else reject(this.#failed(endpoint, error ?? { code: INTERNAL, details: "empty answer" }));
        },
      );
    });
  }

  /** The tries of one operation: they end with its deadline, and back off in between. */
  retries(): Retries {
    return new Retries(this.#clock, this.#requestTimeoutMs, () => this.#closing);
  }

  async openStream<Request, Response>(method: Method<Request, Response>): Promise<EtcdStream<Request, Response>> {
    const endpoint = await this.#readyEndpoint(this.#clock.monotonicMs() + this.#requestTimeoutMs, true);
    const call: ClientDuplexStream<Request, Response> = endpoint.client.makeBidiStreamRequest(
      method.path,
      method.encode,
      method.decode,
      requireLeader(),
    );
    // Without a listener an error of a cancelled stream would end the process.
    call.on("error", () => undefined);
    let cancelled = false;
    return {
      endpoint: endpoint.name,
      send: (request) => void call.write(request),
      blame: () => this.#demote(endpoint),
      cancel: () => {
        cancelled = true;
        call.cancel();
      },
      onMessage: (receive) => void call.on("data", receive),
      onEnd: (ended) => {
        let open = true;
        const abandon = () => {
          finish({ code: UNAVAILABLE, details: "the server has fallen silent" });
          call.cancel();
        };
        const finish = (status: GrpcStatus) => {
          if (!open) return;
          open = false;
          endpoint.streams.delete(abandon);
          ended(cancelled ? failureOf(status, endpoint.name) : this.#failed(endpoint, status));
        };
        endpoint.streams.add(abandon);
        call.on("error", (error) => finish(isStatus(error) ? error : { code: INTERNAL, details: String(error) }));
        call.on("end", () => finish({ code: UNAVAILABLE, details: "the server ended the stream" }));
      },
    };
  }

  /** From now on nothing is tried again. */
  startClosing(): void {
    this.#closing = true;
  }

  close(): void {
    this.#closing = true;
    for (const endpoint of this.#endpoints) endpoint.client.close();
  }

  #failed(endpoint: Endpoint, status: GrpcStatus): EtcdFailure {
    const failure = failureOf(status, endpoint.name);
    if (failure.kind === "transient") {
      this.#lastProblem = failure.message;
      this.#demote(endpoint);
      // A silent server would keep its streams silent too, until keep-alive notices. Elsewhere they resume at once.
      if (status.code === DEADLINE_EXCEEDED && this.#endpoints.length > 1) for (const end of endpoint.streams) end();
    }
    return failure;
  }

  #demote(endpoint: Endpoint): void {
    if (this.#endpoints[this.#current] === endpoint) this.#current = (this.#current + 1) % this.#endpoints.length;
  }

  /** An endpoint with a connection: the one in use, else the first after it, else the first that connects. */
  async #readyEndpoint(deadlineMs: number, isPatient = false): Promise<Endpoint> {
    const beganMs = this.#clock.monotonicMs();
    for (;;) {
      if (this.#closing && !this.#anyReady()) throw this.#unreachable("transient");
      for (let step = 0; step < this.#endpoints.length; step++) {
        const index = (this.#current + step) % this.#endpoints.length;
        const endpoint = this.#endpoints[index]!;
        if (isReady(endpoint)) {
          this.#current = index;
          this.#downSinceMs = undefined;
          return endpoint;
        }
      }
      const nowMs = this.#clock.monotonicMs();
      this.#downSinceMs ??= nowMs;
      const isLost = nowMs - this.#downSinceMs >= this.#requestTimeoutMs;
      const leftMs = (isLost && !isPatient ? Math.min(deadlineMs, beganMs + LOST_WAIT_MS) : deadlineMs) - nowMs;
      if (leftMs <= 0) throw this.#unreachable(isLost ? "unreachable" : "transient");
      const roundEnd = inTimeOfDay(Math.min(leftMs, CONNECT_ROUND_MS));
      await Promise.any(this.#endpoints.map((endpoint) => connected(endpoint, roundEnd))).catch(() => undefined);
    }
  }

  #anyReady(): boolean {
    return this.#endpoints.some(isReady);
  }

  /** Nothing was sent, so nothing can have happened. */
  #unreachable(kind: "transient" | "unreachable"): EtcdFailure {
    const names = this.#endpoints.map((endpoint) => endpoint.name).join(", ");
    return new EtcdFailure(kind, false, `cannot connect to etcd at ${names} (last problem: ${this.#lastProblem})`);
  }
}

class Retries {
  readonly #clock: Clock;
  /** In the clock's monotonic time: somebody may set the time of day meanwhile. */
  readonly deadlineMs: number;
  readonly #isClosing: () => boolean;
  #backoffMs = FIRST_BACKOFF_MS;

  constructor(clock: Clock, timeoutMs: number, isClosing: () => boolean) {
    this.#clock = clock;
    this.deadlineMs = clock.monotonicMs() + timeoutMs;
    this.#isClosing = isClosing;
  }

  /** Waits before another try; rethrows what another try cannot help. */
  async afterFailure(failure: unknown): Promise<void> {
    if (!(failure instanceof EtcdFailure) || failure.kind !== "transient" || this.#isClosing()) throw failure;
    if (this.#clock.monotonicMs() + this.#backoffMs >= this.deadlineMs) throw failure;
    await this.#clock.sleep(this.#backoffMs);
    this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
  }
}

function connect(endpoint: string, tls: EtcdTls | undefined): Endpoint {
  const url = parseEndpoint(endpoint, tls !== undefined);
  const channelCredentials = url.protocol === "https:" ? secured(url.hostname, tls) : credentials.createInsecure();
  return {
    name: endpoint,
    client: new Client(`dns:${url.host}`, channelCredentials, channelOptions),
    streams: new Set(),
  };
}

function secured(hostname: string, tls: EtcdTls | undefined): ChannelCredentials {
  const [ca, key, cert] = [pem(tls?.ca), pem(tls?.key), pem(tls?.cert)];
  const address = hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(address) === 0) return credentials.createSsl(ca, key, cert);
  return new AddressCredentials(
    address,
    createSecureContext({ ca: ca ?? undefined, key: key ?? undefined, cert: cert ?? undefined }),
  );
}

interface EndpointUrl {
  readonly protocol: string;
  readonly hostname: string;
  readonly host: string;
}

function parseEndpoint(endpoint: string, tls: boolean): EndpointUrl {
  const text = endpoint.includes("://") ? endpoint : `${tls ? "https" : "http"}://${endpoint}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol) || url.hostname === "" || url.pathname !== "/") {
    throw new Error(`"${endpoint}" is no etcd endpoint: expected http[s]://host:port`);
  }
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return { protocol: url.protocol, hostname: url.hostname, host: `${url.hostname}:${port}` };
}

function pem(text: Uint8Array | string | undefined): Buffer | null {
  return text === undefined ? null : Buffer.from(text);
}

/** A member that lost its leader must say so at once instead of letting us wait. */
function requireLeader(): Metadata {
  const metadata = new Metadata();
  metadata.set("hasleader", "true");
  return metadata;
}

function isReady(endpoint: Endpoint): boolean {
  return endpoint.client.getChannel().getConnectivityState(false) === connectivityState.READY;
}

function connected(endpoint: Endpoint, deadline: number): Promise<void> {
  return new Promise((resolve, reject) => {
    endpoint.client.waitForReady(deadline, (error) => (error === undefined ? resolve() : reject(error)));
  });
}

/** gRPC takes its deadlines so, and counts what is left when it gets them. */
function inTimeOfDay(leftMs: number): number {
  return Date.now() + leftMs;
}

function isStatus(error: unknown): error is GrpcStatus {
  return typeof error === "object" && error !== null && "code" in error && "details" in error;
}
