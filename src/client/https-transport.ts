// The transport over sockets: credentials, TLS, proxies, HTTP/2 or HTTP/1.1, time limits, and sending again where that is
// safe. Requirements: document 1, "Errors" (429, 503); document 2, "Client credential plugin", "Impersonation".

import { type Clock, systemClock } from "../base/clock.ts";
import { definedOnly } from "../base/defined-only.ts";
import { fromWire } from "../http/header-text.ts";
import {
  CredentialError,
  type CredentialSource,
  type Credentials,
  sameCredentials,
} from "./credentials/credential-source.ts";
import { credentialsOf } from "./credentials/credentials-of.ts";
import type { TerminalOptions } from "./credentials/exec-credentials.ts";
import { impersonationHeaders, type RequestHeaders } from "./credentials/impersonation-headers.ts";
import { AnswerBody } from "./https/answer-body.ts";
import { ExchangeFailed, type IncomingAnswer } from "./https/exchange.ts";
import { RequestLife } from "./https/request-life.ts";
import { mayResend, retryDelayMs } from "./https/retry.ts";
import { ServerEndpoint } from "./https/server-endpoint.ts";
import { Slots } from "./https/slots.ts";
import type { Connection } from "./kubeconfig.ts";
import {
  type ApiConnectRequest,
  type ApiRequest,
  type ApiResponse,
  type ApiSocket,
  type Transport,
  TransportError,
  type UpgradeAnswer,
  type UpgradeRequest,
} from "./transport.ts";
import { warningTexts } from "./warning-texts.ts";

export interface HttpsTransportOptions {
  readonly connection: Connection;
  readonly userAgent?: string | undefined;
  /** Who it says that it is, instead of the user of the connection. Closed with the transport. */
  readonly credentials?: CredentialSource | undefined;
  readonly limits?: { readonly [L in keyof HttpsLimits]?: number | undefined } | undefined;
  /** What credential plug-ins may have of the terminal. */
  readonly terminal?: TerminalOptions | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly clock?: Clock | undefined;
}

export interface HttpsLimits {
  /** Requests at once, until their answer is read; streams do not count once they are being read. */
  readonly maxInFlight: number;
  /** More requests than this do not wait for a place. */
  readonly maxWaiting: number;
  readonly maxBodyBytes: number;
  /** How often one request is sent. */
  readonly maxAttempts: number;
  readonly maxRetryAfterMs: number;
  /** Where a request has no limit of its own, from when there are credentials. Servers end requests after a minute. */
  readonly requestTimeoutMs: number;
  readonly connectTimeoutMs: number;
  /** A connection that answers no ping within this time, once more, is dead. */
  readonly pingIntervalMs: number;
  readonly execTimeoutMs: number;
}

export const HTTPS_LIMITS: HttpsLimits = {
  maxInFlight: 256,
  maxWaiting: 10_000,
  maxBodyBytes: 512 * 1024 * 1024,
  maxAttempts: 10,
  maxRetryAfterMs: 30_000,
  requestTimeoutMs: 70_000,
  connectTimeoutMs: 30_000,
  pingIntervalMs: 14_000,
  execTimeoutMs: 300_000,
};

export class HttpsTransport implements Transport {
  readonly #limits: HttpsLimits;
  readonly #clock: Clock;
  readonly #credentials: CredentialSource;
  readonly #server: ServerEndpoint;
  readonly #headers: RequestHeaders;
  readonly #slots: Slots;
  readonly #lives = new Set<RequestLife>();
  #closed = false;

