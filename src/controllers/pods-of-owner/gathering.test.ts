import { expect, it } from "vitest";
import { gatheringMs } from "./gathering.ts";

it.each([
  [0, 0],
  [99, 0],
  [100, 10],
  [5_000, 500],
  [1_000_000, 1_000],
])("changes of %d pods are gathered for %d ms", (pods, ms) => {
  expect(gatheringMs(pods)).toBe(ms);
});
