import { expect, it, vi } from "vitest";
import type { PodSpec } from "./spec.ts";
import { hostSysctlProblem, isSysctlPattern, sysctlNamespace } from "./sysctls.ts";

it("a name longer than any is read no further than that, and still told to be one of the host", () => {
  const replace = vi.spyOn(String.prototype, "replace");
  const problem = hostSysctlProblem(`net${"/a".repeat(1_000)}`, { hostNetwork: true } as PodSpec);
  const lengths = replace.mock.contexts.map((text) => String(text).length);
  replace.mockRestore();
  expect([problem, lengths]).toEqual(["may not be specified when 'hostNetwork' is true", [253]]);
});

it.each([
  ["net.ipv4.ip_forward", "net"],
  ["kernel.sem", "ipc"],
  ["kernel.shm_next_id", "ipc"],
  ["kernel.msgmax", "ipc"],
  ["fs.mqueue.msg_max", "ipc"],
  ["kernel.sem_next_id", undefined],
  ["kernel.panic", undefined],
  ["vm.overcommit_memory", undefined],
])("%s belongs to the namespace %s", (name, namespace) => {
  expect(sysctlNamespace(name)).toBe(namespace);
});

it("every parameter of a namespace that a pod shares with its node is the node's", () => {
  const spec = { hostIPC: true } as PodSpec;
  expect(hostSysctlProblem("kernel.shm_next_id", spec)).toBe("may not be specified when 'hostIPC' is true");
  expect(hostSysctlProblem("kernel/msg_next_id", spec)).toBe("may not be specified when 'hostIPC' is true");
});

it.each([
  ["net.core.somaxconn", true],
  ["net.*", true],
  ["net/ipv4/*", true],
  ["kernel.shm_*", true],
  ["*", true],
  ["net.*.x", false],
  ["net..*", false],
  ["a b", false],
  ["Net.*", false],
  ["", false],
  [`net.${"a".repeat(250)}`, false],
])("%s may stand for parameters: %s", (pattern, may) => {
  expect(isSysctlPattern(pattern)).toBe(may);
});
