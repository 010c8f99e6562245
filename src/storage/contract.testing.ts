// What every storage engine must do: one suite over the whole contract of engine.ts. Each engine's test file runs it.
//
//   describeStorageContract("memory", async () => new MemoryEngine({ clock }), { passSeconds: ... });

import { afterEach, beforeEach, describe } from "vitest";
import { describeClosing } from "./contract/closing.testing.ts";
import { describeCompacting } from "./contract/compacting.testing.ts";
import { describeConcurrency } from "./contract/concurrency.testing.ts";
import { describeExpiring } from "./contract/expiring.testing.ts";
import { describeHistory } from "./contract/history.testing.ts";
import { describeHostileInput } from "./contract/hostile-input.testing.ts";
import { describeReading } from "./contract/reading.testing.ts";
import { describeWatching } from "./contract/watching.testing.ts";
import { describeWriting } from "./contract/writing.testing.ts";
import type { StorageEngine } from "./engine.ts";

export interface ContractTraits {
  /** Lets so many seconds pass for the engine: moves its fake clock, or really waits. */
  passSeconds(seconds: number): Promise<void>;
  /** Whether a change carries the writer's attachment when writer and watcher share the process. Default true. */
  readonly carriesAttachments?: boolean;
}

/** The engine under test: a fresh one per test. */
export type EngineUnderTest = () => StorageEngine;

/**
 * Runs the contract. `open` gives an engine without keys; the suite closes it. Nothing is assumed of the first revision,
 * nor that revisions follow each other without holes: other writers may share the counter.
 */
export function describeStorageContract(
  name: string,
  open: () => Promise<StorageEngine>,
  traits: ContractTraits,
): void {
  describe(`storage contract: ${name}`, () => {
    let engine: StorageEngine;
    beforeEach(async () => {
      engine = await open();
    });
    afterEach(async () => {
      await engine.close();
    });

    const underTest: EngineUnderTest = () => engine;
    describeWriting(underTest);
    describeReading(underTest);
    describeHistory(underTest);
    describeWatching(underTest, traits);
    describeCompacting(underTest);
    describeConcurrency(underTest);
    describeExpiring(underTest, traits);
    describeHostileInput(underTest);
    describeClosing(underTest);
  });
}
