import { describe, expect, it } from "vitest";
import { amountsOf } from "./pod-records.ts";
import { actuations, memoryProblem, resizeMessage, resizeProblem, withAmounts } from "./resize-rules.ts";
import { podWith, run, runtimePod } from "./runtime-pod.testing.ts";

const asking = (cpu: string, more: object = {}) =>
  podWith({ containers: [{ name: "main", resources: { requests: { cpu } }, ...more }] });
const FACTS = {
  allocatable: { cpu: "4", memory: "3Gi", pods: "10" },
  most: { cpu: "4", memory: "4Gi", pods: "10" },
  others: [asking("2")],
  isStatic: false,
};
const askingMemory = (memory: string, cpu = "1") =>
  podWith({ containers: [{ name: "main", resources: { requests: { cpu, memory } } }] });

describe("a pod that asks for other resources", () => {
  it("gets them where there is room", () => {
    expect(resizeProblem(asking("2"), asking("1"), FACTS)).toBeUndefined();
  });

  it.each([
    ["has to wait for room", asking("3"), FACTS, "Deferred"],
    ["never gets more than there is", asking("5"), FACTS, "Infeasible"],
    ["waits for what evictions keep free", askingMemory("4Gi"), FACTS, "Deferred"],
    ["never gets more memory than there is", askingMemory("5Gi"), FACTS, "Infeasible"],
    ["keeps its class of service", podWith({}), FACTS, "Infeasible"],
    ["gets none when it comes from a file", asking("2"), { ...FACTS, isStatic: true }, "Infeasible"],
  ])("%s", (_, wanted, facts, reason) => {
    expect(resizeProblem(wanted, asking("1"), facts)?.reason).toBe(reason);
  });

  it("hears how much there is, where it never gets more", () => {
    expect(resizeProblem(asking("5"), asking("1"), FACTS)?.message).toBe(
      "Node didn't have enough capacity: cpu, requested: 5000, capacity: 4000",
    );
    expect(resizeProblem(askingMemory("5Gi", "5"), asking("1"), FACTS)?.message).toBe(
      "Node didn't have enough capacity: memory, requested: 5368709120, capacity: 4294967296",
    );
  });

  it("keeps the processors that it has for itself", () => {
    const guaranteed = (cpu: string) => {
      const amounts = { cpu, memory: "1Gi" };
      return podWith({ containers: [{ name: "main", resources: { requests: amounts, limits: amounts } }] });
    };
    const pinned = new Map([["cpu", "static"]] as const);
    expect(resizeProblem(guaranteed("2"), guaranteed("1"), { ...FACTS, pinned })).toEqual({
      reason: "Infeasible",
      message: 'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"',
    });
    expect(resizeProblem(asking("2"), asking("1"), { ...FACTS, pinned })).toBeUndefined();
  });

  it("is told of in full once it has them", () => {
    expect(resizeMessage(asking("2"))).toBe(
      'Pod resize completed: {"containers":[{"name":"main","resources":{"requests":{"cpu":"2"}}}]}',
    );
  });

  it("keeps what it had until then", () => {
    expect(amountsOf(withAmounts(asking("3"), amountsOf(asking("1"))))).toEqual({ main: { requests: { cpu: "1" } } });
  });
});

describe("the runtime is told", () => {
  const running = runtimePod([run("main")]);
  it.each([
    ["nothing when nothing changed", asking("1"), running, []],
    ["new amounts of what runs", asking("2"), running, [false]],
    ["nothing of what does not run", asking("2"), runtimePod([run("main", "exited")]), []],
    [
      "to start again what wants it",
      asking("2", { resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] }),
      running,
      [true],
    ],
    [
      "not to start again for another resource",
      asking("2", { resizePolicy: [{ resourceName: "memory", restartPolicy: "RestartContainer" }] }),
      running,
      [false],
    ],
  ])("%s", (_, pod, runtime, restarts) => {
    expect(actuations(pod, amountsOf(asking("1")), runtime).map((each) => each.restarts)).toEqual(restarts);
  });

  const limited = (memory: string | undefined, more: object = {}) => {
    const resources = memory === undefined ? {} : { limits: { memory } };
    return podWith({ containers: ["a", "b"].map((name) => ({ name, resources, ...more })) });
  };
  const both = runtimePod([run("a"), run("b")]);
  const restarting = { resizePolicy: [{ resourceName: "memory", restartPolicy: "RestartContainer" }] };
  it.each([
    [
      "of less memory than is used",
      limited("2Mi"),
      limited("1Mi"),
      /^cannot .*: \[.*"a" memory limit \(1048576\).*, .*"b".*\]$/,
    ],
    ["of no first limit below that", limited(undefined), limited("1Mi"), /"a".*"b"/],
    ["of more memory", limited("1"), limited("2"), undefined],
    ["of less memory that begins with a new start", limited("2Mi"), limited("1Mi", restarting), undefined],
  ])("%s, once it is known whether they fit", (_, before, wanted, problem) => {
    const due = actuations(wanted, amountsOf(before), both);
    expect(due).toHaveLength(2);
    const used = new Map(due.map((each) => [each.run.id, 1.5 * 2 ** 20]));
    const said = memoryProblem(due, used);
    if (problem === undefined) expect(said).toBeUndefined();
    else expect(said).toMatch(problem);
  });
});
