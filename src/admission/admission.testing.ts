// A whole server in process, for tests of admission: every request is an administrator's unless the test says otherwise.

import { buildApiServer } from "../apiserver/server.ts";
import { silentLog } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import { callInProcess } from "../http/in-process.ts";
import { type Dialect, namesFor } from "../meta/names.ts";
import { SYSTEM_MASTERS, type UserInfo } from "../meta/user.ts";
import { parseApiServerOptions } from "../options/api-server-options.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import type { Authorizer } from "../registry/authorizer.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";

// Answers are looked into freely, as a client in a loosely typed language would.
// biome-ignore lint/suspicious/noExplicitAny: the shape of every answer is what the tests are about
export type LooseJson = any;

export interface TestAnswer {
  readonly status: number;
  readonly json: LooseJson;
  readonly warnings: readonly string[];
}

export interface TestServer {
  call(method: string, url: string, body?: unknown, user?: UserInfo): Promise<TestAnswer>;
  close(): Promise<void>;
}

export interface TestServerOptions {
  readonly flags?: readonly string[];
  readonly dialect?: Dialect;
  readonly authorizer?: Authorizer;
  readonly metrics?: Metrics;
}

const ADMIN: UserInfo = { name: "admin", groups: [SYSTEM_MASTERS] };

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { flags = [], dialect = "kubernetes", authorizer = ALLOW, metrics } = options;
  const parsed = parseApiServerOptions(["--disable-admission-plugins=ServiceAccount", ...flags]);
  const server = buildApiServer({
    names: namesFor(dialect),
    options: parsed,
    gates: serverGates(parsed.featureGates),
    engine: new MemoryEngine(),
    log: silentLog,
    authenticator: {
      authenticate: (request) => {
        const user = request.headers.first("x-test-user");
        return { result: "user", user: user === undefined ? ADMIN : (JSON.parse(user) as UserInfo) };
      },
    },
    authorizer,
    ...(metrics === undefined ? {} : { metrics }),
  });
  await server.start();
  return {
    async call(method, url, body, user) {
      const answer = await callInProcess(server.handler, {
        method,
        url,
        headers: {
          "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
          "user-agent": "test/1",
          ...(user === undefined ? {} : { "x-test-user": JSON.stringify(user) }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const warning = answer.headers["warning"] ?? [];
      return {
        status: answer.status,
        json: JSON.parse(Buffer.from(answer.body).toString("utf8")),
        warnings: Array.isArray(warning) ? warning : [String(warning)],
      };
    },
    close: () => server.close(),
  };
}

const ALLOW: Authorizer = { authorize: () => ({ verdict: "allow", reason: "" }) };
