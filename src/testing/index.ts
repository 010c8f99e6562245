// The package `plinth/testing`: a whole control plane inside a test, in memory, with a client.

import { randomBytes, timingSafeEqual } from "node:crypto";
import { type InProcessClients, inProcessClients } from "../apiserver/in-process-clients.ts";
import { buildApiServer } from "../apiserver/server.ts";
import { InProcessUsers } from "../authn/in-process-users.ts";
import { type Clock, FakeClock, systemClock } from "../base/clock.ts";
import { parseFlags } from "../base/flags.ts";
import { silentLog } from "../base/log.ts";
import { nextTurn } from "../base/next-turn.ts";
import { Client } from "../client/client.ts";
import { InProcessTransport } from "../client/in-process-transport.ts";
import { ALL_CONTROLLERS } from "../controllers/all-controllers.ts";
import { controllerFlags } from "../controllers/controller-options.ts";
import { chooseControllers } from "../controllers/framework/choose-controllers.ts";
import { ControllerManager } from "../controllers/framework/manager.ts";
import { temporaryServingCertificate } from "../http/certificates.ts";
import { type Listener, listen } from "../http/listener.ts";
import type { ReceivedRequest } from "../http/message.ts";
import type { Handler } from "../http/pipeline.ts";
import { namesFor } from "../meta/names.ts";
import { SYSTEM_MASTERS } from "../meta/user.ts";
import { parseApiServerOptions } from "../options/api-server-options.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import { Scheduler } from "../scheduler/scheduler.ts";
import { schedulerFlags } from "../scheduler/scheduler-options.ts";
import { capacityOf, simulatedNodeFlags } from "../simulated-nodes/simulated-node-options.ts";
import { SimulatedNodes } from "../simulated-nodes/simulated-nodes.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { Faults } from "./faults.ts";
import { ObservedHandler } from "./observed-handler.ts";
import type { Plinth, PlinthOptions, Snapshot } from "./plinth.ts";

export type { FakeClock } from "../base/clock.ts";
export type { ChaosOptions, Fault, FaultRule, Faults } from "./faults.ts";
export { plinthMatchers } from "./matchers.ts";
export type { Plinth, PlinthOptions, SeenRequest, Snapshot } from "./plinth.ts";

const CERTIFICATE_LIFE_MS = 24 * 3_600_000;
const DRAIN_MS = 1_000;
const ADMIN = { name: "admin", groups: [SYSTEM_MASTERS] };
/** So many turns of the event loop without a request and without work, and nothing is on its way any more. */
const QUIET_TURNS = 12;

