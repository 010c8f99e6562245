// Prepares what new stores begin with, for the build: a server in memory, started once, then the controllers, and nodes.

import { inProcessClients } from "../apiserver/in-process-clients.ts";
import type { Dialect } from "../meta/names.ts";
import { prepareFirstState } from "../registry/first-state.ts";
import { startControllers, startNodes } from "../testing/actors.ts";
import { PREPARED_NODES, prepareNodes } from "../testing/prepared-nodes.ts";
import { firstServer, serverState, untilQuiet } from "./server-state.ts";

export interface FirstStates {
  /** What a server makes. */
  readonly server: Buffer;
  /** What is there when controllers have begun too. */
  readonly controllers: Buffer;
  /** What simulated nodes and controllers add to that. */
  readonly nodes: Buffer;
}

export async function firstState(dialect: Dialect): Promise<FirstStates> {
  const server = await serverState(dialect);
  const { apiServer, engine, clock, users, gates } = await firstServer(dialect);
  const clients = inProcessClients(apiServer.handler, users, dialect, clock);
  const parts = { clients, clock, random: () => 0, gates };
  const managers = await startControllers(parts);
  await untilQuiet(engine, clock, () => managers.some(({ busy }) => busy));
  const controllers = await prepareFirstState(engine);

  const actors = [...managers, ...(await startNodes(parts, PREPARED_NODES))];
  await untilQuiet(engine, clock, () => actors.some(({ busy }) => busy));
  const nodes = await prepareNodes(engine);
  for (const actor of actors.reverse()) await actor.stop();
  await apiServer.close();
  return { server, controllers, nodes };
}
