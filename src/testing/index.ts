// The package `plinth/testing`: a whole server inside a test, in memory, with a client.

import { randomBytes, timingSafeEqual } from "node:crypto";
import { type ApiServer, buildApiServer } from "../apiserver/server.ts";
import { InProcessUsers } from "../authn/in-process-users.ts";
import { systemClock } from "../base/clock.ts";
import { parseFlags } from "../base/flags.ts";
import { silentLog } from "../base/log.ts";
import { Client } from "../client/client.ts";
import { InProcessTransport } from "../client/in-process-transport.ts";
import { ALL_CONTROLLERS } from "../controllers/all-controllers.ts";
import { controllerFlags } from "../controllers/controller-options.ts";
import { chooseControllers } from "../controllers/framework/choose-controllers.ts";
import { ControllerManager } from "../controllers/framework/manager.ts";
import { temporaryServingCertificate } from "../http/certificates.ts";
import { type Listener, listen } from "../http/listener.ts";
import { type Dialect, namesFor } from "../meta/names.ts";
import { serviceAccountGroups, serviceAccountUser } from "../meta/service-account-user.ts";
import { SYSTEM_MASTERS } from "../meta/user.ts";
import { parseApiServerOptions } from "../options/api-server-options.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import type { Plinth, PlinthOptions } from "./plinth.ts";
import { startNodes } from "./start-nodes.ts";

export type { Plinth, PlinthOptions } from "./plinth.ts";

const CERTIFICATE_LIFE_MS = 24 * 3_600_000;
const DRAIN_MS = 1_000;
const ADMIN = { name: "admin", groups: [SYSTEM_MASTERS] };

/** Starts a server that forgets everything at its end. Every request must carry the token that only this test knows. */
export async function startPlinth({
  dialect = "platform",
  flags = [],
  controllers = true,
  simulatedNodes = 0,
}: PlinthOptions = {}): Promise<Plinth> {
  const token = randomBytes(32).toString("base64url");
  const options = parseApiServerOptions([...flags]);
  const engine = new MemoryEngine();
  const users = new InProcessUsers();
  const server = buildApiServer({
    names: namesFor(dialect),
    options,
    gates: serverGates(options.featureGates, options.dialect),
    engine,
    log: silentLog,
    inProcessUsers: users,
    authenticator: {
      authenticate: ({ headers }) =>
        isBearer(headers.first("authorization"), token) ? { result: "user", user: ADMIN } : { result: "none" },
    },
  });
  await server.start();
  const manager = controllers ? startControllers(server, users, dialect) : undefined;
  await manager?.start();
  const { handler } = server;
  const nodes = simulatedNodes === 0 ? undefined : await startNodes({ handler, users, dialect, count: simulatedNodes });
  const headers = { authorization: `Bearer ${token}`, "user-agent": "plinth-testing" };
  const client = new Client({ transport: new InProcessTransport({ handler: server.handler, headers }), dialect });
  let listening: Promise<Listening> | undefined;
  return {
    client,
    async kubeconfig() {
      listening ??= startListening(server);
      const { listener, caPem } = await listening;
      return kubeconfigText({ server: `https://127.0.0.1:${listener.port}`, caPem, token });
    },
    async close() {
      await nodes?.stop();
      await manager?.stop();
      await client.close();
      await (await listening)?.listener.close(DRAIN_MS);
      await server.close();
      await engine.close();
    },
  };
}

/** Each acts as its own account, with a call instead of a socket. */
function startControllers(server: ApiServer, users: InProcessUsers, dialect: Dialect): ControllerManager {
  const { options } = parseFlags(controllerFlags, []);
  const { systemNamespace } = namesFor(dialect);
  const clientAs = (name: string, groups: readonly string[]) =>
    new Client({
      transport: new InProcessTransport({ handler: server.handler, connection: users.connect({ name, groups }) }),
      dialect,
    });
  return new ControllerManager({
    definitions: chooseControllers(ALL_CONTROLLERS, options, silentLog),
    options,
    client: clientAs("system:kube-controller-manager", []),
    clientFor: (account) =>
      clientAs(
        serviceAccountUser({ namespace: systemNamespace, name: account }),
        serviceAccountGroups(systemNamespace),
      ),
    clock: systemClock,
    random: Math.random,
    log: silentLog,
  });
}

interface Listening {
  readonly listener: Listener;
  readonly caPem: string;
}

async function startListening(server: ApiServer): Promise<Listening> {
  const names = ["localhost", "127.0.0.1", "::1"];
  const { caPem, ...tls } = await temporaryServingCertificate(names, {
    nowMs: systemClock.nowMs(),
    lifeMs: CERTIFICATE_LIFE_MS,
  });
  const listener = await listen({ bindAddress: "127.0.0.1", port: 0, tls, handler: server.handler });
  return { listener, caPem };
}

/** JSON, which every reader of YAML understands. */
function kubeconfigText({ server, caPem, token }: { server: string; caPem: string; token: string }): string {
  const authority = Buffer.from(caPem).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "plinth",
    clusters: [{ name: "plinth", cluster: { server, "certificate-authority-data": authority } }],
    users: [{ name: "admin", user: { token } }],
    contexts: [{ name: "plinth", context: { cluster: "plinth", user: "admin" } }],
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

function isBearer(header: string | undefined, token: string): boolean {
  const [given, wanted] = [Buffer.from(header ?? ""), Buffer.from(`Bearer ${token}`)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
