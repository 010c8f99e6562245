// POSTs a JSON body to a service described in kubeconfig format, over kept-alive connections. Redirects are not followed.

import { readSmallFileSync } from "../../base/read-small-file.ts";
import type { ReadFile } from "../../base/start-files.ts";
import { atOnceWhileShort } from "../../base/steps.ts";
import { encodeJsonPlainInSteps } from "../../codec/json.ts";
import {
  type ClusterEntry,
  connectionOf,
  type PemSource,
  readKubeconfig,
  readPem,
  type UserEntry,
} from "../kubeconfig.ts";
import { type HttpsTarget, secureContextOf } from "../tls-target.ts";
import type { Egress } from "./egress.ts";
import { HttpsCaller } from "./https-caller.ts";

/** More than a review ever needs: a larger answer is a mistake or an attack. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const LIMITS = { maxSocketsPerTarget: 100, maxTargets: 1, maxCalls: 10_000 };
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

/** The parts of a kubeconfig's connection that a webhook needs. */
interface WebhookConnection {
  readonly cluster: Pick<ClusterEntry, "server" | "tlsServerName" | "insecureSkipTlsVerify" | "certificateAuthority">;
  readonly user: UserEntry;
}

interface PostOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

interface TransportOptions {
  /** The way there; straight when not given. */
  readonly egress?: Egress | undefined;
  readonly readSmallFile?: ReadFile | undefined;
  /** Whoever wrote down `http://` is told so at the start. */
  readonly mustUseTls?: boolean;
}

/** The service that a file in kubeconfig format names. Fails with a sentence. */
export function webhookOfFile(path: string, options: TransportOptions = {}): WebhookTransport {
  const { readSmallFile } = options;
  return new WebhookTransport(connectionOf(readKubeconfig(path, readSmallFile), undefined, readSmallFile), options);
}

export class WebhookTransport {
  readonly #caller = new HttpsCaller(LIMITS);
  readonly #target: HttpsTarget;
  readonly #url: URL;
  readonly #connection: WebhookConnection;

  /** Fails with a TypeError when the server is no URL of a service without parameters, or a certificate is none. */
  constructor(connection: WebhookConnection, { egress, readSmallFile, mustUseTls = false }: TransportOptions = {}) {
    const { cluster } = connection;
    this.#connection = connection;
    this.#url = serverUrl(cluster.server, mustUseTls);
    this.#target = {
      host: this.#url.hostname.replace(/^\[|\]$/g, ""),
      port: Number(this.#url.port || PORTS.get(this.#url.protocol)),
      isPlain: this.#url.protocol === "http:",
      insecure: cluster.insecureSkipTlsVerify,
      ...trustOf(connection, readSmallFile),
      ...(cluster.tlsServerName === undefined ? {} : { serverName: cluster.tlsServerName }),
      ...(egress === undefined ? {} : { egress }),
    };
  }

  /** `body`: a value, or its JSON. Fails when there is no whole answer in time; any status is an answer. */
  async post(body: unknown, { timeoutMs, signal }: PostOptions): Promise<WebhookAnswer> {
    const answer = await this.#caller.call(this.#target, {
      method: "POST",
      path: this.#url.pathname,
      headers: {
        host: this.#url.host,
        "content-type": "application/json",
        accept: "application/json, */*",
        ...this.#authorization(),
      },
      body: body instanceof Uint8Array ? body : await atOnceWhileShort(encodeJsonPlainInSteps(body)),
      timeoutMs,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      ...(signal === undefined ? {} : { signal }),
    });
    const retryAfter = Number(answer.headers["retry-after"] ?? Number.NaN);
    return {
      status: answer.status,
      body: answer.body,
      ...(Number.isFinite(retryAfter) ? { retryAfterSeconds: retryAfter } : {}),
    };
  }

  close(): void {
    this.#caller.close();
  }

  #authorization(): Record<string, string> {
    const { token, tokenFile, username, password } = this.#connection.user;
    // Read each time: such files are renewed while we run.
    const bearer = tokenFile === undefined ? token : readSmallFileSync(tokenFile).toString("utf8").trim();
    if (bearer !== undefined) return { authorization: `Bearer ${bearer}` };
    if (username === undefined) return {};
    return { authorization: `Basic ${Buffer.from(`${username}:${password ?? ""}`).toString("base64")}` };
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

/** A certificate that is none is noticed before the first call. */
function trustOf(
  { cluster, user }: WebhookConnection,
  readSmallFile: ReadFile | undefined,
): Pick<HttpsTarget, "authority" | "identity"> {
  const read = (source: PemSource) => readPem(source, readSmallFile);
  const { certificateAuthority, insecureSkipTlsVerify } = cluster;
  const authority = certificateAuthority === undefined ? undefined : read(certificateAuthority);
  if (authority !== undefined && !insecureSkipTlsVerify && !authority.includes("-----BEGIN CERTIFICATE-----")) {
    throw new TypeError("certificate-authority holds no PEM certificate");
  }
  const { clientCertificate, clientKey } = user;
  try {
    const shown = clientCertificate !== undefined && clientKey !== undefined;
    const identity = shown ? { certificatePem: read(clientCertificate), keyPem: read(clientKey) } : undefined;
    secureContextOf({ identity, insecure: true });
    return { authority, identity };
  } catch (error) {
    throw new TypeError(`certificate-authority, client-certificate or client-key: ${(error as Error).message}`);
  }
}
