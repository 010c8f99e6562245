import { beforeEach, describe, expect, it, vi } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import type { CheckResult } from "./probe-counter.ts";
import { type ProbedRun, type ProbeSort, ProbeWorker } from "./probe-worker.ts";

let clock: FakeClock;
let run: ProbedRun | undefined;
let started: boolean;
let answer: CheckResult | "unknown" | "hang";
let checks: number;
let verdicts: number;
let told: number;
let failures: string[];

beforeEach(() => {
  clock = new FakeClock();
  run = { id: "r1", isRunning: true, startedAtMs: clock.nowMs() };
  started = true;
  answer = "success";
  checks = 0;
  verdicts = 0;
  told = 0;
  failures = [];
});

function worker(sort: ProbeSort, probe: object = {}): ProbeWorker {
  return new ProbeWorker({
    clock,
    sort,
    probe: { periodSeconds: 10, failureThreshold: 2, ...probe },
    run: () => run,
    isStarted: () => started,
    check: async (_, signal) => {
      checks += 1;
      if (answer !== "hang") return { result: answer, message: "no answer" };
      return await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
    onVerdict: () => {
      verdicts += 1;
    },
    onChecked: ({ result, message }) => {
      told += 1;
      if (result !== "success") failures.push(message);
    },
  });
}

describe("a probe", () => {
  it("checks at once, then every period", async () => {
    const probe = worker("readiness");
    await vi.waitFor(() => expect(verdicts).toBe(1));
    expect([checks, probe.verdict("r1")]).toEqual([1, "success"]);
    await clock.advance(25_000);
    expect([checks, verdicts]).toEqual([3, 1]);
    probe.close();
    await clock.advance(25_000);
    expect(checks).toBe(3);
  });

  it("waits for its delay", async () => {
    worker("readiness", { initialDelaySeconds: 15 });
    await clock.advance(19_000);
    expect(checks).toBe(0);
    await clock.advance(1_000);
    expect(checks).toBe(1);
  });

  it("waits for the container to run", async () => {
    run = undefined;
    worker("liveness");
    await clock.advance(10_000);
    run = { id: "r1", isRunning: false, startedAtMs: 0 };
    await clock.advance(10_000);
    expect(checks).toBe(0);
  });

  it("begins anew with every run", async () => {
    answer = "failure";
    const probe = worker("liveness");
    await clock.advance(10_000);
    expect(probe.verdict("r1")).toBe("failure");
    run = { id: "r2", isRunning: true, startedAtMs: clock.nowMs() };
    await clock.advance(10_000);
    expect([probe.verdict("r1"), probe.verdict("r2")]).toEqual([undefined, undefined]);
    await clock.advance(10_000);
    expect(probe.verdict("r2")).toBe("failure");
  });

  it("leaves a container alone that is to be killed", async () => {
    answer = "failure";
    worker("liveness");
    await clock.advance(60_000);
    expect([checks, failures.length]).toEqual([2, 2]);
  });

  it("of the startup ends with its success", async () => {
    worker("startup");
    await clock.advance(60_000);
    expect(checks).toBe(1);
  });

  it.each(["liveness", "readiness"] as const)("of %s waits for the startup", async (sort) => {
    started = false;
    worker(sort);
    await clock.advance(20_000);
    expect(checks).toBe(0);
    started = true;
    await clock.advance(10_000);
    expect(checks).toBe(1);
  });

  it("takes no answer for a failure, and never asks twice at once", async () => {
    answer = "hang";
    const probe = worker("readiness", { timeoutSeconds: 25 });
    await clock.advance(24_000);
    expect(checks).toBe(1);
    await clock.advance(1_000);
    expect(failures).toHaveLength(1);
    await clock.advance(35_000);
    expect(probe.verdict("r1")).toBe("failure");
  });

  it("tells of what could not be found out, and counts it neither for nor against", async () => {
    answer = "unknown";
    const probe = worker("liveness");
    await clock.advance(60_000);
    expect([failures.length, probe.verdict("r1")]).toEqual([7, undefined]);
    answer = "success";
    await clock.advance(10_000);
    expect(probe.verdict("r1")).toBe("success");
  });

  it("forgets an answer that comes after the end", async () => {
    answer = "hang";
    const probe = worker("readiness");
    await clock.advance(0);
    probe.close();
    await clock.advance(10_000);
    expect([told, verdicts]).toEqual([0, 0]);
  });
});
