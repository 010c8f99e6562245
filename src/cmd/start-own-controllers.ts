// Controllers in the process of an API server, as its own user.

import { systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Client } from "../client/client.ts";
import type { ControllerOptions } from "../controllers/controller-options.ts";
import type { ControllerDefinition } from "../controllers/framework/controller.ts";
import { ControllerManager } from "../controllers/framework/manager.ts";

interface OwnControllers {
  readonly definitions: readonly ControllerDefinition[];
  readonly options: ControllerOptions;
  readonly client: Client;
  readonly log: Log;
}

/** They begin at once. */
export function startOwnControllers({ client, log, ...what }: OwnControllers): ControllerManager {
  const manager = new ControllerManager({
    ...what,
    client,
    clientFor: () => client,
    clock: systemClock,
    random: Math.random,
    log,
  });
  manager.start().catch((error: unknown) => log.debug({ err: error }, "stopped before everything was known"));
  return manager;
}
