// A whole server in process, for tests of admission: every request is an administrator's unless the test says otherwise.

import { asUser, type LooseJson, type ServerInProcess, serverInProcess } from "../apiserver/server.testing.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Dialect } from "../meta/names.ts";
import type { UserInfo } from "../meta/user.ts";
import type { Authorizer } from "../registry/authorizer.ts";

export type { LooseJson } from "../apiserver/server.testing.ts";

interface TestAnswer {
  readonly status: number;
  readonly json: LooseJson;
  readonly warnings: readonly string[];
}

export interface TestServer extends Pick<ServerInProcess, "handler"> {
  call(method: string, url: string, body?: unknown, user?: UserInfo): Promise<TestAnswer>;
  apply(url: string, intent: unknown): Promise<TestAnswer>;
  close(): Promise<void>;
}

interface TestServerOptions {
  readonly flags?: readonly string[];
  readonly dialect?: Dialect;
  readonly authorizer?: Authorizer;
  readonly metrics?: Metrics;
}

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { flags = [], dialect = "kubernetes", authorizer = "everything", metrics } = options;
  const server = await serverInProcess({
    dialect,
    flags: ["--disable-admission-plugins=ServiceAccount", ...flags],
    authorization: authorizer,
    deps: metrics === undefined ? {} : { metrics },
  });
  return {
    handler: server.handler,
    call: (method, url, body, user) => server.call(method, url, body, user === undefined ? {} : asUser(user)),
    apply: (url, intent) => server.call("PATCH", url, intent, { "content-type": "application/apply-patch+yaml" }),
    close: () => server.close(),
  };
}
