// A whole control plane in memory: server, controllers, scheduler and nodes, without a socket. One test after the other has
// it, each with a token of its own; between them it goes back to its start, and stands aside.

import { timingSafeEqual } from "node:crypto";
import { emptyResources } from "../apiserver/empty-resources.ts";
import { inProcessClients } from "../apiserver/in-process-clients.ts";
import { type ApiServer, buildApiServer } from "../apiserver/server.ts";
import type { Authenticator } from "../authn/authenticator.ts";
import { InProcessUsers } from "../authn/in-process-users.ts";
import { systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { nextTurn } from "../base/next-turn.ts";
import type { ReceivedRequest, Response } from "../http/message.ts";
import { type Dialect, namesFor } from "../meta/names.ts";
import { SYSTEM_MASTERS } from "../meta/user.ts";
import { parseApiServerOptions } from "../options/api-server-options.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { type Actor, type ActorParts, startControllers, startNodes } from "./actors.ts";
import { Faults } from "./faults.ts";
import { HeldClock } from "./held-clock.ts";
import { ObservedHandler } from "./observed-handler.ts";
import { PausableClock } from "./pausable-clock.ts";
import type { Snapshot } from "./plinth.ts";
import { layNodes, registerAsPrepared } from "./prepared-nodes.ts";
import { readPreparedNodes, readPreparedState } from "./prepared-state.ts";
import { SeededRandom } from "./seeded-random.ts";
import { untilQuiet, untilStill, whileTimePasses } from "./until-quiet.ts";

/** What makes one control plane as good as another. */
export interface Shape {
  readonly dialect: Dialect;
  readonly flags: readonly string[];
  readonly controllers: boolean;
  readonly nodes: number;
  readonly fakeClock: boolean;
}

const ADMIN = { name: "admin", groups: [SYSTEM_MASTERS] };

/** Objects tell times in whole seconds: what happens to them depends on where in a second it begins. */
const SECOND_MS = 1_000;

const NOBODY: Tenant = { token: "", seed: 0 };

interface Parts {
  readonly clock: HeldClock | PausableClock;
  readonly engine: MemoryEngine;
  readonly server: ApiServer;
  readonly actorParts: ActorParts;
  readonly faults: Faults;
  readonly observed: ObservedHandler;
  readonly random: SeededRandom;
  readonly tenancy: { tenant: Tenant };
  /** See registerAsPrepared(). */
  readonly nodesAsPrepared: boolean;
}

/** The test that has it. Who knows the token is the administrator. */
export interface Tenant {
  readonly token: string;
  readonly seed: number;
}

export class ControlPlane {
  readonly clock: HeldClock | PausableClock;
  readonly faults: Faults;
  readonly observed: ObservedHandler;
  readonly #parts: Parts;
  #shape: Shape;
  #controllers: readonly Actor[] = [];
  #nodes: readonly Actor[] = [];
  #initial: Snapshot = new Map();
  /** At this revision everything was as in #initial. */
  #initialRevision = 0;
  #waking: Promise<void> | undefined;

  static async start(shape: Shape, tenant: Tenant): Promise<ControlPlane> {
    const { dialect } = shape;
    const nowMs = systemClock.nowMs();
    const clock = shape.fakeClock ? new HeldClock(nowMs - (nowMs % SECOND_MS)) : new PausableClock();
    const engine = new MemoryEngine({ clock });
    const users = new InProcessUsers();
    const random = new SeededRandom(tenant.seed);
    const tenancy = { tenant };
    const options = parseApiServerOptions([...shape.flags]);
    const gates = serverGates(options.featureGates, dialect);
    const server = buildApiServer({
      names: namesFor(dialect),
      options,
      gates,
      engine,
      clock,
      log: silentLog,
      randomBelow: random.below,
      ...(shape.controllers ? { firstState: readPreparedState } : {}),
      inProcessUsers: { before: (others) => users.before(withAdmin(() => tenancy.tenant.token, others)) },
    });
    await server.start();
    const faults = new Faults(() => tenancy.tenant.seed);
    const observed = new ObservedHandler(server.handler, faults, clock);
    const unused = observed.expecting(emptyResources(server.catalog, server.isAsPrepared));
    const clients = inProcessClients(observed.handleOfComponent, users, dialect, clock, unused);
    const actorParts = { clients, clock, random: random.next, gates };
    const nodesAsPrepared = shape.controllers && registerAsPrepared(options);
    const parts = { clock, engine, server, actorParts, faults, observed, random, tenancy, nodesAsPrepared };
    const plane = new ControlPlane(shape, parts);
    if (shape.controllers) plane.#controllers = await plane.#started(startControllers(actorParts));
    await plane.#addNodes();
    return plane;
  }

  private constructor(shape: Shape, parts: Parts) {
    this.#shape = shape;
    this.#parts = parts;
    this.clock = parts.clock;
    this.faults = parts.faults;
    this.observed = parts.observed;
  }

  get shape(): Shape {
    return this.#shape;
  }

  /** For the test. What it asks is answered in the order in which it asks, also where the first has to wait. */
  readonly handle = (request: ReceivedRequest): Promise<Response> => {
    const waking = request.method === "GET" ? this.#waking : this.#wakeAll();
    return waking === undefined ? this.observed.handle(request) : waking.then(() => this.observed.handle(request));
  };

  /** Resolves with whether nothing happens any more. */
  settle(): Promise<boolean> {
    return untilQuiet(this.observed, this.#actors, this.#fakeClock);
  }

  async snapshot(): Promise<Snapshot> {
    const { entries } = await this.#parts.engine.list("");
    return new Map(entries.map(({ key, value }) => [key, value]));
  }

  async restore(wanted: Snapshot): Promise<boolean> {
    await this.#wakeAll();
    await this.#goTo(wanted, undefined);
    return this.settle();
  }

  /** `changed`: what may differ, where that is known. */
  #goTo(wanted: Snapshot, changed: ReadonlySet<string> | undefined): Promise<void> {
    return restoreTo(this.#parts.engine, wanted, changed, namesFor(this.#shape.dialect).nodeLeaseNamespace);
  }

  async reset(): Promise<boolean> {
    const { engine } = this.#parts;
    this.faults.clear();
    await this.settle();
    await this.#toWholeSecond();
    await this.#goTo(this.#initial, engine.keysChangedAfter(this.#initialRevision));
    this.#initialRevision = engine.currentRevision();
    const isQuiet = await this.settle();
    await this.#forgetHistory();
    this.#forget();
    return isQuiet;
  }

  /** The test is over: nobody gets in, nothing happens. Resolves with whether the next may have it. */
  async standAside(): Promise<boolean> {
    this.#parts.tenancy.tenant = NOBODY;
    const isQuiet = await this.reset();
    if (this.clock instanceof PausableClock) this.clock.pause();
    return isQuiet;
  }

  /** For the next test. */
  comeBack(tenant: Tenant): void {
    this.#parts.tenancy.tenant = tenant;
    this.#forget();
    if (this.clock instanceof PausableClock) this.clock.resume();
  }

  /** For the next test, which wants more nodes: those that are there stay. */
  async comeBackWith(nodes: number, tenant: Tenant): Promise<void> {
    this.comeBack(tenant);
    await stopAll(this.#nodes);
    this.#shape = { ...this.#shape, nodes };
    await this.#addNodes();
    await this.#forgetHistory();
  }

  async stop(): Promise<void> {
    const { server, engine } = this.#parts;
    await stopAll(this.#actors);
    await server.close();
    await engine.close();
  }

  get #actors(): readonly Actor[] {
    return [...this.#controllers, ...this.#nodes];
  }

  get #fakeClock(): HeldClock | undefined {
    return this.clock instanceof HeldClock ? this.clock : undefined;
  }

  /**
   * Where time stands still, a test does the same again, to the turn, also one that is the first to use a kind: everybody
   * follows every kind before anything is written.
   */
  #wakeAll(): Promise<void> | undefined {
    const clock = this.#fakeClock;
    if (clock !== undefined && this.#waking === undefined && this.observed.hasSleepers) {
      this.observed.wakeAll();
      this.#waking = untilStill(this.observed, this.#actors, clock).then(() => {
        this.#waking = undefined;
      });
      // In that turn what the test asks begins.
      clock.hold(this.#waking.then(nextTurn));
    }
    return this.#waking;
  }

  #started(starting: Promise<Actor[]>): Promise<Actor[]> {
    return whileTimePasses(starting, this.observed, this.#fakeClock);
  }

  /** As many as its shape says. Every test begins with what is there then. */
  async #addNodes(): Promise<void> {
    const { nodes } = this.#shape;
    if (nodes > 0) await this.#layNodes();
    this.#nodes = nodes > 0 ? await this.#started(startNodes(this.#parts.actorParts, nodes)) : [];
    await this.#toWholeSecond();
    await this.settle();
    this.#initial = await this.snapshot();
    this.#initialRevision = this.#parts.engine.currentRevision();
    this.#forget();
  }

  /** Those that were prepared have registered already when they start. */
  async #layNodes(): Promise<void> {
    const { dialect, nodes } = this.#shape;
    const prepared = this.#parts.nodesAsPrepared ? readPreparedNodes(dialect) : undefined;
    if (prepared === undefined) return;
    // Controllers that have not begun yet would find the nodes at their first look, others at their next.
    await this.settle();
    await layNodes(this.#parts, prepared, nodes);
  }

  /** The same test does the same again, whenever it begins. */
  async #toWholeSecond(): Promise<void> {
    const clock = this.#fakeClock;
    const overMs = (clock?.nowMs() ?? 0) % SECOND_MS;
    if (overMs > 0) await clock?.advance(SECOND_MS - overMs);
  }

  /** Nobody reads at an earlier version what a test before has written, nor does it fill the memory. */
  async #forgetHistory(): Promise<void> {
    const { engine, server } = this.#parts;
    const revision = this.#initialRevision;
    await engine.compact(revision);
    for (const store of server.catalog.stores()) store.cache.compact(revision);
  }

  #forget(): void {
    this.observed.forget();
    this.faults.clear();
    this.#parts.random.restart(this.#parts.tenancy.tenant.seed);
  }
}