/** Starts a server that forgets everything at its end. Every request must carry the token that only this test knows. */
export async function startPlinth({
  dialect = "platform",
  flags = [],
  controllers = true,
  nodes = 0,
  fakeClock = false,
}: PlinthOptions = {}): Promise<Plinth> {
  const token = randomBytes(32).toString("base64url");
  const options = parseApiServerOptions([...flags]);
  const testClock = fakeClock ? new FakeClock(systemClock.nowMs()) : undefined;
  const clock: Clock = testClock ?? systemClock;
  const engine = new MemoryEngine({ clock });
  const users = new InProcessUsers();
  const server = buildApiServer({
    names: namesFor(dialect),
    options,
    gates: serverGates(options.featureGates, dialect),
    engine,
    clock,
    log: silentLog,
    inProcessUsers: users,
    authenticator: {
      authenticate: ({ headers }) =>
        isBearer(headers.first("authorization"), token) ? { result: "user", user: ADMIN } : { result: "none" },
    },
  });
  await server.start();
  const faults = new Faults();
  const observed = new ObservedHandler(server.handler, faults, clock);
  const clients = inProcessClients(observed.handle, users, dialect, clock);
  const actors = await whileTimePasses(startActors({ clients, clock, controllers, nodes }), testClock);
  const headers = { authorization: `Bearer ${token}`, "user-agent": "plinth-testing" };
  const transport = new InProcessTransport({ handler: observed.handle, headers });
  const client = new Client({ transport, dialect, clock });
  const settle = () => untilQuiet(observed, actors, testClock);
  await settle();
  const snapshot = () => snapshotOf(engine);
  const initial = await snapshot();
  observed.forget();
  let listening: Promise<Listening> | undefined;
  const close = async (): Promise<void> => {
    for (const actor of [...actors].reverse()) await actor.stop();
    await client.close();
    await (await listening)?.listener.close(DRAIN_MS);
    await server.close();
    await engine.close();
  };
  const restore = async (wanted: Snapshot): Promise<void> => {
    await restoreTo(engine, wanted);
    await settle();
  };
  return {
    client,
    clock: testClock,
    faults,
    get requests() {
      return observed.requests;
    },
    settle,
    snapshot,
    restore,
    async reset() {
      faults.clear();
      await settle();
      await restore(initial);
      observed.forget();
    },
    async kubeconfig() {
      listening ??= startListening(observed.handle);
      const { listener, caPem } = await listening;
      return kubeconfigText({ server: `https://127.0.0.1:${listener.port}`, caPem, token });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What acts on objects beside the server. */
interface Actor {
  /** Whether it has work at hand; what waits for its time does not count. */
  readonly busy: boolean;
  stop(): Promise<void>;
}

interface ActorsWish {
  readonly clients: InProcessClients;
  readonly clock: Clock;
  readonly controllers: boolean;
  readonly nodes: number;
}

/** Each acts as its own account, with a call instead of a socket. */
async function startActors({ clients, clock, controllers, nodes }: ActorsWish): Promise<Actor[]> {
  const actors: Actor[] = [];
  const log = silentLog;
  const random = Math.random;
  if (controllers) {
    const { options } = parseFlags(controllerFlags, []);
    const definitions = chooseControllers(ALL_CONTROLLERS, options, log);
    const { client, clientFor } = clients;
    const manager = new ControllerManager({ definitions, options, client, clientFor, clock, random, log });
    actors.push(manager);
    await manager.start();
  }
  if (nodes > 0) {
    const { options } = parseFlags(schedulerFlags, []);
    const scheduler = new Scheduler({
      client: clients.componentClient("system:kube-scheduler", "plinth-scheduler"),
      clock,
      random,
      log,
      options,
    });
    actors.push(scheduler);
    await scheduler.start();
    const reader = clients.componentClient("system:kube-controller-manager", "plinth-simulated-nodes");
    const capacity = capacityOf(parseFlags(simulatedNodeFlags, []).options);
    const simulated = new SimulatedNodes({ count: nodes, capacity, reader, clientFor: clients.nodeClient, clock, log });
    actors.push({ busy: false, stop: () => simulated.stop() });
    await simulated.start();
  }
  return actors;
}

const START_STEP_MS = 10;

/** Whoever has to try something again at the start waits for its time. */
async function whileTimePasses<T>(work: Promise<T>, clock: FakeClock | undefined): Promise<T> {
  let isOver = clock === undefined;
  const end = (): void => {
    isOver = true;
  };
  work.then(end, end);
  while (!isOver) {
    await clock?.advance(START_STEP_MS);
    await nextTurn();
  }
  return work;
}

/** Whoever tries something again in the middle of its work waits for time, which then passes in steps, and not for ever. */
const WAIT_STEP_MS = 10;
const MAX_WAIT_MS = 5_000;

async function untilQuiet(
  observed: ObservedHandler,
  actors: readonly Actor[],
  clock: FakeClock | undefined,
): Promise<void> {
  let answered = -1;
  let waitedMs = 0;
  for (let quiet = 0; ; quiet += 1) {
    if (observed.underWay > 0 || observed.answered !== answered) quiet = 0;
    answered = observed.answered;
    if (quiet >= QUIET_TURNS) {
      if (!actors.some(({ busy }) => busy) || waitedMs >= MAX_WAIT_MS) return;
      waitedMs += WAIT_STEP_MS;
      await (clock === undefined ? systemClock.sleep(WAIT_STEP_MS) : clock.advance(WAIT_STEP_MS));
    }
    // What is due now happens now.
    await clock?.advance(0);
    await nextTurn();
  }
}

async function snapshotOf(engine: MemoryEngine): Promise<Snapshot> {
  const { entries } = await engine.list("");
  return new Map(entries.map(({ key, value }) => [key, value]));
}

/** By ordinary writes to the store: whoever watches hears of them. */
async function restoreTo(engine: MemoryEngine, wanted: Snapshot): Promise<void> {
  const { entries } = await engine.list("");
  const present = new Map(entries.map((entry) => [entry.key, entry]));
  for (const { key, revision } of entries) if (!wanted.has(key)) await engine.delete(key, revision);
  for (const [key, value] of wanted) {
    const there = present.get(key);
    if (there === undefined) await engine.create(key, value);
    else if (Buffer.compare(there.value, value) !== 0) await engine.update(key, value, there.revision);
  }
}

interface Listening {
  readonly listener: Listener;
  readonly caPem: string;
}

async function startListening(handler: Handler<ReceivedRequest>): Promise<Listening> {
  const names = ["localhost", "127.0.0.1", "::1"];
  const { caPem, ...tls } = await temporaryServingCertificate(names, {
    nowMs: systemClock.nowMs(),
    lifeMs: CERTIFICATE_LIFE_MS,
  });
  const listener = await listen({ bindAddress: "127.0.0.1", port: 0, tls, handler });
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
