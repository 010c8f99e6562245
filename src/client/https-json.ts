// GETs JSON documents over TLS, with an authority of one's own, limits on size and time. Redirects are not followed.

import { Agent, request } from "node:https";

export interface HttpsJsonOptions {
  /** PEM; the system's authorities when not given. */
  readonly certificateAuthority?: string;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

const MAX_SOCKETS = 4;

export class HttpsJson {
  readonly #agent: Agent;
  readonly #options: HttpsJsonOptions;

  constructor(options: HttpsJsonOptions) {
    this.#options = options;
    this.#agent = new Agent({
      keepAlive: false,
      maxSockets: MAX_SOCKETS,
      minVersion: "TLSv1.2",
      ...(options.certificateAuthority === undefined ? {} : { ca: options.certificateAuthority }),
    });
  }

  /** Fails unless the whole document arrives in time with status 200. */
  get(url: string, signal?: AbortSignal): Promise<unknown> {
    const { timeoutMs, maxBytes } = this.#options;
    const target = new URL(url);
    if (target.protocol !== "https:") return Promise.reject(new Error(`${url} is not an https URL`));
    const deadline = AbortSignal.timeout(timeoutMs);
    return new Promise((resolve, reject) => {
      const fail = (error: Error) =>
        reject(
          deadline.aborted
            ? new Error(`GET ${url}: no answer within ${timeoutMs} ms`)
            : new Error(`GET ${url}: ${error.message}`),
        );
      const sent = request(
        target,
        {
          agent: this.#agent,
          signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
          headers: { accept: "application/json", "user-agent": "plinth" },
        },
        (answer) => {
          const pieces: Buffer[] = [];
          let size = 0;
          answer.on("data", (piece: Buffer) => {
            size += piece.length;
            pieces.push(piece);
            if (size > maxBytes) answer.destroy(new Error(`the answer is larger than ${maxBytes} bytes`));
          });
          answer.on("error", fail);
          answer.on("end", () => {
            if (answer.statusCode !== 200) return fail(new Error(`status ${answer.statusCode}`));
            try {
              resolve(JSON.parse(Buffer.concat(pieces).toString("utf8")));
            } catch {
              fail(new Error("the answer is not JSON"));
            }
          });
        },
      );
      sent.on("error", fail);
      sent.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
