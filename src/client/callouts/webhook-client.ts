// POSTs JSON to webhooks that objects name: by address or by service, with an authority of their own. Redirects are never
// followed, answers are bounded in size and time, connections are kept and their number is limited.

import { posix } from "node:path";
import { type Clock, systemClock } from "../../base/clock.ts";
import type { HttpsTarget } from "../tls-target.ts";
import type { Egress } from "./egress.ts";
import { CallTimedOut, type HttpsAnswer, HttpsCaller, TooManyCalls } from "./https-caller.ts";

/** As configurations say it. */
export interface WebhookClientConfig {
  readonly url?: string | null | undefined;
  readonly service?:
    | {
        readonly namespace: string;
        readonly name: string;
        readonly path?: string | null;
        readonly port?: number | null;
      }
    | null
    | undefined;
  /** Base64 of PEM. */
  readonly caBundle?: string | null | undefined;
}

interface WebhookCall {
  readonly body: Uint8Array;
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
  readonly signal?: AbortSignal;
  /** Added to the address: `timeout=10s`. */
  readonly query?: string;
}

interface WebhookReply {
  readonly status: number;
  readonly body: Buffer;
}

/** Where a service can be reached. Fails with a sentence when it cannot. */
export type ServiceResolver = (
  namespace: string,
  name: string,
  port: number,
) => Promise<{ readonly host: string; readonly port: number; readonly egress?: Egress }>;

const HTTPS_PORT = 443;
const LIMITS = { maxSocketsPerTarget: 25, maxTargets: 128, maxCalls: 2_000 };
/** So often a call is made again for a webhook that asks for it. */
const MAX_RETRIES = 10;
const TOO_MANY_REQUESTS = 429;
const FIRST_SERVER_ERROR = 500;
const MS_PER_SECOND = 1000;

export class WebhookClient {
  readonly #resolve: ServiceResolver;
  readonly #egress: Egress | undefined;
  readonly #clock: Pick<Clock, "monotonicMs" | "sleep">;
  readonly #caller = new HttpsCaller(LIMITS);

  /** `egress`: the way to webhooks that are named by address. Answers take real time whatever clock others have. */
  constructor(resolve: ServiceResolver, egress?: Egress, clock: Pick<Clock, "monotonicMs" | "sleep"> = systemClock) {
    this.#resolve = resolve;
    this.#egress = egress;
    this.#clock = clock;
  }

  /**
   * Fails when there is no whole answer in time; any status but a redirect is an answer. A webhook that is busy, and says
   * when it will not be, is asked again then, as long as that is in time.
   */
  async post(config: WebhookClientConfig, call: WebhookCall): Promise<WebhookReply> {
    const { timeoutMs, maxAnswerBytes, body, signal, query } = call;
    try {
      const { target, url } = await this.#addressOf(config);
      if (query !== undefined) url.search = query;
      const endMs = this.#clock.monotonicMs() + timeoutMs;
      let answer: HttpsAnswer;
      for (let attempt = 0; ; attempt += 1) {
        answer = await this.#caller.call(target, {
          method: "POST",
          path: plainPath(url.pathname) + url.search,
          headers: { host: url.host, "content-type": "application/json", accept: "application/json, */*" },
          body,
          timeoutMs: attempt === 0 ? timeoutMs : Math.ceil(endMs - this.#clock.monotonicMs()),
          maxAnswerBytes,
          ...(signal === undefined ? {} : { signal }),
        });
        const waitMs = waitBeforeNext(answer);
        if (waitMs === undefined || attempt === MAX_RETRIES) break;
        if (this.#clock.monotonicMs() + waitMs >= endMs) break;
        await this.#clock.sleep(waitMs, signal);
      }
      const { status } = answer;
      if (status >= 300 && status < 400) throw new Error(`redirects are not followed (status ${status})`);
      return answer;
    } catch (error) {
      if (error instanceof TooManyCalls) throw new Error("too many webhook calls are under way", { cause: error });
      const why = error instanceof CallTimedOut ? "context deadline exceeded" : (error as Error).message;
      throw new Error(`Post ${JSON.stringify(shownAddress(config, query))}: ${why}`, { cause: error });
    }
  }

  close(): void {
    this.#caller.close();
  }

  async #addressOf({ url, service, caBundle }: WebhookClientConfig): Promise<Address> {
    const trust = caBundle ? { authority: Buffer.from(caBundle, "base64").toString("utf8") } : {};
    if (service) {
      const { namespace, name, path } = service;
      const serverName = `${name}.${namespace}.svc`;
      const port = service.port ?? HTTPS_PORT;
      const reached = await this.#resolve(namespace, name, port);
      const shown = new URL(`https://${serverName}:${port}${path ?? "/"}`);
      return { url: shown, target: { ...reached, serverName, ...trust } };
    }
    if (!url || !URL.canParse(url)) throw new Error("the webhook has neither an address nor a service");
    const parsed = new URL(url);
    if (parsed.protocol !== "https:") throw new Error(`${url} is not an https address`);
    const host = parsed.hostname.replace(/^\[|\]$/g, "");
    const way = this.#egress === undefined ? {} : { egress: this.#egress };
    return { url: parsed, target: { host, port: Number(parsed.port || HTTPS_PORT), ...trust, ...way } };
  }
}

interface Address {
  readonly target: HttpsTarget;
  readonly url: URL;
}

/** Undefined where the answer is final. */
function waitBeforeNext({ status, headers }: HttpsAnswer): number | undefined {
  if (status !== TOO_MANY_REQUESTS && status < FIRST_SERVER_ERROR) return undefined;
  const seconds = headers["retry-after"];
  return seconds !== undefined && /^\d{1,6}$/.test(seconds) ? Number(seconds) * MS_PER_SECOND : undefined;
}

/** One slash where there are more, none at the end: test environments join addresses and paths with a slash too many. */
function plainPath(path: string): string {
  return posix.normalize(path).replace(/(?<=.)\/$/, "");
}

/** As messages name it. */
function shownAddress({ url, service }: WebhookClientConfig, query: string | undefined): string {
  const base = service
    ? `https://${service.name}.${service.namespace}.svc:${service.port ?? HTTPS_PORT}${service.path ?? "/"}`
    : (url ?? "");
  return query === undefined ? base : `${base}?${query}`;
}
