// POSTs a JSON body to a service described in kubeconfig format, over kept-alive connections. Redirects are not followed.

import { X509Certificate } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { readSmallFileSync } from "../../base/read-small-file.ts";
import type { ReadFile } from "../../base/start-files.ts";
import { atOnceWhileShort } from "../../base/steps.ts";
import { encodeJsonPlainInSteps } from "../../codec/json.ts";
import type { CredentialSource, Credentials } from "../credentials/credential-source.ts";
import { credentialsOf } from "../credentials/credentials-of.ts";
import { type Connection, connectionOf, type PemSource, readKubeconfig, readPem } from "../kubeconfig.ts";
import { certificatesIn, type HttpsTarget, secureContextOf } from "../tls-target.ts";
import type { Egress } from "./egress.ts";
import { HttpsCaller } from "./https-caller.ts";

/** More than a review ever needs: a larger answer is a mistake or an attack. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const LIMITS = { maxSocketsPerTarget: 100, maxTargets: 1, maxCalls: 10_000 };
/** A server does not wait for people. */
const PLUGIN_TIMEOUT_MS = 30_000;
const PORTS: ReadonlyMap<string, number> = new Map([
  ["http:", 80],
  ["https:", 443],
]);

export interface WebhookAnswer {
  readonly status: number;
  readonly body: Buffer;
  /** Seconds of the Retry-After header. */
  readonly retryAfterSeconds?: number;
}

interface PostOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

interface TransportOptions {
  readonly clock: Clock;
  /** The way there; straight when not given. */
  readonly egress?: Egress | undefined;
  readonly readSmallFile?: ReadFile | undefined;
  /** Whoever wrote down `http://` is told so at the start. */
  readonly mustUseTls?: boolean;
}

/** The service that a file in kubeconfig format names. Fails with a sentence. */
export function webhookOfFile(path: string, options: TransportOptions): WebhookTransport {
  const { readSmallFile } = options;
  return new WebhookTransport(connectionOf(readKubeconfig(path, readSmallFile), undefined, readSmallFile), options);
}

export class WebhookTransport {
  readonly #caller = new HttpsCaller(LIMITS);
  readonly #url: URL;
  readonly #credentials: CredentialSource;
  /** With what was shown last. */
  #shown: { readonly credentials: Credentials | undefined; readonly target: HttpsTarget };

  /** Fails when the server is no URL of a service without parameters, or what is to be shown to it cannot be read. */
  constructor(connection: Connection, options: TransportOptions) {
    const { clock, egress, readSmallFile, mustUseTls = false } = options;
    const { cluster } = connection;
    this.#url = serverUrl(cluster.server, mustUseTls);
    const target = {
      host: this.#url.hostname.replace(/^\[|\]$/g, ""),
      port: Number(this.#url.port || PORTS.get(this.#url.protocol)),
      isPlain: this.#url.protocol === "http:",
      insecure: cluster.insecureSkipTlsVerify,
      authority: authorityOf(connection, readSmallFile),
      ...(cluster.tlsServerName === undefined ? {} : { serverName: cluster.tlsServerName }),
      ...(egress === undefined ? {} : { egress }),
    };
    checkUser(connection, readSmallFile);
    this.#shown = { credentials: undefined, target };
    this.#credentials = credentialsOf(connection, {
      clock,
      env: process.env,
      terminal: { stdinUnavailable: "a server asks" },
      execTimeoutMs: PLUGIN_TIMEOUT_MS,
    });
  }

  /** `body`: a value, or its JSON. Fails when there is no whole answer in time; any status is an answer. */
  async post(body: unknown, { timeoutMs, signal }: PostOptions): Promise<WebhookAnswer> {
    const credentials = await this.#credentials.current(signal);
    const answer = await this.#caller.call(this.#targetFor(credentials), {
      method: "POST",
      path: this.#url.pathname,
      headers: {
        host: this.#url.host,
        "content-type": "application/json",
        accept: "application/json, */*",
        ...(credentials.authorization === undefined ? {} : { authorization: credentials.authorization }),
      },
      body: body instanceof Uint8Array ? body : await atOnceWhileShort(encodeJsonPlainInSteps(body)),
      timeoutMs,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      ...(signal === undefined ? {} : { signal }),
    });
    if (answer.status === 401) this.#credentials.refused(credentials);
    const retryAfter = Number(answer.headers["retry-after"] ?? Number.NaN);
    return {
      status: answer.status,
      body: answer.body,
      ...(Number.isFinite(retryAfter) ? { retryAfterSeconds: retryAfter } : {}),
    };
  }

  close(): void {
    this.#credentials.close();
    this.#caller.close();
  }

  /** Another certificate needs another connection. */
  #targetFor(credentials: Credentials): HttpsTarget {
    if (this.#shown.credentials !== credentials) {
      const { identity: _, ...target } = this.#shown.target;
      const { identity } = credentials;
      this.#shown = { credentials, target: identity === undefined ? target : { ...target, identity } };
    }
    return this.#shown.target;
  }
}

function serverUrl(server: string, mustUseTls: boolean): URL {
  if (!URL.canParse(server)) throw new TypeError(`server ${JSON.stringify(server)} is not a URL`);
  const url = new URL(server);
  if (!PORTS.has(url.protocol) || (mustUseTls && url.protocol !== "https:")) {
    throw new TypeError(`server ${JSON.stringify(server)} must be an ${mustUseTls ? "" : "http or "}https URL`);
  }
  if (url.search !== "" || url.hash !== "") {
    throw new TypeError(`server ${JSON.stringify(server)} must not have parameters`);
  }
  return url;
}

/** An authority that is none is noticed before the first call. */
function authorityOf({ cluster }: Connection, readSmallFile: ReadFile | undefined): string | undefined {
  const { certificateAuthority: source } = cluster;
  if (source === undefined || cluster.insecureSkipTlsVerify) return undefined;
  const pem = readPem(source, readSmallFile);
  const found = certificatesIn(pem).filter((block) => block.startsWith("-----BEGIN CERTIFICATE-----"));
  if (found.length === 0) throw new TypeError(`${source.at}: there is no PEM block of type CERTIFICATE in it`);
  for (const block of found) noticing([source.at], () => new X509Certificate(block));
  return pem;
}

/** So are a certificate, a key and a file with a token. */
function checkUser({ user }: Connection, readSmallFile: ReadFile = readSmallFileSync): void {
  const { clientCertificate, clientKey, tokenFile } = user;
  if (clientCertificate !== undefined && clientKey !== undefined) {
    const read = (source: PemSource) => readPem(source, readSmallFile);
    noticing([clientCertificate.at, clientKey.at], () =>
      secureContextOf({
        identity: { certificatePem: read(clientCertificate), keyPem: read(clientKey) },
        insecure: true,
      }),
    );
  }
  if (tokenFile !== undefined) noticing(["tokenFile"], () => readSmallFile(tokenFile));
}

function noticing(fields: readonly string[], read: () => unknown): void {
  try {
    read();
  } catch (error) {
    throw new TypeError(`${fields.join(", ")}: ${(error as Error).message}`);
  }
}
