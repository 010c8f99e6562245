// POSTs a JSON body to a service described in kubeconfig format, over kept-alive TLS. Redirects are not followed.

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
const HTTPS_PORT = 443;

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

/** The service that a file in kubeconfig format names. Fails with a sentence. */
export function webhookOfFile(path: string, egress?: Egress, readSmallFile?: ReadFile): WebhookTransport {
  const connection = connectionOf(readKubeconfig(path, readSmallFile), undefined, readSmallFile);
  return new WebhookTransport(connection, egress, readSmallFile);
}

export class WebhookTransport {
  readonly #caller = new HttpsCaller(LIMITS);
  readonly #target: HttpsTarget;
  readonly #url: URL;
  readonly #connection: WebhookConnection;

  /** Fails with a TypeError when the server is not an https URL without parameters, or a certificate is none. */
  constructor(connection: WebhookConnection, egress?: Egress, readSmallFile?: ReadFile) {
    const { cluster } = connection;
    this.#connection = connection;
    this.#url = serverUrl(cluster.server);
    this.#target = {
      host: this.#url.hostname.replace(/^\[|\]$/g, ""),
      port: Number(this.#url.port || HTTPS_PORT),
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

function serverUrl(server: string): URL {
  if (!URL.canParse(server)) throw new TypeError(`server ${JSON.stringify(server)} is not a URL`);
  const url = new URL(server);
  if (url.protocol !== "https:") throw new TypeError(`server ${JSON.stringify(server)} must be an https URL`);
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
