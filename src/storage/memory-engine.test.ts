import { FakeClock } from "../base/clock.ts";
import { describeStorageContract } from "./contract.testing.ts";
import { MemoryEngine } from "./memory-engine.ts";

const clock = new FakeClock();

describeStorageContract("memory", async () => new MemoryEngine({ clock, sweepIntervalMs: 5 }), {
  passSeconds: async (seconds) => clock.advance(seconds * 1_000),
});
