// GETs documents over TLS, with an authority of one's own, limits on size and time. Redirects are not followed.

import type { HttpsTarget } from "../tls-target.ts";
import type { Egress } from "./egress.ts";
import { HttpsCaller } from "./https-caller.ts";

interface HttpsJsonOptions {
  /** PEM; the system's authorities when not given. */
  readonly certificateAuthority?: string;
  readonly egress?: Egress;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

const HTTPS_PORT = 443;
export class HttpsJson {
  /** Documents are fetched rarely: no connection waits for the next one. */
  readonly #caller = new HttpsCaller({ maxSocketsPerTarget: 4, maxTargets: 4, maxCalls: 100, keepAlive: false });
  readonly #options: HttpsJsonOptions;

  constructor(options: HttpsJsonOptions) {
    this.#options = options;
  }

  /** A document of JSON. Fails unless all of it arrives in time with status 200. */
  get(url: string, signal?: AbortSignal): Promise<unknown> {
    return this.#fetch(url, { accept: "application/json" }, parse, signal);
  }

  /** A document of text. Fails likewise. */
  getText(url: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<string> {
    return this.#fetch(url, headers, (body) => body.toString("utf8"), signal);
  }

  async #fetch<T>(
    url: string,
    headers: Readonly<Record<string, string>>,
    read: (body: Buffer) => T,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const { timeoutMs, maxBytes, certificateAuthority, egress } = this.#options;
    const address = new URL(url);
    if (address.protocol !== "https:") throw new Error(`${url} is not an https URL`);
    const target: HttpsTarget = {
      host: address.hostname.replace(/^\[|\]$/g, ""),
      port: Number(address.port || HTTPS_PORT),
      ...(certificateAuthority === undefined ? {} : { authority: certificateAuthority }),
      ...(egress === undefined ? {} : { egress }),
    };
    const path = address.pathname + address.search;
    try {
      const { status, body } = await this.#caller.call(target, {
        method: "GET",
        path,
        headers: { ...headers, host: address.host },
        timeoutMs,
        maxAnswerBytes: maxBytes,
        ...(signal === undefined ? {} : { signal }),
      });
      if (status !== 200) throw new Error(`status ${status}`);
      return read(body);
    } catch (error) {
      throw new Error(`GET ${url}: ${(error as Error).message}`, { cause: error });
    }
  }

  close(): void {
    this.#caller.close();
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw new Error("the answer is not JSON");
  }
}
