import { expect, it, vi } from "vitest";
import type { PodSpec } from "./spec.ts";
import { hostSysctlProblem } from "./sysctls.ts";

it("a name longer than any is read no further than that, and still told to be one of the host", () => {
  const replace = vi.spyOn(String.prototype, "replace");
  const problem = hostSysctlProblem(`net${"/a".repeat(1_000)}`, { hostNetwork: true } as PodSpec);
  const lengths = replace.mock.contexts.map((text) => String(text).length);
  replace.mockRestore();
  expect([problem, lengths]).toEqual(["may not be specified when 'hostNetwork' is true", [253]]);
});
