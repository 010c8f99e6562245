// Laying what a build has prepared for new stores.

import { expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { layFirstState, PREPARED_ADDRESS } from "./first-state.ts";

it("is whole for the one server that has laid everything", async () => {
  const clock = new FakeClock();
  const engine = new MemoryEngine({ clock });
  const prepared = JSON.stringify([
    ["/registry/namespaces/a", "{}"],
    ["/registry/namespaces/b", "{}"],
  ]);
  const lay = () => layFirstState(engine, prepared, clock, undefined);
  const [first, second] = await Promise.all([lay(), lay()]);
  expect([first.whole, first.revisions.size]).toEqual([true, 2]);
  expect([second.whole, second.revisions.size]).toEqual([false, 0]);
  expect(await lay()).toMatchObject({ whole: false });
});

it("has objects of the server's network with its address, or none", async () => {
  const clock = new FakeClock();
  const key = "/registry/services/endpoints/default/api";
  const prepared = JSON.stringify([[key, `{"ip":"${PREPARED_ADDRESS}"}`]]);
  const laidWith = async (address: string | undefined) => {
    const engine = new MemoryEngine({ clock });
    await layFirstState(engine, prepared, clock, address);
    return (await engine.get(key))?.value.toString();
  };
  expect(await laidWith("203.0.113.9")).toBe('{"ip":"203.0.113.9"}');
  expect(await laidWith(undefined)).toBeUndefined();
});
