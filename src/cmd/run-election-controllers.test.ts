// Who of several servers chooses leaders, on one store and in one process.

import { afterEach, describe, expect, it } from "vitest";
import { emptyResources } from "../apiserver/empty-resources.ts";
import { type ServerInProcess, serverInProcess } from "../apiserver/server.testing.ts";
import { InProcessUsers } from "../authn/in-process-users.ts";
import { silentLog } from "../base/log.ts";
import { Metrics } from "../base/metrics.ts";
import { timeOfMs } from "../meta/time.ts";
import { RELEASE } from "../meta/version.ts";
import { parseApiServerOptions } from "../options/api-server-options.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import type { StorageEngine } from "../storage/engine.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { runElectionControllers } from "./run-election-controllers.ts";

const GATE = "--feature-gates=CoordinatedLeaderElection=true";
const SERVED = "--runtime-config=coordination.k8s.io/v1beta1=true";
const QUICK = "--coordinated-leadership-retry-period=100ms";
const BASE = "/apis/coordination.k8s.io";
const patient = { timeout: 20_000, interval: 20 };

interface Running {
  readonly server: ServerInProcess;
  readonly metrics: Metrics;
  readonly warnings: string[];
  stop(): Promise<void>;
}

let running: Running[] = [];
afterEach(async () => {
  for (const each of running) await each.stop();
  for (const { server } of running) await server.close();
  running = [];
});

async function start(flags: readonly string[], engine: StorageEngine = new MemoryEngine()): Promise<Running> {
  const args = ["--dialect=kubernetes", ...flags];
  const options = parseApiServerOptions(args);
  const users = new InProcessUsers();
  const server = await serverInProcess({ engine, flags: args, deps: { inProcessUsers: users } });
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) };
  const metrics = new Metrics({ release: RELEASE });
  const elections = runElectionControllers({
    server: { handler: server.handler, emptyResources: emptyResources(server.catalog), metrics },
    users,
    options,
    gates: serverGates(options.featureGates, options.dialect),
    log,
  });
  const one = { server, metrics, warnings, stop: () => elections.stop() };
  running.push(one);
  return one;
}

async function holderOf({ server }: Running, namespace: string, name: string): Promise<string | undefined> {
  return (await server.call("GET", `${BASE}/v1/namespaces/${namespace}/leases/${name}`)).json.spec?.holderIdentity;
}

const chooser = (one: Running) => holderOf(one, "kube-system", "leader-election-controller");
const status = async ({ metrics }: Running) =>
  (await metrics.text()).match(/^leader_election_master_status\{name="leader-election-controller"\} (\d)/m)?.[1];

async function announce({ server }: Running, name: string): Promise<void> {
  const versions = { binaryVersion: "1.34.0", emulationVersion: "1.34.0", strategy: "OldestEmulationVersion" };
  const spec = { leaseName: `lease-${name}`, ...versions, renewTime: timeOfMs(Date.now(), "micros") };
  const answer = await server.call("POST", `${BASE}/v1beta1/namespaces/default/leasecandidates`, {
    metadata: { name },
    spec,
  });
  expect(answer.status).toBe(201);
}

describe("the servers of one store", () => {
  it("choose leaders one at a time, and another when the first one stops", async () => {
    const engine = new MemoryEngine();
    const first = await start([GATE, SERVED, QUICK], engine);
    await expect.poll(() => status(first), patient).toBe("1");
    const second = await start([GATE, SERVED, QUICK], engine);
    const before = await chooser(second);
    await announce(second, "a");
    await expect.poll(() => holderOf(second, "default", "lease-a"), patient).toBe("a");
    expect([await status(first), await status(second), await chooser(second)]).toEqual(["1", "0", before]);

    await first.stop();
    await expect.poll(() => status(second), patient).toBe("1");
    expect(await chooser(second)).not.toBe(before);
    await announce(second, "b");
    await expect.poll(() => holderOf(second, "default", "lease-b"), patient).toBe("b");
  });

  it("let another choose when the lease is taken away, and choose again when it is their turn", async () => {
    const one = await start([GATE, SERVED, QUICK]);
    await expect.poll(() => status(one), patient).toBe("1");
    const path = `${BASE}/v1/namespaces/kube-system/leases/leader-election-controller`;
    await one.server.call("PATCH", path, { spec: { holderIdentity: "other", leaseDurationSeconds: 1 } });
    await expect.poll(() => one.warnings.join(), patient).toContain("chooses leaders no more");
    await announce(one, "a");
    await expect.poll(() => holderOf(one, "default", "lease-a"), patient).toBe("a");
    expect(await chooser(one)).not.toBe("other");
  });

  it("say that nobody can be a candidate where candidates are not served", async () => {
    const one = await start([GATE, QUICK]);
    expect(one.warnings.join()).toContain("candidates need --runtime-config=coordination.k8s.io/v1beta1=true");
  });

  it("choose nobody without the gate", async () => {
    const one = await start([SERVED]);
    expect(await status(one)).toBeUndefined();
    await announce(one, "a");
    expect(await chooser(one)).toBeUndefined();
  });
});
