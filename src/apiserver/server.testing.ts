// The one server of tests that need a whole one: in process, in memory, and everybody may do everything, unless told.

import type { Authenticator } from "../authn/authenticator.ts";
import type { Clock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { serverState } from "../cmd/server-state.ts";
import { callInProcess, type InProcessAnswer } from "../http/in-process.testing.ts";
import { type Dialect, namesFor } from "../meta/names.ts";
import { SYSTEM_MASTERS, type UserInfo } from "../meta/user.ts";
import { parseApiServerOptions } from "../options/api-server-options.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import type { Authorizer } from "../registry/authorizer.ts";
import { yamlThreadOfSources } from "../registry/encoding/yaml-thread.testing.ts";
import { type PreparedObjects, readPrepared } from "../registry/prepared-objects.ts";
import type { StorageEngine } from "../storage/engine.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { type ApiServer, type ApiServerDeps, buildApiServer } from "./server.ts";

/** JSON that tests look into freely, as a client in a loosely typed language would. */
export type LooseJson = ReturnType<typeof JSON.parse>;

export interface ServerInProcess extends ApiServer {
  /** Bodies are sent as JSON unless they are text; patches are merge patches unless the headers say otherwise. */
  call(method: string, url: string, body?: unknown, headers?: Record<string, string>): Promise<JsonAnswer>;
}

export interface JsonAnswer extends InProcessAnswer {
  readonly text: string;
  /** The body, when it is one JSON document. */
  readonly json: LooseJson;
  readonly warnings: readonly string[];
}

export interface ServerInProcessOptions {
  readonly dialect?: Dialect;
  readonly flags?: readonly string[];
  /** Several servers over one engine are servers of one cluster. */
  readonly engine?: StorageEngine;
  readonly clock?: Clock;
  /** Every caller is an administrator or whom the headers of `asUser` name, unless the flags are to decide. */
  readonly authentication?: "by headers" | "by flags";
  readonly authorization?: "everything" | "by flags" | Authorizer;
  readonly deps?: Partial<ApiServerDeps>;
}

export async function serverInProcess({
  dialect = "kubernetes",
  flags = [],
  engine = new MemoryEngine(),
  clock,
  authentication = "by headers",
  authorization = "everything",
  deps = {},
}: ServerInProcessOptions = {}): Promise<ServerInProcess> {
  const options = parseApiServerOptions([...flags]);
  const prepared = await firstStateOf(dialect);
  const authorizer = authorization === "everything" ? ALLOW : authorization;
  const server = buildApiServer({
    names: namesFor(dialect),
    options,
    gates: serverGates(options.featureGates, dialect),
    engine,
    log: silentLog,
    yamlThread: yamlThreadOfSources,
    firstState: () => prepared,
    ...(clock === undefined ? {} : { clock }),
    ...(authentication === "by flags" ? {} : { authenticator: BY_HEADERS }),
    ...(authorizer === "by flags" ? {} : { authorizer }),
    ...deps,
  });
  await server.start();
  return {
    ...server,
    async call(method, url, body, headers = {}) {
      const answer = await callInProcess(server.handler, {
        method,
        url,
        headers: {
          "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
          "user-agent": "test/1",
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      return jsonAnswer(answer);
    },
  };
}

/** As a build would have prepared it: a start takes a third of the time with it. */
function firstStateOf(dialect: Dialect): Promise<PreparedObjects> {
  const known = firstStates.get(dialect) ?? serverState(dialect).then(readPrepared);
  firstStates.set(dialect, known);
  return known;
}

const firstStates = new Map<Dialect, Promise<PreparedObjects>>();

/** Headers of a request in the name of somebody. */
export function asUser(user: UserInfo): Record<string, string> {
  return { [USER_HEADER]: JSON.stringify(user) };
}

const USER_HEADER = "x-test-user";
const ADMINISTRATOR: UserInfo = { name: "admin", groups: [SYSTEM_MASTERS] };

const BY_HEADERS: Authenticator = {
  authenticate({ headers }) {
    const given = headers.first(USER_HEADER);
    return { result: "user", user: given === undefined ? ADMINISTRATOR : (JSON.parse(given) as UserInfo) };
  },
};

const ALLOW: Authorizer = { authorize: () => ({ verdict: "allow", reason: "" }) };

function jsonAnswer(answer: InProcessAnswer): JsonAnswer {
  const text = Buffer.from(answer.body).toString("utf8");
  const readable = answer.headers["content-encoding"] === undefined && text !== "";
  const isJson = readable && String(answer.headers["content-type"]).includes("json");
  const warning = answer.headers["warning"] ?? [];
  return {
    ...answer,
    text,
    warnings: Array.isArray(warning) ? warning : [String(warning)],
    // Read only where it is asked for: a watch is many documents.
    get json() {
      return isJson ? JSON.parse(text) : undefined;
    },
  };
}
