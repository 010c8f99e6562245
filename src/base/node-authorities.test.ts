import { beforeEach, expect, it, vi } from "vitest";

const threads = vi.hoisted(() => ({ programs: [] as string[], outcome: "exit" as "exit" | "error" }));

vi.mock("node:worker_threads", () => ({
  Worker: class {
    constructor(program: string) {
      threads.programs.push(program);
    }
    once(event: string, listener: () => void): void {
      if (event === threads.outcome) queueMicrotask(listener);
    }
  },
}));

/** As in a new process. */
const fresh = () => {
  vi.resetModules();
  return import("./node-authorities.ts");
};

beforeEach(() => {
  threads.programs.length = 0;
  threads.outcome = "exit";
});

it("are parsed once, by a thread that makes a context of Node's own trust", async () => {
  const { nodeAuthoritiesParsed } = await fresh();
  await Promise.all([nodeAuthoritiesParsed(), nodeAuthoritiesParsed()]);
  await nodeAuthoritiesParsed();
  expect(threads.programs.length).toBe(1);
  const createSecureContext = vi.fn();
  new Function("require", threads.programs[0]!)(() => ({ createSecureContext }));
  expect(createSecureContext.mock.calls).toEqual([[]]);
});

it("are parsed by nobody else where somebody has made a context here", async () => {
  const { nodeAuthoritiesParsed, hasParsedNodeAuthorities } = await fresh();
  hasParsedNodeAuthorities();
  await nodeAuthoritiesParsed();
  expect(threads.programs).toEqual([]);
});

it("are left to the first context where no thread can be had", async () => {
  threads.outcome = "error";
  const { nodeAuthoritiesParsed } = await fresh();
  await expect(nodeAuthoritiesParsed()).resolves.toBeUndefined();
});
