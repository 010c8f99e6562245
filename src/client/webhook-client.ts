// POSTs JSON to webhooks that objects name: by address or by service, with an authority of their own. Redirects are never
// followed, answers are bounded in size and time, connections are kept and their number is limited.

import { Agent, request } from "node:https";

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

export interface WebhookCall {
  readonly body: Uint8Array;
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
  readonly signal?: AbortSignal;
  /** Added to the address: `timeout=10s`. */
  readonly query?: string;
}

export interface WebhookReply {
  readonly status: number;
  readonly body: Buffer;
}

/** Where a service can be reached. Fails with a sentence when it cannot. */
export type ServiceResolver = (
  namespace: string,
  name: string,
  port: number,
) => Promise<{ readonly host: string; readonly port: number }>;

const HTTPS_PORT = 443;
const MAX_SOCKETS_PER_WEBHOOK = 25;
/** Connections of so many webhooks are kept. */
const MAX_AGENTS = 128;
/** Calls under way at once, over all webhooks; more are refused. */
const MAX_CALLS = 2_000;

export class WebhookClient {
  readonly #resolve: ServiceResolver;
  /** Least recently used first. */
  readonly #agents = new Map<string, Agent>();
  #calls = 0;

  constructor(resolve: ServiceResolver) {
    this.#resolve = resolve;
  }

  /** Fails when there is no whole answer in time; any status but a redirect is an answer. */
  async post(config: WebhookClientConfig, call: WebhookCall): Promise<WebhookReply> {
    if (this.#calls >= MAX_CALLS) throw new Error("too many webhook calls are under way");
    this.#calls += 1;
    try {
      const target = await this.#targetOf(config);
      if (call.query !== undefined) target.url.search = call.query;
      return await this.#send(target, call);
    } finally {
      this.#calls -= 1;
    }
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  async #targetOf({ url, service, caBundle }: WebhookClientConfig): Promise<Target> {
    const authority = caBundle ? Buffer.from(caBundle, "base64").toString("utf8") : undefined;
    if (service) {
      const { namespace, name, path } = service;
      const serverName = `${name}.${namespace}.svc`;
      const port = service.port ?? HTTPS_PORT;
      const { host, port: realPort } = await this.#resolve(namespace, name, port);
      const shown = new URL(`https://${serverName}:${port}${path ?? "/"}`);
      return { url: shown, shown: shown.href, host, port: realPort, serverName, authority };
    }
    if (!url || !URL.canParse(url)) throw new Error("the webhook has neither an address nor a service");
    const parsed = new URL(url);
    if (parsed.protocol !== "https:") throw new Error(`${url} is not an https address`);
    const host = parsed.hostname.replace(/^\[|\]$/g, "");
    return { url: parsed, shown: url, host, port: Number(parsed.port || HTTPS_PORT), serverName: host, authority };
  }

  #send({ url, shown, host, port, serverName, authority }: Target, call: WebhookCall): Promise<WebhookReply> {
    const { timeoutMs, maxAnswerBytes, signal } = call;
    const deadline = AbortSignal.timeout(timeoutMs);
    return new Promise((resolve, reject) => {
      const fail = (error: Error) => {
        const why = deadline.aborted ? "context deadline exceeded" : error.message;
        reject(new Error(`Post ${JSON.stringify(shown)}: ${why}`, { cause: error }));
      };
      const sent = request(
        {
          method: "POST",
          agent: this.#agentOf(`${host} ${port} ${serverName} ${authority ?? ""}`, serverName, authority),
          host,
          port,
          path: url.pathname + url.search,
          signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
          headers: {
            host: url.host,
            "content-type": "application/json",
            accept: "application/json, */*",
            "content-length": call.body.length,
            "user-agent": "plinth",
          },
        },
        (answer) => {
          const pieces: Buffer[] = [];
          let size = 0;
          answer.on("error", fail);
          answer.on("data", (piece: Buffer) => {
            size += piece.length;
            pieces.push(piece);
            if (size > maxAnswerBytes) answer.destroy(new Error(`the answer is larger than ${maxAnswerBytes} bytes`));
          });
          answer.on("end", () => {
            const status = answer.statusCode ?? 0;
            if (status >= 300 && status < 400) fail(new Error(`redirects are not followed (status ${status})`));
            else resolve({ status, body: Buffer.concat(pieces) });
          });
          answer.on("close", () => fail(new Error("the connection ended before the answer did")));
        },
      );
      sent.on("error", fail);
      sent.end(call.body);
    });
  }

  #agentOf(key: string, servername: string, ca: string | undefined): Agent {
    let agent = this.#agents.get(key);
    this.#agents.delete(key);
    agent ??= new Agent({
      keepAlive: true,
      maxSockets: MAX_SOCKETS_PER_WEBHOOK,
      minVersion: "TLSv1.2",
      servername: isAddress(servername) ? "" : servername,
      ...(ca === undefined ? {} : { ca }),
    });
    this.#agents.set(key, agent);
    if (this.#agents.size > MAX_AGENTS) {
      const oldest = this.#agents.keys().next().value!;
      this.#agents.get(oldest)?.destroy();
      this.#agents.delete(oldest);
    }
    return agent;
  }
}

interface Target {
  readonly url: URL;
  /** As messages name it. */
  readonly shown: string;
  readonly host: string;
  readonly port: number;
  readonly serverName: string;
  readonly authority: string | undefined;
}

const isAddress = (host: string): boolean => /^[\d.]+$/.test(host) || host.includes(":");
