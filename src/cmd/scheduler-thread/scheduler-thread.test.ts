// The scheduler in a thread of its own: what it does, says and measures, its end, and what follows a bad one.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { asUser } from "../../apiserver/server.testing.ts";
import { FakeClock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { type ClientInProcess, clientInProcess } from "../../client/client.testing.ts";
import { InProcessTransport } from "../../client/in-process-transport.ts";
import { SCHEDULER_GATES } from "../../scheduler/scheduler-gates.ts";
import { passedLog } from "./passed-log.ts";
import { SchedulerThread } from "./scheduler-thread.ts";

const folder = mkdtempSync(join(tmpdir(), "plinth-thread-"));
const program = join(folder, "thread.cjs");
// As the build makes it.
buildSync({
  entryPoints: [join(import.meta.dirname, "thread-main.ts")],
  bundle: true,
  platform: "node",
  outfile: program,
});
afterAll(() => rmSync(folder, { recursive: true }));

const clock = new FakeClock();
const lines: { readonly level: string; readonly message: string; readonly error: string | undefined }[] = [];
const log: Log = passedLog(({ level, message, error }) => lines.push({ level, message, error: error?.message }));
const setup = {
  dialect: "platform",
  options: { percentageOfNodesToScore: 0, podMaxInUnschedulablePodsDurationMs: 300_000 },
  gates: SCHEDULER_GATES,
} as const;

let cluster: ClientInProcess;
let thread: SchedulerThread;

/** A node, and a scheduler with the rights of its role and no more. */
async function begin(file = program): Promise<void> {
  lines.length = 0;
  cluster = await clientInProcess({
    flags: ["--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition"],
    authorization: "by flags",
  });
  const headers = asUser({ name: "system:kube-scheduler", groups: [] });
  const transport = new InProcessTransport({ handler: cluster.server.handler, headers });
  thread = new SchedulerThread({ program: file, setup, transport, clock, log });
  await cluster.client.core.v1.nodes().create({
    metadata: { name: "n" },
    status: { allocatable: { cpu: "1", memory: "1Gi", pods: "10" } },
  });
}

afterEach(async () => {
  await thread.stop();
  await cluster.close();
});

async function createPod(name: string): Promise<void> {
  const spec = { containers: [{ name: "app", image: "app" }] };
  await cluster.client.core.v1.pods("default").create({ metadata: { name }, spec });
}

const nodeOf = async (name: string) => (await cluster.client.core.v1.pods("default").get(name)).spec.nodeName;

async function shown(): Promise<string> {
  let text = "";
  for await (const piece of thread.expose()) text += piece;
  return text;
}

describe("the scheduler in a thread of its own", () => {
  it("places pods, with the rights of its role, and shows what it measures", async () => {
    await begin();
    await thread.start();
    await createPod("p");
    await expect.poll(() => nodeOf("p")).toBe("n");
    await expect
      .poll(shown)
      .toContain('scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 1');
    expect(lines).toEqual([]);
  });

  it("gets ready without placing anything, and places what waits when it is started", async () => {
    await begin();
    await thread.prepare();
    await createPod("p");
    await expect.poll(shown).toContain('scheduler_cache_size{type="nodes"} 1');
    await expect.poll(shown).toContain('scheduler_pending_pods{queue="active"} 1');
    expect(await nodeOf("p")).toBeUndefined();
    await thread.start();
    await expect.poll(() => nodeOf("p")).toBe("n");
  });

  it("that only got ready ends when it is asked to", async () => {
    await begin();
    await thread.prepare();
    await thread.stop();
    expect(await shown()).toBe("");
  });

  it("ends when it is asked to, and places nothing any more", async () => {
    await begin();
    await thread.start();
    await thread.stop();
    await createPod("late");
    expect(await shown()).toBe("");
    expect(await nodeOf("late")).toBeUndefined();
  });

  it("can be stopped before it works", async () => {
    await begin();
    const started = thread.start();
    await Promise.all([expect(started).rejects.toThrow("the scheduler was stopped"), thread.stop()]);
  });

  it.each([
    ["an error that nobody handles", 'throw new Error("broken")', "broken"],
    ["an end that nobody asked for", "process.exit(3)", "exit code 3"],
  ])("is there again after %s", async (what, death, told) => {
    const mark = join(folder, what);
    const mortal = join(folder, "mortal.cjs");
    writeFileSync(
      mortal,
      `const { existsSync, writeFileSync } = require("node:fs");
      if (existsSync(${JSON.stringify(mark)})) require(${JSON.stringify(program)});
      else { writeFileSync(${JSON.stringify(mark)}, ""); ${death}; }`,
    );
    await begin(mortal);
    const started = thread.start();
    const message = "the thread of the scheduler has ended; another takes its place";
    await expect.poll(() => lines).toEqual([{ level: "error", message, error: told }]);
    await clock.advance(1_000);
    await started;
    await createPod("p");
    await expect.poll(() => nodeOf("p")).toBe("n");
  });
});
