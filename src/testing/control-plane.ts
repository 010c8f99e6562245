// A whole control plane in memory: server, controllers, scheduler and nodes, without a socket. One test after the other has
// it, each with a token of its own; between them it goes back to its start, and stands aside.

import { emptyResources } from "../apiserver/empty-resources.ts";
import { inProcessClients } from "../apiserver/in-process-clients.ts";
import { type ApiServer, buildApiServer, type Inheritance } from "../apiserver/server.ts";
import { InProcessUsers } from "../authn/in-process-users.ts";
import { systemClock } from "../base/clock.ts";
import { equalJson } from "../base/json.ts";
import { silentLog } from "../base/log.ts";
import { nextTurn } from "../base/next-turn.ts";
import type { ReceivedRequest, Response } from "../http/message.ts";
import { type Dialect, namesFor } from "../meta/names.ts";
import type { ApiServerOptions } from "../options/api-server-options.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { type Actor, type ActorParts, startControllers, startNodes } from "./actors.ts";
import { withAdmin } from "./admin-token.ts";
import { Faults } from "./faults.ts";
import { firstNodesOf, firstStateOf } from "./first-state.ts";
import { HeldClock } from "./held-clock.ts";
import { ObservedHandler } from "./observed-handler.ts";
import { PausableClock } from "./pausable-clock.ts";
import type { Snapshot } from "./plinth.ts";
import { layNodes, PREPARED_NODES, registerAsPrepared } from "./prepared-nodes.ts";
import { readFlags } from "./read-flags.ts";
import { restoreTo } from "./restore-store.ts";
import { SeededRandom } from "./seeded-random.ts";
import type { SeenRequest } from "./seen-request.ts";
import { untilQuiet, untilStill, whileTimePasses } from "./until-quiet.ts";

/** What makes one control plane as good as another. */
export interface Shape {
  readonly dialect: Dialect;
  readonly flags: readonly string[];
  readonly controllers: boolean;
  readonly nodes: number;
  readonly fakeClock: boolean;
}

/** A control plane, or what a test wants of one. */
export interface Shaped {
  readonly shape: Shape;
  /** What its flags say. */
  readonly options: ApiServerOptions;
}

const SECOND_MS = 1_000;

/** Whoever waits for the end of it should know why none comes. */
function tellOfRestless({ userAgent, method, path }: SeenRequest): void {
  process.stderr.write(
    `plinth: settle() waits for ${userAgent}, which comes to no rest: it has asked 100 times for ${method} ${path}\n`,
  );
}

const NOBODY: Tenant = { token: "", seed: 0 };

/** In the first control plane of a process nobody sleeps: code that has never run is run by its start, not by a test. */
let haveControllersRun = false;

interface Parts {
  readonly clock: PausableClock;
  readonly engine: MemoryEngine;
  /** The first, or another in its place. */
  readonly newServer: (options: ApiServerOptions, inheritance?: Inheritance) => ApiServer;
  readonly actorParts: ActorParts;
  readonly faults: Faults;
  readonly observed: ObservedHandler;
  readonly random: SeededRandom;
  readonly tenancy: { tenant: Tenant };
}

/** The test that has it. Who knows the token is the administrator. */
export interface Tenant {
  readonly token: string;
  readonly seed: number;
}

export class ControlPlane {
  readonly clock: PausableClock;
  readonly faults: Faults;
  readonly observed: ObservedHandler;
  readonly #parts: Parts;
  #shape: Shape;
  #options: ApiServerOptions;
  #server: ApiServer;
  /** By which the other one goes; undefined where that goes by the machine's. */
  #fakeClock: HeldClock | undefined;
  #controllers: readonly Actor[] = [];
  #nodes: readonly Actor[] = [];
  #initial: Snapshot = new Map();
  /** At this revision everything was as in #initial. */
  #initialRevision = 0;
  #withoutNodes: Snapshot = new Map();
  /** What starts when there is something to do for it. */
  #asleep: { controllers: boolean; nodes: boolean } = { controllers: false, nodes: false };
  #waking: Promise<void> | undefined;

