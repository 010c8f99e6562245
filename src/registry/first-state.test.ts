// Laying what a build has prepared for new stores.

import { expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { layFirstState } from "./first-state.ts";

it("is whole for the one server that has laid everything", async () => {
  const clock = new FakeClock();
  const engine = new MemoryEngine({ clock });
  const prepared = JSON.stringify([
    ["/registry/namespaces/a", "{}"],
    ["/registry/namespaces/b", "{}"],
  ]);
  const lay = () => layFirstState(engine, prepared, clock);
  const [first, second] = await Promise.all([lay(), lay()]);
  expect([first.whole, first.revisions.size]).toEqual([true, 2]);
  expect([second.whole, second.revisions.size]).toEqual([false, 0]);
  expect(await lay()).toMatchObject({ whole: false });
});
