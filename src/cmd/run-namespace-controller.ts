// What lives in a namespace goes with it (document 1, "Terminology"), also where no controller manager runs: the manager's
// own controller, as the server's own user, which every authorizer lets through. Beside a manager both do the same. It is made
// when a namespace ends for the first time: most servers alone never see one.

import { inProcessClients } from "../apiserver/in-process-clients.ts";
import type { InProcessUsers } from "../authn/in-process-users.ts";
import { systemClock } from "../base/clock.ts";
import { parseFlags } from "../base/flags.ts";
import type { Log } from "../base/log.ts";
import { ALL_CONTROLLERS } from "../controllers/all-controllers.ts";
import { controllerFlags } from "../controllers/controller-options.ts";
import { chooseControllers } from "../controllers/framework/choose-controllers.ts";
import type { ControllerDefinition } from "../controllers/framework/controller.ts";
import type { Dialect } from "../meta/names.ts";
import { SERVER_USER } from "../registry/server-writes.ts";
import type { StartedServer } from "./run-server.ts";
import { startOwnControllers } from "./start-own-controllers.ts";

/**
 * After a namespace was last written: who ends one and then finalizes it alone writes the version that was just read, and is
 * not to find it changed. Upstream's manager waits, too, and longer.
 */
const FIRST_LOOK_MS = 1_000;

interface NamespacesRequest {
  readonly server: StartedServer;
  readonly users: InProcessUsers;
  readonly dialect: Dialect;
  readonly log: Log;
}

/** Ends with `stop`, before the server does. */
export function runNamespaceController(request: NamespacesRequest): { stop(): Promise<void> } {
  let running: ReturnType<typeof startController> | undefined;
  const lookNoMore = request.server.onFirstEndingNamespace(() => {
    running = startController(request);
  });
  return {
    async stop() {
      lookNoMore();
      await running?.stop();
    },
  };
}

function startController({ server, users, dialect, log }: NamespacesRequest): { stop(): Promise<void> } {
  const { componentClient } = inProcessClients(server.handler, users, dialect, systemClock, server.emptyResources);
  const client = componentClient(SERVER_USER.name, "plinth-apiserver/namespace-controller", SERVER_USER.groups);
  const { options } = parseFlags(controllerFlags, ["--controllers=namespace-controller"]);
  const definitions = chooseControllers(ALL_CONTROLLERS, options, log).map(patient);
  const manager = startOwnControllers({ definitions, options, client, log });
  return {
    async stop() {
      await manager.stop();
      await client.close();
    },
  };
}

function patient(definition: ControllerDefinition): ControllerDefinition {
  return {
    ...definition,
    build(context) {
      const controller = definition.build(context);
      return {
        ...controller,
        watch: (queue) =>
          controller.watch({
            add: (key) => queue.addAfter(key, FIRST_LOOK_MS),
            addAfter: (key, afterMs) => queue.addAfter(key, afterMs),
          }),
      };
    },
  };
}