  /** Fails with KubeconfigError. */
  constructor(options: HttpsTransportOptions) {
    const { connection, clock = systemClock, env = process.env, terminal = {}, userAgent = "plinth" } = options;
    const { cluster, user } = connection;
    this.#limits = { ...HTTPS_LIMITS, ...definedOnly(options.limits ?? {}) };
    this.#clock = clock;
    const { execTimeoutMs, connectTimeoutMs, pingIntervalMs, maxInFlight, maxWaiting } = this.#limits;
    this.#credentials = options.credentials ?? credentialsOf(connection, { clock, env, terminal, execTimeoutMs });
    this.#server = new ServerEndpoint({ cluster, clock, env, connectTimeoutMs, pingIntervalMs });
    this.#headers = {
      "user-agent": userAgent,
      ...(cluster.disableCompression ? {} : { "accept-encoding": "gzip" }),
      ...impersonationHeaders(user.impersonate),
    };
    this.#slots = new Slots(maxInFlight, maxWaiting);
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    const life = this.#begin(request.signal);
    if (request.timeoutMs !== undefined) life.limit(request.timeoutMs);
    const release = await this.#slots.take(life.signal).catch((error: unknown) => {
      life.end();
      throw error;
    });
    life.onEnd(release);
    try {
      return await this.#attempt(request, life, release);
    } catch (error) {
      const why = life.signal.aborted ? life.signal.reason : error;
      life.end();
      throw asTransportError(why);
    }
  }

  async connect({ path, protocols, signal }: ApiConnectRequest): Promise<ApiSocket> {
    const life = this.#begin(signal);
    try {
      const credentials = await this.#credentialsFor(life);
      const endpoint = await this.#server.with(credentials.identity);
      // Few need it, and everybody would wait for it at the start.
      const { openWebSocket } = await import("./https/web-socket.ts");
      const socket = await openWebSocket({
        server: this.#server.url,
        path: this.#pathOf(path),
        protocols,
        headers: this.#headersWith(credentials),
        dial: () => endpoint.dialAlone(life.signal),
        signal: life.signal,
        onClose: () => life.end(),
      });
      life.headArrived();
      return socket;
    } catch (error) {
      const why = life.signal.aborted ? life.signal.reason : error;
      life.end();
      throw asTransportError(why);
    }
  }

  /** Passes on a request for another protocol, of somebody who has none of our credentials. Fails with TransportError. */
  async upgrade({ method, path, headers, signal }: UpgradeRequest): Promise<UpgradeAnswer> {
    const life = this.#begin(signal);
    try {
      const credentials = await this.#credentialsFor(life);
      const endpoint = await this.#server.with(credentials.identity);
      // Few need it, and everybody would wait for it at the start.
      const { requestUpgrade } = await import("./https/upgrade.ts");
      const answer = await requestUpgrade({
        socket: await endpoint.dialAlone(life.signal),
        authority: this.#server.url.host,
        method,
        path: this.#pathOf(path),
        headers: { ...lowerCase(headers), ...withoutEncoding(this.#headersWith(credentials)) },
        signal: life.signal,
      });
      life.headArrived();
      answer.stream.once("close", () => life.end());
      return answer;
    } catch (error) {
      const why = life.signal.aborted ? life.signal.reason : error;
      life.end();
      throw asTransportError(why);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const life of this.#lives) life.abort(new TransportError("closed", "the client was closed"));
    this.#credentials.close();
    this.#server.destroy();
  }

  #begin(signal: AbortSignal | undefined): RequestLife {
    if (this.#closed) throw new TransportError("closed", "the client was closed");
    const life = new RequestLife(signal, this.#clock);
    this.#lives.add(life);
    life.onEnd(() => this.#lives.delete(life));
    return life;
  }

  async #attempt(request: ApiRequest, life: RequestLife, release: () => void): Promise<ApiResponse> {
    const idempotent = request.idempotent ?? (request.method === "GET" || request.method === "HEAD");
    let refreshed = false;
    for (let attempts = 1; ; attempts += 1) {
      const credentials = await this.#credentialsFor(life);
      const answer = await this.#send(request, credentials, life).catch((error: unknown) => {
        if (life.signal.aborted || !(error instanceof ExchangeFailed)) throw error;
        if (mayResend({ unsent: error.unsent, idempotent, attempts }, this.#limits)) return undefined;
        throw error;
      });
      if (answer === undefined) continue;
      const body = new AnswerBody(answer, {
        maxBytes: this.#limits.maxBodyBytes,
        signal: life.signal,
        onStream: release,
      });
      // Refused before anything was done: safe to send again, once, when there is something else to show.
      if (answer.status === 401 && !refreshed && (await this.#refresh(credentials, life))) {
        refreshed = true;
        body.discard();
        continue;
      }
      const retryAfter = answer.headers.get("retry-after");
      const answered = { status: answer.status, retryAfter, idempotent, attempts, nowMs: this.#clock.nowMs() };
      const delayMs = retryDelayMs(answered, this.#limits);
      if (delayMs !== undefined && delayMs < life.remainingMs()) {
        body.discard();
        await this.#clock.sleep(delayMs, life.signal);
        continue;
      }
      return this.#respond(request, answer, body, life, attempts);
    }
  }

  #respond(
    { method }: ApiRequest,
    answer: IncomingAnswer,
    body: AnswerBody,
    life: RequestLife,
    attempts: number,
  ): ApiResponse {
    life.headArrived();
    answer.body.once("close", () => life.end());
    const { status, headers } = answer;
    const empty = method === "HEAD" || status === 204 || status === 304;
    if (empty) body.discard();
    return {
      status,
      headers,
      warnings: warningTexts(headers.get("warning")).map(fromWire),
      attempts,
      findsDeadConnection: answer.pinged,
      bytes: () => (empty ? Promise.resolve(new Uint8Array()) : body.bytes()),
      stream: () => (empty ? nothing() : body.stream()),
    };
  }

  /** People may have to log in first: where a request has no limit of its own, its time begins afterwards. */
  async #credentialsFor(life: RequestLife): Promise<Credentials> {
    const credentials = await this.#credentials.current(life.signal);
    life.limit(this.#limits.requestTimeoutMs);
    return credentials;
  }

  /** Whether there are others than those that were refused. */
  async #refresh(used: Credentials, life: RequestLife): Promise<boolean> {
    this.#credentials.refused(used);
    return !sameCredentials(await this.#credentials.current(life.signal), used);
  }

  async #send(request: ApiRequest, credentials: Credentials, life: RequestLife): Promise<IncomingAnswer> {
    const endpoint = await this.#server.with(credentials.identity);
    life.signal.throwIfAborted();
    const { method, beforeSending } = request;
    const body = typeof request.body === "string" ? Buffer.from(request.body) : request.body;
    const headers = {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json", "content-length": String(body.length) }),
      ...lowerCase(request.headers),
      ...this.#headersWith(credentials),
    };
    const path = this.#pathOf(request.path);
    return endpoint.send({ method, path, headers, body, beforeSending }, life.signal);
  }

  #headersWith({ authorization }: Credentials): RequestHeaders {
    return authorization === undefined ? this.#headers : { ...this.#headers, authorization };
  }

  /** The server's address may have a path of its own. */
  #pathOf(path: string): string {
    return this.#server.url.pathname.replace(/\/$/, "") + path;
  }
}

/** What is passed on as it comes is encoded as its reader has asked. */
function withoutEncoding(headers: RequestHeaders): RequestHeaders {
  const { "accept-encoding": _, ...rest } = headers;
  return rest;
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function lowerCase(headers: ApiRequest["headers"] = {}): RequestHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** What callers are told; reasons of their own signals pass as they are. */
function asTransportError(error: unknown): unknown {
  if (error instanceof ExchangeFailed) return new TransportError("lost", error.message, { cause: error });
  if (error instanceof CredentialError) return new TransportError("credentials", error.message, { cause: error });
  return error;
}
