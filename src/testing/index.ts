// The package `plinth/testing`: a whole control plane inside a test, in memory, with a client.

import { randomBytes, randomInt } from "node:crypto";
import { systemClock } from "../base/clock.ts";
import { Client } from "../client/client.ts";
import { InProcessTransport } from "../client/in-process-transport.ts";
import { ControlPlane } from "./control-plane.ts";
import type { Plinth, PlinthOptions } from "./plinth.ts";
import { kubeconfigText, type Serving, startServing } from "./serving.ts";
import { putAside, takeSpare } from "./spare-control-planes.ts";

export type { FakeClock } from "../base/clock.ts";
export type { ChaosOptions, Fault, FaultRule, Faults } from "./faults.ts";
export { type PlinthMatchers, plinthMatchers } from "./matchers.ts";
export type { Plinth, PlinthOptions, Snapshot } from "./plinth.ts";
export type { SeenRequest } from "./seen-request.ts";

const DRAIN_MS = 1_000;
const MAX_SEED = 2 ** 31;

/**
 * A control plane of the test's own, without anything of the tests before it, that forgets everything at its end. Every
 * request must carry the token that only this test knows.
 */
export async function startPlinth({
  dialect = "platform",
  flags = [],
  controllers = true,
  nodes = 0,
  fakeClock = false,
  seed = seedOfEnvironment() ?? randomInt(MAX_SEED),
}: PlinthOptions = {}): Promise<Plinth> {
  const token = randomBytes(32).toString("base64url");
  const shape = { dialect, flags: [...flags], controllers, nodes, fakeClock };
  const tenant = { token, seed };
  const plane = (await takeSpare(shape, tenant)) ?? (await ControlPlane.start(shape, tenant));
  const { clock, fakeClock: movableClock } = plane;
  const headers = { authorization: `Bearer ${token}`, "user-agent": "plinth-testing" };
  const client = new Client({
    transport: new InProcessTransport({ handler: plane.handle, headers }),
    dialect,
    clock,
  });
  // As any server, it keeps the process alive until it is closed: its own timers do not.
  const open = new AbortController();
  systemClock.sleep(Number.POSITIVE_INFINITY, open.signal).catch(() => undefined);
  let serving: Promise<Serving> | undefined;
  let closing: Promise<void> | undefined;
  /** Others may have it by now. */
  const own = (): ControlPlane => {
    if (closing !== undefined) throw new Error("this control plane was closed");
    return plane;
  };
  const close = (): Promise<void> => {
    closing ??= (async () => {
      await client.close();
      await (await serving)?.listener.close(DRAIN_MS);
      await putAside(plane);
      open.abort();
    })();
    return closing;
  };
  return {
    client,
    clock: movableClock,
    seed,
    get faults() {
      return own().faults;
    },
    get requests() {
      return own().observed.requests;
    },
    async settle() {
      await own().settle();
    },
    async snapshot() {
      return own().snapshot();
    },
    async restore(snapshot) {
      await own().restore(snapshot);
    },
    async reset() {
      await own().reset();
    },
    async kubeconfig() {
      serving ??= startServing(own().handle);
      return kubeconfigText(await serving, token);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** `PLINTH_SEED=n npx vitest run ...` repeats what a run with this seed did. */
function seedOfEnvironment(): number | undefined {
  const text = process.env["PLINTH_SEED"];
  if (text === undefined || text === "") return undefined;
  const seed = Number(text);
  if (!Number.isSafeInteger(seed)) throw new Error(`PLINTH_SEED must be a whole number, not ${JSON.stringify(text)}`);
  return seed;
}
