// Health endpoints: /livez, /readyz, /healthz, whole, by check, with verbose and exclude.
// Requirements: document 1, "Health endpoints".

import type { Clock, Timer } from "../../base/clock.ts";
import type { Response } from "../../http/message.ts";
import type { Names } from "../../meta/names.ts";
import { quoteText } from "../../meta/quoted.ts";

type HealthEndpoint = "healthz" | "livez" | "readyz";

interface HealthCheck {
  readonly name: string;
  readonly endpoints: readonly HealthEndpoint[];
  /** Liveness takes the check as passed until --livez-grace-period is over: the server may still be starting. */
  readonly startsSlowly?: boolean;
  /** Undefined when healthy, else why not: for the log, and for who asks for this check alone. */
  check(): string | undefined | Promise<string | undefined>;
}

interface HealthOptions {
  readonly onFailure: (check: string, why: string) => void;
  /** Told of every check that was made. */
  readonly onResult?: (check: string, endpoint: HealthEndpoint, passed: boolean) => void;
  readonly livezGraceMs?: number;
  readonly clock: Clock;
}

export const ALL_ENDPOINTS: readonly HealthEndpoint[] = ["healthz", "livez", "readyz"];

const HEADERS = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };

/** A check that has not answered by then has failed: health must not hang. */
const CHECK_TIMEOUT_MS = 3_000;
/** So many of the checks that do not exist are named in an answer. */
const MAX_NAMED = 20;

export class HealthChecks {
  readonly #names: Names;
  readonly #checks: HealthCheck[] = [];
  readonly #options: HealthOptions;
  readonly #graceEndsMs: number;

  constructor(names: Names, options: HealthOptions) {
    this.#names = names;
    this.#options = options;
    this.#graceEndsMs = options.clock.monotonicMs() + (options.livezGraceMs ?? 0);
  }

  /** Answers what takes it away again. */
  add(check: HealthCheck): () => void {
    this.#checks.push(check);
    return () => {
      const place = this.#checks.indexOf(check);
      if (place >= 0) this.#checks.splice(place, 1);
    };
  }

  /** The paths that exist, for the index of paths. */
  paths(): string[] {
    return ALL_ENDPOINTS.flatMap((endpoint) => [
      `/${endpoint}`,
      ...this.#of(endpoint).map(({ name }) => `/${endpoint}/${name}`),
    ]);
  }

  /** The answer to a health path; undefined when there is no such check. */
  async answer(path: string, query: URLSearchParams): Promise<Response | undefined> {
    const slash = path.indexOf("/", 1);
    const endpoint = (slash < 0 ? path.slice(1) : path.slice(1, slash)) as HealthEndpoint;
    const checks = this.#of(endpoint);
    if (slash < 0) return this.#answerAll(endpoint, checks, query);
    const name = path.slice(slash + 1);
    const check = checks.find((one) => one.name === name);
    return check === undefined ? undefined : this.#answerOne(endpoint, check);
  }

  #of(endpoint: HealthEndpoint): HealthCheck[] {
    return this.#checks.filter(({ endpoints }) => endpoints.includes(endpoint));
  }

  async #answerOne(endpoint: HealthEndpoint, check: HealthCheck): Promise<Response> {
    const why = await this.#run(endpoint, check);
    return why === undefined ? text(200, "ok") : text(500, `internal server error: ${why}\n`);
  }

  async #answerAll(
    endpoint: HealthEndpoint,
    checks: readonly HealthCheck[],
    query: URLSearchParams,
  ): Promise<Response> {
    const excluded = new Set(query.getAll("exclude").filter((value) => value !== ""));
    // All at the same time: whoever asks waits for the slowest, not for the sum of them.
    const problems = await Promise.all(
      checks.map((check) => (excluded.has(check.name) ? undefined : this.#run(endpoint, check))),
    );
    let failed = false;
    let lines = "";
    for (const [index, check] of checks.entries()) {
      if (excluded.delete(check.name)) {
        lines += `[+]${check.name} excluded: ok\n`;
      } else if (problems[index] === undefined) {
        lines += `[+]${check.name} ok\n`;
      } else {
        failed = true;
        lines += `[-]${check.name} failed: reason withheld\n`;
      }
    }
    if (excluded.size > 0) {
      const names = [...excluded].slice(0, MAX_NAMED).map(quoteText).join(", ");
      lines += `warn: some health checks cannot be excluded: no matches for ${names}\n`;
    }
    if (failed) return text(500, `${lines}${endpoint} check failed\n`);
    // The document says how a passed answer ends; upstream names the endpoint instead.
    const word = this.#names.dialect === "platform" ? "healthz" : endpoint;
    return text(200, query.has("verbose") ? `${lines}${word} check passed\n` : "ok");
  }

  async #run(endpoint: HealthEndpoint, check: HealthCheck): Promise<string | undefined> {
    const patient =
      endpoint === "livez" && check.startsSlowly === true && this.#options.clock.monotonicMs() < this.#graceEndsMs;
    const why = patient ? undefined : await withTimeout(this.#options.clock, check);
    this.#options.onResult?.(check.name, endpoint, why === undefined);
    if (why !== undefined) this.#options.onFailure(check.name, why);
    return why;
  }
}

async function withTimeout(clock: Clock, check: HealthCheck): Promise<string | undefined> {
  let timer: Timer | undefined;
  try {
    const answer = check.check();
    if (!(answer instanceof Promise)) return answer;
    const late = new Promise<string>((resolve) => {
      timer = clock.setTimer(CHECK_TIMEOUT_MS, () => resolve(`no answer within ${CHECK_TIMEOUT_MS / 1000} seconds`));
    });
    return await Promise.race([answer, late]);
  } catch (error) {
    return (error as Error).message;
  } finally {
    timer?.cancel();
  }
}

function text(status: number, body: string): Response {
  return { status, headers: HEADERS, body: Buffer.from(body) };
}
