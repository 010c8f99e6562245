// A server in process for tests of its endpoints: in memory, everybody may do everything.

import { silentLog } from "../base/log.ts";
import { callInProcess, type InProcessAnswer } from "../http/in-process.ts";
import { type Dialect, namesFor } from "../meta/names.ts";
import { SYSTEM_MASTERS } from "../meta/user.ts";
import { parseApiServerOptions } from "../options/api-server-options.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { type ApiServer, type ApiServerDeps, buildApiServer } from "./server.ts";

export interface ServerInProcess extends ApiServer {
  call(method: string, url: string, body?: unknown, headers?: Record<string, string>): Promise<JsonAnswer>;
}

export interface JsonAnswer extends InProcessAnswer {
  readonly text: string;
  /** The body, when it is JSON. */
  readonly json: unknown;
}

export interface ServerInProcessOptions {
  readonly dialect?: Dialect;
  readonly flags?: readonly string[];
  readonly deps?: Partial<ApiServerDeps>;
}

export async function serverInProcess({
  dialect = "kubernetes",
  flags = [],
  deps = {},
}: ServerInProcessOptions = {}): Promise<ServerInProcess> {
  const options = parseApiServerOptions([...flags]);
  const server = buildApiServer({
    names: namesFor(dialect),
    options,
    gates: serverGates(options.featureGates),
    engine: new MemoryEngine(),
    log: silentLog,
    authenticator: { authenticate: () => ({ result: "user", user: { name: "admin", groups: [SYSTEM_MASTERS] } }) },
    authorizer: { authorize: () => ({ verdict: "allow", reason: "" }) },
    ...deps,
  });
  await server.start();
  return {
    ...server,
    async call(method, url, body, headers = {}) {
      const answer = await callInProcess(server.handler, {
        method,
        url,
        headers: { "content-type": "application/json", "user-agent": "test/1", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = Buffer.from(answer.body).toString("utf8");
      const readable = answer.headers["content-encoding"] === undefined && text !== "";
      const isJson = readable && String(answer.headers["content-type"]).includes("json");
      return {
        ...answer,
        text,
        // Read only where it is asked for: a watch is many documents.
        get json() {
          return isJson ? JSON.parse(text) : undefined;
        },
      };
    },
  };
}
