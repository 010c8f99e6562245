// POSTs a JSON body to a service described in kubeconfig format, over kept-alive TLS. Redirects are not followed.

import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Connection } from "./kubeconfig.ts";

/** More than a review ever needs: a larger answer is a mistake or an attack. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_SOCKETS = 100;

export interface WebhookAnswer {
  readonly status: number;
  readonly body: Buffer;
  /** Seconds of the Retry-After header. */
  readonly retryAfterSeconds?: number;
}

export interface PostOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export class WebhookTransport {
  readonly #url: URL;
  readonly #agent: Agent;
  readonly #connection: Connection;

  /** Fails with a TypeError when the server is not an https URL without parameters, or a certificate is none. */
  constructor(connection: Connection) {
    const { cluster } = connection;
    if (!URL.canParse(cluster.server)) throw new TypeError(`server ${JSON.stringify(cluster.server)} is not a URL`);
    this.#url = new URL(cluster.server);
    if (this.#url.protocol !== "https:")
      throw new TypeError(`server ${JSON.stringify(cluster.server)} must be an https URL`);
    if (this.#url.search !== "" || this.#url.hash !== "") {
      throw new TypeError(`server ${JSON.stringify(cluster.server)} must not have parameters`);
    }
    this.#connection = connection;
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: MAX_SOCKETS,
      rejectUnauthorized: !cluster.insecureSkipTlsVerify,
      secureContext: secureContextOf(connection),
      ...(cluster.tlsServerName === undefined ? {} : { servername: cluster.tlsServerName }),
    });
  }

  /** Fails when there is no whole answer in time; any status is an answer. */
  post(body: unknown, { timeoutMs, signal }: PostOptions): Promise<WebhookAnswer> {
    const bytes = Buffer.from(JSON.stringify(body));
    const deadline = AbortSignal.timeout(timeoutMs);
    return new Promise((resolve, reject) => {
      const sent = request(
        this.#url,
        {
          method: "POST",
          agent: this.#agent,
          signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
          headers: {
            "content-type": "application/json",
            accept: "application/json, */*",
            "content-length": bytes.length,
            "user-agent": "plinth",
            ...this.#authorization(),
          },
        },
        (answer) => {
          const pieces: Buffer[] = [];
          let size = 0;
          answer.on("data", (piece: Buffer) => {
            size += piece.length;
            pieces.push(piece);
            if (size > MAX_ANSWER_BYTES)
              answer.destroy(new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`));
          });
          answer.on("error", fail);
          answer.on("end", () => {
            const retryAfter = Number(answer.headers["retry-after"] ?? Number.NaN);
            resolve({
              status: answer.statusCode ?? 0,
              body: Buffer.concat(pieces),
              ...(Number.isFinite(retryAfter) ? { retryAfterSeconds: retryAfter } : {}),
            });
          });
        },
      );
      const fail = (error: Error) =>
        reject(deadline.aborted ? new Error(`no answer within ${timeoutMs} ms`, { cause: error }) : error);
      sent.on("error", fail);
      sent.end(bytes);
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  #authorization(): Record<string, string> {
    const { token, tokenFile, username, password } = this.#connection.user;
    // Read each time: such files are renewed while we run.
    const bearer = tokenFile === undefined ? token : readFileSync(tokenFile, "utf8").trim();
    if (bearer !== undefined) return { authorization: `Bearer ${bearer}` };
    if (username === undefined) return {};
    return { authorization: `Basic ${Buffer.from(`${username}:${password ?? ""}`).toString("base64")}` };
  }
}

/** Made at once, so that a certificate that is none is noticed before the first call. */
function secureContextOf({ cluster, user }: Connection): SecureContext {
  const { certificateAuthority: ca, insecureSkipTlsVerify } = cluster;
  if (ca !== undefined && !insecureSkipTlsVerify && !ca.includes("-----BEGIN CERTIFICATE-----")) {
    throw new TypeError("certificate-authority holds no PEM certificate");
  }
  try {
    return createSecureContext({
      minVersion: "TLSv1.2",
      ...(ca === undefined ? {} : { ca }),
      ...(user.clientCertificate === undefined ? {} : { cert: user.clientCertificate, key: user.clientKey }),
    });
  } catch (error) {
    throw new TypeError(`certificate-authority, client-certificate or client-key: ${(error as Error).message}`);
  }
}
