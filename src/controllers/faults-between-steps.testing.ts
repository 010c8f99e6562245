// Work of several steps where every third request of a controller fails, or where it crashes after every single write, each
// under its own account: what has to be there is there in the end, once; and then nothing is asked any more.

import { describe, expect, it } from "vitest";
import { type ApiRequest, TransportError } from "../client/transport.ts";
import { type ControllersInProcess, controllersInProcess } from "./controllers.testing.ts";
import type { ControllerDefinition } from "./framework/controller.ts";
import { nodesWhere } from "./pods-of-owner/pods.testing.ts";

export type World = ControllersInProcess;

interface Workload {
  /** Requests in ten minutes of rest; fewer than 10 when not given. */
  readonly maxAtRest?: number;
  readonly definitions: readonly ControllerDefinition[];
  /** Of the controllers. */
  readonly flags?: readonly string[];
  /** With which requests fail; all that matter when not given. */
  readonly codes?: readonly number[];
  start(world: World): Promise<void>;
  /** Throws until all is as it shall be. */
  check(world: World): Promise<void>;
}

type Faults = Pick<Parameters<typeof controllersInProcess>[0], "fault" | "between">;

const worldOf = ({ definitions, flags = [] }: Workload, faults: Faults): Promise<World> =>
  controllersInProcess({
    definitions: [...definitions, nodesWhere(() => true)],
    flags,
    ownAccounts: true,
    serverFlags: ["--disable-admission-plugins=ServiceAccount,TaintNodesByCondition"],
    ...faults,
  });

async function getsThere(workload: Workload, faults: Faults): Promise<void> {
  const world = await worldOf(workload, faults);
  const { start, check } = workload;
  try {
    await start(world);
    await world.eventually(() => check(world));
    await comesToRest(world, workload);
  } finally {
    await world.close();
  }
}

async function comesToRest(world: World, { check, maxAtRest = 10 }: Workload): Promise<void> {
  expect(world.refused).toEqual([]);
  await world.eventually(() => expect(world.manager.busy).toBe(false));
  await world.clock.advance(10_000);
  const before = world.requests;
  await world.clock.advance(600_000);
  expect(world.requests - before).toBeLessThan(maxAtRest);
  await check(world);
}

const MAX_LIVES = 100;

/** Every life of the controllers ends with the first write that the server does, before they hear of it. */
async function getsThereThroughCrashes(workload: Workload): Promise<number> {
  const life = { hasWritten: false, isCharmed: false };
  // Events may get lost, and who only asks what somebody may do writes nothing.
  const isCounted = ({ method, path }: ApiRequest) =>
    method !== "GET" && !/\/(?:events|subjectaccessreviews)\b/.test(path);
  const world = await worldOf(workload, {
    between: (inner) => ({
      connect: (request) => inner.connect(request),
      close: () => inner.close(),
      async request(request) {
        if (life.isCharmed) return inner.request(request);
        if (life.hasWritten) throw new TransportError("lost", "the process has crashed");
        const response = await inner.request(request);
        if (!isCounted(request) || response.status >= 400) return response;
        life.hasWritten = true;
        throw new TransportError("lost", "the process has crashed before it heard the answer");
      },
    }),
  });
  try {
    await workload.start(world);
    for (let lives = 1; lives < MAX_LIVES; lives += 1) {
      const end = await world.eventually(async () => {
        if (life.hasWritten) return "crashed";
        await workload.check(world);
        return "done";
      });
      life.isCharmed = end === "done";
      life.hasWritten = false;
      await world.restart();
      if (end === "crashed") continue;
      await comesToRest(world, workload);
      return lives;
    }
    throw new Error(`not done after ${MAX_LIVES} lives`);
  } finally {
    await world.close();
  }
}

/** Of the requests that write, every third one. */
function everyThirdWrite(): (request: ApiRequest) => boolean {
  let sent = 0;
  return ({ method }) => {
    if (method === "GET") return false;
    sent += 1;
    return sent % 3 === 2;
  };
}

const CODES = [409, 410, 429, 500];

/** By what they are. */
export function survivesFaults(workloads: Readonly<Record<string, Workload>>): void {
  describe.each(Object.entries(workloads))("%s", (_name, workload) => survives(workload));
}

function survives(workload: Workload): void {
  it.each(workload.codes ?? CODES)("gets there although requests are answered with %s", async (code) => {
    const isHit = everyThirdWrite();
    await getsThere(workload, { fault: (request) => (isHit(request) ? code : undefined) });
  });

  it("gets there although answers get lost on the way", async () => {
    const isHit = everyThirdWrite();
    await getsThere(workload, {
      between: (inner) => ({
        connect: (request) => inner.connect(request),
        close: () => inner.close(),
        async request(request) {
          const response = await inner.request(request);
          if (isHit(request)) throw new TransportError("lost", "the answer got lost");
          return response;
        },
      }),
    });
  });

  it("gets there although the controllers crash after every write", async () => {
    expect(await getsThereThroughCrashes(workload)).toBeGreaterThan(1);
  }, 120_000);
}
