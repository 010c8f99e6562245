// Health endpoints: /livez, /readyz, /healthz, whole, by check, with verbose and exclude.
// Requirements: document 1, "Health endpoints".

import type { Response } from "../../http/message.ts";
import type { Names } from "../../meta/names.ts";
import { readBoolean } from "../registry/list-query.ts";

export type HealthEndpoint = "healthz" | "livez" | "readyz";

export interface HealthCheck {
  readonly name: string;
  readonly endpoints: readonly HealthEndpoint[];
  /** Undefined when healthy, else why not: for the log, not for the answer. */
  check(): string | undefined | Promise<string | undefined>;
}

export const ALL_ENDPOINTS: readonly HealthEndpoint[] = ["healthz", "livez", "readyz"];

const HEADERS = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };

export class HealthChecks {
  readonly #names: Names;
  readonly #checks: HealthCheck[] = [];
  readonly #onFailure: (check: string, why: string) => void;

  constructor(names: Names, onFailure: (check: string, why: string) => void) {
    this.#names = names;
    this.#onFailure = onFailure;
  }

  add(check: HealthCheck): void {
    this.#checks.push(check);
  }

  /** The paths that exist, for the index of paths. */
  paths(): string[] {
    return ALL_ENDPOINTS.flatMap((endpoint) => [`/${endpoint}`, ...this.#of(endpoint).map(({ name }) => `/${endpoint}/${name}`)]);
  }

  /** The answer to a health path; undefined when there is no such check. */
  async answer(path: string, query: URLSearchParams): Promise<Response | undefined> {
    const [endpoint, ...rest] = path.split("/").filter((part) => part !== "");
    const name = rest.join("/");
    const checks = this.#of(endpoint as HealthEndpoint);
    if (name === "") return this.#answerAll(endpoint as HealthEndpoint, checks, query);
    const check = checks.find((one) => one.name === name);
    return check === undefined ? undefined : this.#answerOne(check);
  }

  #of(endpoint: HealthEndpoint): HealthCheck[] {
    return this.#checks.filter(({ endpoints }) => endpoints.includes(endpoint));
  }

  async #answerOne(check: HealthCheck): Promise<Response> {
    const why = await check.check();
    if (why === undefined) return text(200, "ok");
    this.#onFailure(check.name, why);
    return text(500, `internal server error: ${why}\n`);
  }

  async #answerAll(endpoint: HealthEndpoint, checks: readonly HealthCheck[], query: URLSearchParams): Promise<Response> {
    const excluded = new Set(query.getAll("exclude").flatMap((value) => value.split(",")).filter((value) => value !== ""));
    let failed = false;
    let lines = "";
    for (const check of checks) {
      if (excluded.delete(check.name)) {
        lines += `[+]${check.name} excluded: ok\n`;
        continue;
      }
      const why = await check.check();
      if (why === undefined) lines += `[+]${check.name} ok\n`;
      else {
        failed = true;
        this.#onFailure(check.name, why);
        lines += `[-]${check.name} failed: reason withheld\n`;
      }
    }
    if (excluded.size > 0) {
      lines += `warn: some health checks cannot be excluded: no matches for ${[...excluded].map((name) => JSON.stringify(name)).join(", ")}\n`;
    }
    // The document says how a passed answer ends; upstream names the endpoint instead.
    const word = this.#names.dialect === "platform" ? "healthz" : endpoint;
    if (failed) return text(500, `${lines}${endpoint} check failed\n`);
    return text(200, readBoolean(query, "verbose") === true ? `${lines}${word} check passed\n` : "ok");
  }
}

function text(status: number, body: string): Response {
  return { status, headers: HEADERS, body: Buffer.from(body) };
}
