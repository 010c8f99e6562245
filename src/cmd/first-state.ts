// Prepares what new stores begin with, for the build: a server in memory, as nobody has set it up, started once.

import { buildApiServer } from "../apiserver/server.ts";
import { FakeClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { nextTurn } from "../base/next-turn.ts";
import { type Dialect, namesFor } from "../meta/names.ts";
import { parseApiServerOptions } from "../options/api-server-options.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import { PREPARED_ADDRESS, PREPARED_AT_MS, prepareFirstState } from "../registry/first-state.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";

/** Turns of the event loop without a write, after which the server has noted all that it notes at a start. */
const QUIET_TURNS = 100;

export async function firstState(dialect: Dialect): Promise<string> {
  const options = parseApiServerOptions([`--dialect=${dialect}`, `--advertise-address=${PREPARED_ADDRESS}`]);
  const clock = new FakeClock(PREPARED_AT_MS);
  const engine = new MemoryEngine({ clock });
  const server = buildApiServer({
    names: namesFor(dialect),
    options,
    gates: serverGates(options.featureGates, dialect),
    engine,
    clock,
    log: silentLog,
    firstState: () => undefined,
  });
  await server.start();
  await untilQuiet(engine);
  const prepared = await prepareFirstState(engine);
  await server.close();
  return prepared;
}

async function untilQuiet(engine: MemoryEngine): Promise<void> {
  let revision = engine.currentRevision();
  for (let turns = 0; turns < QUIET_TURNS; turns++) {
    await nextTurn();
    if (engine.currentRevision() === revision) continue;
    revision = engine.currentRevision();
    turns = 0;
  }
}
