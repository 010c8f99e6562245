// What the conformance tests share: one server per dialect, a namespace per test, and open watches.

import assert from "node:assert/strict";
import { describe } from "vitest";
import { type ServerInProcess, serverInProcess } from "../../src/apiserver/server.testing.ts";
import { callInProcess } from "../../src/http/in-process.testing.ts";
import { inProcessRequest } from "../../src/http/in-process.ts";
import { isStreamBody } from "../../src/http/message.ts";
import { type Dialect, type Names, namesFor } from "../../src/meta/names.ts";

export const DIALECTS: readonly Dialect[] = ["kubernetes", "platform"];

// biome-ignore lint/suspicious/noExplicitAny: the bodies of answers are what the tests look into
export type Body = any;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly text: string;
  readonly json: Body;
  /** The Warning lines. */
  readonly warnings: readonly string[];
}

export interface WatchEvent {
  readonly type: string;
  readonly object: Body;
}

export class Api {
  readonly server: ServerInProcess;
  readonly names: Names;

  constructor(server: ServerInProcess, names: Names) {
    this.server = server;
    this.names = names;
  }

  /** A string or bytes are sent as they are, anything else as JSON. */
  async call(method: string, url: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const raw = typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
    const answer = await callInProcess(this.server.handler, {
      method,
      url,
      headers: { "content-type": "application/json", "user-agent": "conformance/1", ...headers },
      ...(raw === undefined ? {} : { body: raw }),
    });
    const text = Buffer.from(answer.body).toString("utf8");
    const isJson = String(answer.headers["content-type"]).includes("json") && !url.includes("watch=");
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      json: isJson && text !== "" ? JSON.parse(text) : undefined,
      warnings: [answer.headers["warning"] ?? []].flat(),
    };
  }

  get = (url: string, headers?: Record<string, string>) => this.call("GET", url, undefined, headers);
  post = (url: string, body: unknown, headers?: Record<string, string>) => this.call("POST", url, body, headers);
  put = (url: string, body: unknown) => this.call("PUT", url, body);
  delete = (url: string, body?: unknown) => this.call("DELETE", url, body);
  patch = (url: string, body: unknown, type: PatchType = "merge", headers: Record<string, string> = {}) =>
    this.call("PATCH", url, body, { "content-type": PATCH_TYPES[type], ...headers });
  apply = (url: string, body: unknown, manager = "m", force = false) =>
    this.patch(`${url}?fieldManager=${manager}${force ? "&force=true" : ""}`, body, "apply");

  /** Answers the object of a successful write. */
  async created(url: string, body: unknown): Promise<Body> {
    const answer = await this.post(url, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.json;
  }

  /** A fresh namespace; answers the path of its ConfigMaps. */
  async configMaps(): Promise<string> {
    spaces += 1;
    const name = `conf-${spaces}`;
    await this.created("/api/v1/namespaces", { metadata: { name } });
    return `/api/v1/namespaces/${name}/configmaps`;
  }

  async watch(url: string, headers: Record<string, string> = {}): Promise<OpenWatch> {
    return OpenWatch.open(this, url, headers);
  }
}

let spaces = 0;
const servers = new Map<Dialect, Promise<Api>>();

/** The shared server of a dialect; tests keep to namespaces of their own. */
export function api(dialect: Dialect = "kubernetes"): Promise<Api> {
  let known = servers.get(dialect);
  if (known === undefined) {
    known = serverInProcess({ dialect }).then((server) => new Api(server, namesFor(dialect)));
    servers.set(dialect, known);
  }
  return known;
}

/** The same tests in both dialects. */
export function inBothDialects(section: string, tests: (dialect: Dialect) => void): void {
  describe.each(DIALECTS)(`${section}, dialect %s`, tests);
}

const PATCH_TYPES = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;
export type PatchType = keyof typeof PATCH_TYPES;

export const configMap = (name: string, data: Record<string, string> = {}, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  data,
});

export const namesOf = (list: Body): string[] => list.items.map((item: Body) => item.metadata.name);

/** A watch over the in-process transport; a reader that takes nothing can be played. */
export class OpenWatch {
  readonly events: WatchEvent[] = [];
  readonly status: number;
  readonly ended: Promise<void>;
  #text = "";
  #waiting: (() => void)[] = [];
  readonly #stop: AbortController;

  private constructor(
    status: number,
    stop: AbortController,
    run: (take: (chunk: Uint8Array) => void) => Promise<void>,
  ) {
    this.status = status;
    this.#stop = stop;
    this.ended = run((chunk) => this.#take(chunk)).finally(() => this.#wake());
  }

  static async open(api: Api, url: string, headers: Record<string, string>): Promise<OpenWatch> {
    const stop = new AbortController();
    const request = inProcessRequest({ method: "GET", url, headers, controller: stop });
    const { status, body } = await api.server.handler(request);
    return new OpenWatch(status, stop, async (take) => {
      if (body === undefined || !isStreamBody(body)) return take(body ?? new Uint8Array());
      await body.stream({
        signal: stop.signal,
        queuedBytes: 0,
        chunkBytes: 65_536,
        drained: async () => {},
        write: (chunk) => {
          take(chunk);
          return true;
        },
      });
    });
  }

  /** The first `count` events, as soon as they are there. */
  async take(count: number): Promise<WatchEvent[]> {
    await this.until(() => this.events.length >= count);
    return this.events.slice(0, count);
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.ended;
  }

  #take(chunk: Uint8Array): void {
    this.#text += Buffer.from(chunk).toString("utf8");
    for (let end = this.#text.indexOf("\n"); end >= 0; end = this.#text.indexOf("\n")) {
      this.events.push(JSON.parse(this.#text.slice(0, end)));
      this.#text = this.#text.slice(end + 1);
    }
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
