// Prepares what new stores begin with: a server in memory, as nobody has set it up, started once.

import { type ApiServer, buildApiServer } from "../apiserver/server.ts";
import { InProcessUsers } from "../authn/in-process-users.ts";
import { FakeClock } from "../base/clock.ts";
import type { FeatureGates } from "../base/feature-gates.ts";
import { silentLog } from "../base/log.ts";
import { nextTurn } from "../base/next-turn.ts";
import { type Dialect, namesFor } from "../meta/names.ts";
import { parseApiServerOptions } from "../options/api-server-options.ts";
import { type GateName, serverGates } from "../options/feature-gate-table.ts";
import { PREPARED_ADDRESS, PREPARED_HOST, prepareFirstState } from "../registry/first-state.ts";
import { PREPARED_AT_MS } from "../registry/prepared-objects.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";

/** Turns of the event loop without a write and without work, after which everybody has done what is done at a start. */
const QUIET_TURNS = 100;

interface FirstServer {
  readonly apiServer: ApiServer;
  readonly engine: MemoryEngine;
  readonly clock: FakeClock;
  readonly users: InProcessUsers;
  readonly gates: FeatureGates<GateName>;
}

/** What a server makes at its first start. */
export async function serverState(dialect: Dialect): Promise<Buffer> {
  const { engine, apiServer } = await firstServer(dialect);
  const prepared = await prepareFirstState(engine);
  await apiServer.close();
  return prepared;
}

/** One that has made everything. */
export async function firstServer(dialect: Dialect): Promise<FirstServer> {
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
  await untilQuiet(engine, clock);
  return { apiServer, engine, clock, users, gates };
}

/** `isBusy`: whether somebody has work who has written nothing yet. */
export async function untilQuiet(engine: MemoryEngine, clock: FakeClock, isBusy = () => false): Promise<void> {
  let revision = engine.currentRevision();
  for (let turns = 0; turns < QUIET_TURNS; turns++) {
    await clock.advance(0);
    await nextTurn();
    if (engine.currentRevision() === revision && !isBusy()) continue;
    revision = engine.currentRevision();
    turns = 0;
  }
}