async function stopAll(actors: readonly Actor[]): Promise<void> {
  for (const actor of [...actors].reverse()) await actor.stop();
}

/**
 * By ordinary writes to the store: whoever watches hears of them. Signs of life of nodes that are alive stay: time has not
 * gone back, and nodes that were heard of long ago would be taken for dead in the middle of the next test.
 */
async function restoreTo(
  engine: MemoryEngine,
  wanted: Snapshot,
  changed: ReadonlySet<string> | undefined,
  leaseNamespace: string,
): Promise<void> {
  const signsOfLife = `/leases/${leaseNamespace}/`;
  const keys = changed ?? new Set([...(await engine.list("")).entries.map(({ key }) => key), ...wanted.keys()]);
  const inOrder = [...keys].sort();
  for (const key of inOrder) {
    const there = wanted.has(key) ? undefined : await engine.get(key);
    if (there !== undefined) await engine.delete(key, there.revision);
  }
  for (const key of inOrder) {
    const value = wanted.get(key);
    if (value === undefined) continue;
    const there = await engine.get(key);
    if (there === undefined) await engine.create(key, value);
    else if (there.value !== value && !key.includes(signsOfLife) && Buffer.compare(there.value, value) !== 0)
      await engine.update(key, value, there.revision);
  }
}

/** Who knows the token is the administrator; everybody else has what credentials the server knows, as service accounts. */
function withAdmin(token: () => string, others: Authenticator): Authenticator {
  return {
    authenticate: (request) =>
      isBearer(request.headers.first("authorization"), token())
        ? { result: "user", user: ADMIN }
        : others.authenticate(request),
  };
}

function isBearer(header: string | undefined, token: string): boolean {
  if (token === "") return false;
  const [given, wanted] = [Buffer.from(header ?? ""), Buffer.from(`Bearer ${token}`)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
