import { expect, it } from "vitest";
import { slowStart } from "./slow-start.ts";

/** The sizes of the batches in which calls were made. */
async function batches(count: number, fails: (index: number) => boolean) {
  const sizes: number[] = [];
  let waiting: (() => void)[] = [];
  const result = slowStart(count, async (index) => {
    if (waiting.length === 0) {
      sizes.push(0);
      setImmediate(() => {
        const ready = waiting;
        waiting = [];
        for (const release of ready) release();
      });
    }
    sizes[sizes.length - 1]! += 1;
    await new Promise<void>((resolve) => waiting.push(resolve));
    if (fails(index)) throw new Error(`call ${index}`);
  });
  return { ...(await result), sizes };
}

const cases: [count: number, failing: number[], succeeded: number, skipped: number, sizes: number[]][] = [
  [0, [], 0, 0, []],
  [1, [], 1, 0, [1]],
  [7, [], 7, 0, [1, 2, 4]],
  [8, [], 8, 0, [1, 2, 4, 1]],
  [10, [], 10, 0, [1, 2, 4, 3]],
  [10, [0], 0, 9, [1]],
  [10, [1], 2, 7, [1, 2]],
  [10, [9], 9, 0, [1, 2, 4, 3]],
  [-3, [], 0, 0, []],
];
it.each(cases)("%d calls of which %j fail", async (count, failing, succeeded, skipped, sizes) => {
  const result = await batches(count, (index) => failing.includes(index));
  expect(result).toMatchObject({ succeeded, skipped, sizes });
  expect((result.error as Error | undefined)?.message).toBe(
    failing[0] === undefined ? undefined : `call ${failing[0]}`,
  );
});
