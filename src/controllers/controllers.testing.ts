// Controllers against a whole server in the same process, for tests: real API, clock in hand.

import { FakeClock } from "../base/clock.ts";
import { parseFlags } from "../base/flags.ts";
import { silentLog } from "../base/log.ts";
import { type ClientInProcess, clientInProcess } from "../client/client.testing.ts";
import type { Dialect } from "../meta/names.ts";
import { controllerFlags } from "./controller-options.ts";
import type { ControllerDefinition } from "./framework/controller.ts";
import { ControllerManager } from "./framework/manager.ts";

export interface ControllersInProcess extends ClientInProcess {
  readonly clock: FakeClock;
  readonly manager: ControllerManager;
  /** Resolves with what `check` answers once it no longer throws; fails with its last error after some seconds. */
  eventually<T>(check: () => T | Promise<T>): Promise<T>;
  /** Stops the controllers and starts them again, as after a crash: nothing is remembered. */
  restart(): Promise<void>;
}

export interface ControllersInProcessOptions {
  readonly definitions: readonly ControllerDefinition[];
  readonly dialect?: Dialect;
  readonly flags?: readonly string[];
  readonly serverFlags?: readonly string[];
}

const PATIENCE_MS = 15_000;

export async function controllersInProcess({
  definitions,
  dialect = "platform",
  flags = [],
  serverFlags = [],
}: ControllersInProcessOptions): Promise<ControllersInProcess> {
  const clock = new FakeClock(Date.now());
  const inProcess = await clientInProcess({ dialect, flags: serverFlags, deps: { clock } });
  const { client } = inProcess;
  const { options } = parseFlags(controllerFlags, flags);
  const build = () =>
    new ControllerManager({
      definitions,
      options,
      client,
      clientFor: () => client,
      clock,
      random: () => 0.5,
      log: silentLog,
    });
  let manager = build();
  await manager.start();
  return {
    ...inProcess,
    clock,
    get manager() {
      return manager;
    },
    async restart() {
      await manager.stop();
      manager = build();
      await manager.start();
    },
    async eventually(check) {
      const deadline = performance.now() + PATIENCE_MS;
      for (;;) {
        try {
          return await check();
        } catch (error) {
          if (performance.now() > deadline) throw error;
          // Keys that failed come back after a time.
          await clock.advance(1);
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
    },
    async close() {
      await manager.stop();
      await inProcess.close();
    },
  };
}