  static async start(shape: Shape, tenant: Tenant): Promise<ControlPlane> {
    const { dialect } = shape;
    const fakeClock = fakeClockOf(shape);
    const clock = new PausableClock(fakeClock);
    const engine = new MemoryEngine({ clock });
    const users = new InProcessUsers();
    const random = new SeededRandom(tenant.seed);
    const tenancy = { tenant };
    const { options, gates } = readFlags(shape);
    const newServer: Parts["newServer"] = (ofServer, inheritance) =>
      buildApiServer({
        names: namesFor(dialect),
        options: ofServer,
        gates,
        engine,
        clock,
        log: silentLog,
        randomBelow: random.below,
        inheritance,
        ...(shape.controllers ? { firstState: firstStateOf } : {}),
        inProcessUsers: { before: (others) => users.before(withAdmin(() => tenancy.tenant.token, others)) },
      });
    const server = newServer(options);
    await server.start();
    const faults = new Faults(() => tenancy.tenant.seed);
    const observed = new ObservedHandler(server.handler, faults, clock, engine);
    const unused = observed.expecting(emptyResources(server.catalog, server.isAsPrepared));
    const clients = inProcessClients(observed.handleOfComponent, users, dialect, clock, unused);
    const actorParts = { clients, clock, random: random.next, gates };
    const parts = { clock, engine, newServer, actorParts, faults, observed, random, tenancy };
    const plane = new ControlPlane(shape, parts, options, server, fakeClock);
    if (shape.controllers) await plane.#addControllers();
    await plane.#begin();
    plane.#withoutNodes = plane.#initial;
    if (shape.nodes > 0) {
      await plane.#addNodes();
      await plane.#begin();
    }
    haveControllersRun ||= shape.controllers;
    return plane;
  }

  private constructor(
    shape: Shape,
    parts: Parts,
    options: ApiServerOptions,
    server: ApiServer,
    fakeClock: HeldClock | undefined,
  ) {
    this.#shape = shape;
    this.#parts = parts;
    this.#options = options;
    this.#server = server;
    this.#fakeClock = fakeClock;
    this.clock = parts.clock;
    this.faults = parts.faults;
    this.observed = parts.observed;
  }

  get shape(): Shape {
    return this.#shape;
  }

  get options(): ApiServerOptions {
    return this.#options;
  }

  /** For the test, to move the time. */
  get fakeClock(): HeldClock | undefined {
    return this.#fakeClock;
  }

  /** For the test. What it asks is answered in the order in which it asks, also where the first has to wait. */
  readonly handle = (request: ReceivedRequest): Promise<Response> => {
    const waking = request.method === "GET" ? this.#waking : this.#wakeAll();
    return waking === undefined ? this.observed.handle(request) : waking.then(() => this.observed.handle(request));
  };

