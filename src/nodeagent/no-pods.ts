// An agent that keeps its node and runs no pods.

import type { PodRunner } from "./context.ts";

export const noPods = (): PodRunner => ({
  start: async () => undefined,
  stop: async () => undefined,
  pods: () => [],
  findContainer: () => ({ found: "nothing" }),
  findSandbox: () => undefined,
  problem: () => undefined,
});
