// Prepares what new stores begin with, for the build: a server in memory, as nobody has set it up, started once, and then
// the controllers.

import { inProcessClients } from "../apiserver/in-process-clients.ts";
import { buildApiServer } from "../apiserver/server.ts";
import { InProcessUsers } from "../authn/in-process-users.ts";
import { FakeClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { nextTurn } from "../base/next-turn.ts";
import { type Dialect, namesFor } from "../meta/names.ts";
import { parseApiServerOptions } from "../options/api-server-options.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import { PREPARED_ADDRESS, PREPARED_AT_MS, PREPARED_HOST, prepareFirstState } from "../registry/first-state.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { type Actor, startControllers } from "../testing/actors.ts";

/** Turns of the event loop without a write and without work, after which everybody has done what is done at a start. */
const QUIET_TURNS = 100;

export interface FirstStates {
  /** What a server makes. */
  readonly server: string;
  /** What is there when controllers have begun too. */
  readonly controllers: string;
}

export async function firstState(dialect: Dialect): Promise<FirstStates> {
  const options = parseApiServerOptions([`--dialect=${dialect}`, `--advertise-address=${PREPARED_ADDRESS}`]);
  const gates = serverGates(options.featureGates, dialect);
  const clock = new FakeClock(PREPARED_AT_MS);
  const engine = new MemoryEngine({ clock });
  const users = new InProcessUsers();
  const apiServer = buildApiServer({
    names: namesFor(dialect),
    options,
    gates,
    engine,
    clock,
    log: silentLog,
    host: PREPARED_HOST,
    inProcessUsers: users,
    firstState: () => undefined,
  });
  await apiServer.start();
  await untilQuiet(engine, clock, []);
  const server = await prepareFirstState(engine);

  const clients = inProcessClients(apiServer.handler, users, dialect, clock);
  const actors = await startControllers({ clients, clock, random: () => 0, gates });
  await untilQuiet(engine, clock, actors);
  const controllers = await prepareFirstState(engine);
  for (const actor of actors) await actor.stop();
  await apiServer.close();
  return { server, controllers };
}

async function untilQuiet(engine: MemoryEngine, clock: FakeClock, actors: readonly Actor[]): Promise<void> {
  let revision = engine.currentRevision();
  for (let turns = 0; turns < QUIET_TURNS; turns++) {
    await clock.advance(0);
    await nextTurn();
    if (engine.currentRevision() === revision && !actors.some(({ busy }) => busy)) continue;
    revision = engine.currentRevision();
    turns = 0;
  }
}