  /** Resolves with whether nothing happens any more. */
  async settle(): Promise<boolean> {
    await this.#waking;
    return this.observed.tellingOfRestless(tellOfRestless, () =>
      untilQuiet(this.observed, this.#actors, this.#fakeClock),
    );
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
    if (this.#fakeClock === undefined) this.clock.pause();
    return isQuiet;
  }

  /** For the next test. */
  comeBack(tenant: Tenant): void {
    this.#parts.tenancy.tenant = tenant;
    this.#forget();
    this.clock.resume(this.#fakeClock ?? systemClock);
  }

  /** For the next test, which wants it of another shape; see mayBecome(). What is the same in both stays as it is. */
  async comeBackAs({ shape, options }: Shaped, tenant: Tenant): Promise<void> {
    const before = this.#shape;
    const didRegisterAsPrepared = this.#registersAsPrepared;
    this.#shape = shape;
    this.#options = options;
    if (!equalJson(shape.flags, before.flags)) await this.#replaceServer();
    const keepsTime = shape.fakeClock === before.fakeClock;
    if (!keepsTime) this.#changeClock();
    this.comeBack(tenant);
    const nodesStay = keepsTime && didRegisterAsPrepared && this.#registersAsPrepared;
    if (!nodesStay || shape.nodes !== before.nodes) {
      await stopAll(this.#nodes);
      this.#nodes = [];
      this.#asleep.nodes = false;
      if (!nodesStay || shape.nodes < before.nodes) {
        await this.#goTo(this.#withoutNodes, undefined);
        await this.settle();
      }
      if (shape.nodes > 0) await this.#addNodes();
    }
    await this.#begin();
    await this.#forgetHistory();
  }

  async stop(): Promise<void> {
    await stopAll(this.#actors);
    await this.#server.close();
    await this.#parts.engine.close();
  }

  /** Whether nodes would do so, as far as its options say. */
  get #registersAsPrepared(): boolean {
    const gates: { enabled(gate: string): boolean } = this.#parts.actorParts.gates;
    return registerAsPrepared(this.#options, (gate) => gates.enabled(gate));
  }

  get #actors(): readonly Actor[] {
    return [...this.#controllers, ...this.#nodes];
  }

  /** While no time passes, nobody asks anything: all that anybody has open stays so. */
  async #replaceServer(): Promise<void> {
    const { newServer } = this.#parts;
    this.#server = newServer(this.#options, await this.#server.standAside());
    await this.#server.start();
    this.observed.askFromNowOn(this.#server.handler);
  }

  #changeClock(): void {
    this.clock.pause();
    this.#fakeClock = fakeClockOf(this.#shape);
  }

  /** Before anything is written, or the time is moved. Undefined where nobody sleeps. */
  #wakeAll(): Promise<void> | undefined {
    const clock = this.#fakeClock;
    const { controllers, nodes } = this.#asleep;
    if (this.#waking === undefined && (controllers || nodes || (clock !== undefined && this.observed.hasSleepers))) {
      this.#waking = this.#wake().finally(() => {
        this.#waking = undefined;
      });
      // In that turn what the test asks begins.
      clock?.hold(this.#waking.then(nextTurn, nextTurn));
    }
    return this.#waking;
  }

  async #wake(): Promise<void> {
    const clock = this.#fakeClock;
    await this.observed.whileStarting(() => this.#startAsleep());
    // A test does the same again, to the turn, also one that is the first to use a kind: everybody follows every kind.
    if (clock === undefined) return;
    this.observed.wakeAll();
    await untilStill(this.observed, this.#actors, clock.unheld);
  }

  async #startAsleep(): Promise<void> {
    const { actorParts, engine, random, tenancy } = this.#parts;
    const { controllers, nodes } = this.#asleep;
    if (!controllers && !nodes) return;
    this.#asleep = { controllers: false, nodes: false };
    if (controllers) this.#controllers = await this.#started(startControllers(actorParts));
    await untilQuiet(this.observed, this.#actors, this.#fakeClock?.unheld);
    if (nodes) this.#nodes = await this.#started(startNodes(actorParts, this.#shape.nodes));
    await untilQuiet(this.observed, this.#actors, this.#fakeClock?.unheld);
    // As if they had been there when the test began.
    if (engine.currentRevision() !== this.#initialRevision) await this.#remember();
    random.restart(tenancy.tenant.seed);
  }

  #started(starting: Promise<Actor[]>): Promise<Actor[]> {
    return whileTimePasses(starting, this.observed, this.#fakeClock?.unheld);
  }

  /** They sleep where everything stands as they would leave it. */
  async #addControllers(): Promise<void> {
    const { engine, actorParts } = this.#parts;
    const { entries } = await engine.list("");
    const isPrepared = this.#registersAsPrepared && entries.every(this.#server.isAsPrepared);
    if (isPrepared && haveControllersRun) this.#asleep.controllers = true;
    else this.#controllers = await this.#started(startControllers(actorParts));
  }

  /** As many as its shape says. */
  async #addNodes(): Promise<void> {
    const { engine, actorParts } = this.#parts;
    const { dialect, nodes, controllers } = this.#shape;
    const prepared = controllers && this.#registersAsPrepared ? firstNodesOf(dialect) : undefined;
    // Those that were prepared have registered already when they start.
    if (prepared !== undefined) await layNodes({ engine, server: this.#server }, prepared, nodes);
    this.#asleep.nodes = haveControllersRun && prepared !== undefined && nodes <= PREPARED_NODES;
    if (this.#asleep.nodes) return;
    await this.#wakeAll();
    this.#nodes = await this.#started(startNodes(actorParts, nodes));
  }

  /** Every test begins with what is there now. */
  async #begin(): Promise<void> {
    await this.#toWholeSecond();
    await this.settle();
    await this.#remember();
    this.#forget();
    if (this.#fakeClock !== undefined) this.#fakeClock.beforeMove = () => this.#wakeAll();
    // Nodes give signs of life, whatever the test does.
    else if (this.#asleep.nodes) this.clock.setTimer(SECOND_MS, () => this.#wakeAll()?.catch(() => undefined));
  }

  async #remember(): Promise<void> {
    this.#initial = await this.snapshot();
    this.#initialRevision = this.#parts.engine.currentRevision();
  }

  /** The same test does the same again, whenever it begins. */
  async #toWholeSecond(): Promise<void> {
    const clock = this.#fakeClock;
    const overMs = (clock?.nowMs() ?? 0) % SECOND_MS;
    if (overMs > 0) await clock?.advance(SECOND_MS - overMs);
  }

  /** Nobody reads at an earlier version what a test before has written, nor does it fill the memory. */
  async #forgetHistory(): Promise<void> {
    const { engine } = this.#parts;
    const revision = this.#initialRevision;
    await engine.compact(revision);
    for (const store of this.#server.catalog.stores()) store.cacheInUse?.compact(revision);
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

/** Objects tell times in whole seconds: what happens to them depends on where in a second it begins. */
function fakeClockOf({ fakeClock }: Shape): HeldClock | undefined {
  const nowMs = systemClock.nowMs();
  return fakeClock ? new HeldClock(nowMs - (nowMs % SECOND_MS)) : undefined;
}
