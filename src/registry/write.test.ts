import { expect, it } from "vitest";
import { nextTurn } from "../base/next-turn.ts";
import type { Steps } from "../base/steps.ts";
import { turnIsLong } from "../base/work-turns.ts";
import { inStages, LARGE_BYTES } from "./write.ts";

const caller = { signal: new AbortController().signal, cancelled: false };
const work = {
  atOnce: () => "at once",
  *inSteps(): Steps<string> {
    yield;
    return "in steps";
  },
};
const written = (bodyBytes: number, storedBytes = 0) => inStages({ caller, bodyBytes }, storedBytes, work);

it("does a stage of a small write at once, that of a large one in steps", async () => {
  await nextTurn();
  expect(written(10)).toBe("at once");
  await expect(written(LARGE_BYTES, 1)).resolves.toBe("in steps");
});

it("lets others have their turn before a stage of a small write where this one has been long", async () => {
  await nextTurn();
  while (!turnIsLong());
  let others = false;
  setImmediate(() => {
    others = true;
  });
  const stage = written(10);
  expect(stage).toBeInstanceOf(Promise);
  expect(await stage).toBe("in steps");
  expect(others).toBe(true);
});
