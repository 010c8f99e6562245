// For tests: API servers in process over one engine, and requests to them.

import { type Clock, systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { callInProcess } from "../../http/in-process.ts";
import { type Dialect, namesFor } from "../../meta/names.ts";
import { SYSTEM_MASTERS } from "../../meta/user.ts";
import { parseApiServerOptions } from "../../options/api-server-options.ts";
import { serverGates } from "../../options/feature-gate-table.ts";
import type { StorageEngine } from "../../storage/engine.ts";
import { MemoryEngine } from "../../storage/memory-engine.ts";
import { type ApiServer, buildApiServer } from "../server.ts";

export interface TestServer extends ApiServer {
  call(method: string, url: string, body?: unknown, headers?: Record<string, string>): Promise<TestAnswer>;
}

export interface TestAnswer {
  readonly status: number;
  readonly warning: string;
  readonly json: ReturnType<typeof JSON.parse>;
}

export interface TestServerOptions {
  readonly engine?: StorageEngine;
  readonly flags?: readonly string[];
  readonly clock?: Clock;
  readonly dialect?: Dialect;
}

export async function testServer(options: TestServerOptions = {}): Promise<TestServer> {
  const server = buildApiServer({
    names: namesFor(options.dialect ?? "kubernetes"),
    options: parseApiServerOptions([...(options.flags ?? [])]),
    gates: serverGates(new Map()),
    engine: options.engine ?? new MemoryEngine(),
    log: silentLog,
    clock: options.clock ?? systemClock,
    authenticator: { authenticate: () => ({ result: "user", user: { name: "admin", groups: [SYSTEM_MASTERS] } }) },
    authorizer: { authorize: () => ({ verdict: "allow", reason: "" }) },
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
      const warning = Object.entries(answer.headers ?? {}).find(([name]) => name.toLowerCase() === "warning")?.[1];
      return {
        status: answer.status,
        warning: String(warning ?? ""),
        json: text === "" ? undefined : JSON.parse(text),
      };
    },
  };
}

export const SERVICES = "/api/v1/namespaces/default/services";

/** The smallest service, with more of a spec. */
export function service(name: string, spec: object = {}): object {
  return { apiVersion: "v1", kind: "Service", metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
}
