// A server in this process for tests of custom resources, with short ways to ask it.

import { silentLog } from "../../../base/log.ts";
import { callInProcess } from "../../../http/in-process.ts";
import { type Dialect, namesFor } from "../../../meta/names.ts";
import { SYSTEM_MASTERS } from "../../../meta/user.ts";
import { parseApiServerOptions } from "../../../options/api-server-options.ts";
import { serverGates } from "../../../options/feature-gate-table.ts";
import type { StorageEngine } from "../../../storage/engine.ts";
import { MemoryEngine } from "../../../storage/memory-engine.ts";
import { type ApiServer, buildApiServer } from "../../server.ts";

/** JSON that tests look into. */
type Answer = ReturnType<typeof JSON.parse>;

export interface TestServer {
  readonly server: ApiServer;
  readonly engine: StorageEngine;
  /** Where definitions live. */
  readonly definitions: string;
  call(
    method: string,
    url: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; json: Answer; headers: Answer }>;
  /** Creates a definition; fails unless it is accepted. */
  define(spec: Record<string, unknown>, metadata?: Record<string, unknown>): Promise<Answer>;
  definitionBody(spec: Record<string, unknown>, metadata?: Record<string, unknown>): Record<string, unknown>;
  merge(url: string, body: unknown): Promise<{ status: number; json: Answer; headers: Answer }>;
  close(): Promise<void>;
}

export async function startTestServer(
  options: { dialect?: Dialect; engine?: StorageEngine } = {},
): Promise<TestServer> {
  const { dialect = "kubernetes", engine = new MemoryEngine() } = options;
  const names = namesFor(dialect);
  const server = buildApiServer({
    names,
    options: parseApiServerOptions([]),
    gates: serverGates(new Map()),
    engine,
    log: silentLog,
    authenticator: { authenticate: () => ({ result: "user", user: { name: "admin", groups: [SYSTEM_MASTERS] } }) },
    authorizer: { authorize: () => ({ verdict: "allow", reason: "" }) },
  });
  await server.start();
  const definitions = `/apis/${names.group("apiextensions")}/v1/customresourcedefinitions`;
  const call: TestServer["call"] = async (method, url, body, headers = {}) => {
    const answer = await callInProcess(server.handler, {
      method,
      url,
      headers: { "content-type": "application/json", "user-agent": "test/1", ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = Buffer.from(answer.body).toString("utf8");
    return {
      status: answer.status,
      headers: answer.headers,
      json: text.startsWith("{") && !text.includes("}\n{") ? JSON.parse(text) : text,
    };
  };
  const definitionBody: TestServer["definitionBody"] = (spec, metadata = {}) => {
    const { plural } = spec["names"] as { plural: string };
    return {
      apiVersion: `${names.group("apiextensions")}/v1`,
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.${String(spec["group"])}`, ...metadata },
      spec: { scope: "Namespaced", ...spec },
    };
  };
  return {
    server,
    engine,
    definitions,
    call,
    definitionBody,
    async define(spec, metadata) {
      const { status, json } = await call("POST", definitions, definitionBody(spec, metadata));
      if (status !== 201) throw new Error(`the definition was refused: ${json.message}`);
      return json;
    },
    merge: (url, body) => call("PATCH", url, body, { "content-type": "application/merge-patch+json" }),
    close: () => server.close(),
  };
}

/** Waits until a question is answered with yes. */
export async function until(test: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!(await test())) {
    if (Date.now() > deadline) throw new Error(`waited too long until ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
