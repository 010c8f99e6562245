// A server in this process for tests of custom resources, with short ways to ask it.

import { nextTurn } from "../../../base/next-turn.ts";
import { type Dialect, namesFor } from "../../../meta/names.ts";
import type { StorageEngine } from "../../../storage/engine.ts";
import { MemoryEngine } from "../../../storage/memory-engine.ts";
import { type LooseJson, serverInProcess } from "../../server.testing.ts";
import type { ApiServer } from "../../server.ts";

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
  ): Promise<{ status: number; json: LooseJson; headers: LooseJson }>;
  /** Creates a definition; fails unless it is accepted. */
  define(spec: Record<string, unknown>, metadata?: Record<string, unknown>): Promise<LooseJson>;
  definitionBody(spec: Record<string, unknown>, metadata?: Record<string, unknown>): Record<string, unknown>;
  merge(url: string, body: unknown): Promise<{ status: number; json: LooseJson; headers: LooseJson }>;
  close(): Promise<void>;
}

export async function startTestServer(
  options: { dialect?: Dialect; engine?: StorageEngine; follows?: boolean } = {},
): Promise<TestServer> {
  const { dialect = "kubernetes", engine = new MemoryEngine(), follows = false } = options;
  const names = namesFor(dialect);
  const server = await serverInProcess({ dialect, engine, deps: { follows } });
  const definitions = `/apis/${names.group("apiextensions")}/v1/customresourcedefinitions`;
  const call: TestServer["call"] = async (method, url, body, headers) => {
    const { status, text, headers: answered } = await server.call(method, url, body, headers);
    // A watch is several documents: those are looked at as text.
    const json = text.startsWith("{") && !text.includes("}\n{") ? JSON.parse(text) : text;
    return { status, headers: answered, json };
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
    merge: (url, body) => call("PATCH", url, body),
    close: () => server.close(),
  };
}

/** Waits until a question is answered with yes. */
export async function until(test: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!(await test())) {
    if (Date.now() > deadline) throw new Error(`waited too long until ${what}`);
    await nextTurn();
  }
}
