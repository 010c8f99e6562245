// A control plane inside a test: what starts, resets and whole tests cost. Every line names the bound that it is held
// against, in time of the clock; and the processor time of all threads, also as a multiple of a bare baseline of the same
// run: one Deployment read from JSON and written again.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Plinth, type PlinthOptions, startPlinth } from "../src/testing/index.ts";
import { report } from "./report.ts";

const FIRST_STARTS = 5;
const LATER_STARTS = 20;
const OTHER_STARTS = 10;
const RESETS = 50;
const TESTS = 200;
const WHOLE: PlinthOptions = { controllers: true, nodes: 3, fakeClock: true };
let eventMinutes = 60;

const labels = { app: "web" };
const web = (replicas: number) => ({
  metadata: { name: "web" },
  spec: {
    replicas,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
});

const [, , part, replicas] = process.argv;
if (part === "first") {
  const cost = await measure(async () => void (await startPlinth(WHOLE)));
  console.log(JSON.stringify(cost));
  process.exit(0);
}
if (part === "tests") {
  console.log(JSON.stringify(await tests(await startPlinth(WHOLE), Number(replicas))));
  process.exit(0);
}

const baselineMs = baseline();
report("baseline, a round trip of one Deployment", { us: baselineMs * 1_000 });
hold(
  "first start after import",
  150,
  Array.from({ length: FIRST_STARTS }, () => inNewProcess<Cost>("first")),
);
await startPlinth(WHOLE).then((plinth) => plinth.close());
hold("later start", 20, await repeat(LATER_STARTS, () => laterStart(WHOLE)));
hold("later start with other flags", 20, await repeat(OTHER_STARTS, () => laterStart(otherOptions())));
hold("later start with more nodes", 20, await repeat(OTHER_STARTS, startWithMoreNodes));
await using plinth = await startPlinth(WHOLE);
hold("reset of nothing", 5, await repeat(RESETS, () => measure(() => plinth.reset())));
for (const count of ["1", "2"]) {
  const [whole, resets] = inNewProcess<[Cost, Cost[]]>("tests", count);
  hold(`reset after a test with ${count} of a Deployment`, 5, resets);
  hold(`${TESTS} tests, each with a reset and a Deployment of ${count} that becomes ready`, 5_000, [whole]);
}
process.exit(0);

interface Cost {
  readonly cpuMs: number;
  readonly wallMs: number;
}

/** In a process of its own, which has imported everything and run nothing. */
function inNewProcess<T>(...args: string[]): T {
  const { stdout } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), ...args], { encoding: "utf8" });
  return JSON.parse(stdout) as T;
}

/** Flags that no start before has had. */
function otherOptions(): PlinthOptions {
  eventMinutes += 1;
  return { ...WHOLE, flags: [`--event-ttl=${eventMinutes}m`] };
}

/** Where a control plane with the same options waits that has none. */
async function startWithMoreNodes(): Promise<Cost> {
  const options = otherOptions();
  const bare = await startPlinth({ ...options, nodes: 0 });
  await bare.close();
  return laterStart(options);
}

async function laterStart(options: PlinthOptions): Promise<Cost> {
  let started: Plinth | undefined;
  const cost = await measure(async () => {
    started = await startPlinth(options);
  });
  await started?.close();
  return cost;
}

async function tests(plinth: Plinth, replicas: number): Promise<[Cost, Cost[]]> {
  const resets: Cost[] = [];
  const whole = await measure(async () => {
    for (let test = 0; test < TESTS; test += 1) {
      await deploymentBecomesReady(plinth, replicas);
      resets.push(await measure(() => plinth.reset()));
    }
  });
  return [whole, resets];
}

async function deploymentBecomesReady({ client, clock, settle }: Plinth, replicas: number): Promise<void> {
  const deployments = client.apps.v1.deployments("default");
  await deployments.create(web(replicas));
  for (let second = 0; second < 10; second += 1) {
    await clock?.advance(1_000);
    await settle();
    if ((await deployments.get("web")).status?.availableReplicas === replicas) return;
  }
  throw new Error("the Deployment did not become ready");
}

/** Milliseconds of the processor. */
function baseline(): number {
  const text = JSON.stringify(web(2));
  const times = 100_000;
  const cpu = process.cpuUsage();
  let bytes = 0;
  for (let time = 0; time < times; time += 1) bytes += JSON.stringify(JSON.parse(text)).length;
  const { user, system } = process.cpuUsage(cpu);
  if (bytes !== times * text.length) throw new Error("the round trip changed the object");
  return (user + system) / 1_000 / times;
}

async function repeat(times: number, run: () => Promise<Cost>): Promise<Cost[]> {
  const costs: Cost[] = [];
  for (let time = 0; time < times; time += 1) costs.push(await run());
  return costs;
}

async function measure(run: () => Promise<void>): Promise<Cost> {
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  await run();
  const wallMs = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1_000, wallMs };
}

function hold(name: string, boundMs: number, costs: readonly Cost[]): void {
  const median = (of: keyof Cost) => costs.map((cost) => cost[of]).sort((a, b) => a - b)[costs.length >> 1] ?? 0;
  const [wall, cpu] = [median("wallMs"), median("cpuMs")];
  report(name, { ms: wall, "ms of CPU": cpu, "times the baseline": cpu / baselineMs }, { ms: boundMs });
}
