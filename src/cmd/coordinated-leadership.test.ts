// Two candidates of each component before a server that chooses: who came first leads, the other takes over when it is killed,
// and gives way to one that behaves like an older release.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { timeOfMs } from "../meta/time.ts";
import { ADMIN_TOKEN, ask, type Running, readyUrl, startCommand, useCommands } from "./commands.testing.ts";

const test = useCommands();

const GATE = "--feature-gates=CoordinatedLeaderElection=true";
const SERVED = "--runtime-config=coordination.platform.io/v1beta1=true";
/** Long enough for a machine that stands still for a while. */
const LEASE = [
  "--leader-elect-lease-duration=15s",
  "--leader-elect-renew-deadline=12s",
  "--leader-elect-retry-period=500ms",
];
const SERVER_LEASE = [
  "--coordinated-leadership-lease-duration=12s",
  "--coordinated-leadership-renew-deadline=9s",
  "--coordinated-leadership-retry-period=500ms",
];
const COMPONENTS = [
  { command: "controller-manager", begins: "the controllers begin" },
  { command: "scheduler", begins: "the scheduler begins" },
] as const;
const STRATEGY = "OldestEmulationVersion";

const admin = { token: ADMIN_TOKEN };
/** What a slow machine may take for a start, a lease and a take-over. */
const patient = { timeout: 60_000, interval: 250 };

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly strategy?: string;
  readonly leaseDurationSeconds?: number;
}

interface Candidate {
  readonly metadata: { readonly name: string; readonly creationTimestamp: string };
  readonly spec: {
    readonly leaseName: string;
    readonly pingTime?: string;
    readonly renewTime: string;
    readonly emulationVersion: string;
  };
}

let url: string;

describe("a server that chooses who leads", () => {
  it("chooses who came first, another when that one is killed, and prefers who behaves older", async () => {
    await startServer();
    await expect.poll(() => leaseOf("leader-election-controller"), patient).toMatchObject({ leaseDurationSeconds: 12 });
    await Promise.all(COMPONENTS.map(lifeOf));
  }, 240_000);

  it("does so too where everything is one process", async () => {
    await startServing(["up", ...test.folder.serverFlags(), GATE, SERVED]);
    const leaseName = "of-an-operator";
    await announce("one", leaseName);
    const chosen = async () => {
      await answerFor("one");
      return (await leaseOf(leaseName)).holderIdentity;
    };
    await expect.poll(chosen, patient).toBe("one");
  }, 90_000);
});

async function lifeOf({ command, begins }: (typeof COMPONENTS)[number]): Promise<void> {
  const lease = `kube-${command}`;
  const holder = async () => (await leaseOf(lease)).holderIdentity;
  const names = async () => (await candidatesOf(lease)).map(({ metadata }) => metadata.name);

  const first = await startComponent(command);
  await expect.poll(() => first.output.stderr, patient).toContain(begins);
  const [chosen] = await candidatesOf(lease);
  expect(chosen?.spec.emulationVersion).toBe("1.34.0");
  expect(await leaseOf(lease)).toMatchObject({ holderIdentity: chosen?.metadata.name, strategy: STRATEGY });

  // Who came first is told by seconds.
  const { name: firstName, creationTimestamp } = chosen!.metadata;
  await expect.poll(() => Date.now() - Date.parse(creationTimestamp), patient).toBeGreaterThan(1_000);
  const second = await startComponent(command);
  await expect.poll(names, patient).toHaveLength(2);
  const [secondName] = (await names()).filter((name) => name !== firstName);
  expect(await holder()).toBe(firstName);

  first.process.kill("SIGKILL");
  await expect.poll(holder, patient).toBe(secondName);
  await expect.poll(() => second.output.stderr, patient).toContain(begins);

  const older = `older-${lease}`;
  await announce(older, lease);
  const holderMeanwhile = async () => {
    await answerFor(older);
    return holder();
  };
  await expect.poll(holderMeanwhile, patient).toBe(older);
  const { code, stderr } = await second.ended;
  expect(code).toBe(1);
  expect(stderr).toContain(`the lease is to go to ${older}`);
  for (const { output } of [first, second]) {
    expect(output.stderr).not.toContain("without effect");
    expect(output.stderr).not.toContain("could not be asked");
  }
}

async function startServer(): Promise<void> {
  const flags = test.folder.serverFlags();
  const users = COMPONENTS.map(({ command }, index) => `${command}-token,system:kube-${command},${index + 2}\n`);
  test.folder.file("tokens.csv", `${ADMIN_TOKEN},admin,1,"system:masters"\n${users.join("")}`);
  await startServing(["apiserver", ...flags, GATE, SERVED, ...SERVER_LEASE, "--workers=2"]);
}

async function startServing(args: readonly string[]): Promise<void> {
  const server = await startCommand(args, test.folder.path);
  test.running.push(server);
  url = await readyUrl(server);
}

/** With the rights of its role. */
async function startComponent(command: string): Promise<Running> {
  const cluster = { server: url, "certificate-authority": join(test.folder.path, "data/pki/ca.crt") };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user: { token: `${command}-token` } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  const kubeconfig = test.folder.file(`${command}.kubeconfig`, JSON.stringify(config));
  const running = await startCommand([command, `--kubeconfig=${kubeconfig}`, "--secure-port=0", GATE, ...LEASE]);
  test.running.push(running);
  return running;
}

const BASE = "/apis/coordination.platform.io";
const IN_SYSTEM = "namespaces/platform-system";
const CANDIDATES = `${BASE}/v1beta1/${IN_SYSTEM}/leasecandidates`;

async function leaseOf(name: string): Promise<LeaseSpec> {
  const { text } = await ask(`${url}${BASE}/v1/${IN_SYSTEM}/leases/${name}`, admin);
  return (JSON.parse(text) as { spec?: LeaseSpec }).spec ?? {};
}

async function candidatesOf(lease: string): Promise<Candidate[]> {
  const { items } = JSON.parse((await ask(url + CANDIDATES, admin)).text) as { items: Candidate[] };
  return items.filter(({ spec }) => spec.leaseName === lease);
}

/** One of the test itself, that behaves like the release before. */
async function announce(name: string, leaseName: string): Promise<void> {
  const versions = { binaryVersion: "1.34.0", emulationVersion: "1.33.0" };
  const spec = { leaseName, strategy: STRATEGY, ...versions, renewTime: timeOfMs(Date.now(), "micros") };
  const body = { metadata: { name }, spec };
  const { status, text } = await ask(url + CANDIDATES, { ...admin, method: "POST", body });
  if (status !== 201) throw new Error(text);
}

/** When the server has asked. */
async function answerFor(name: string): Promise<void> {
  const path = `${url}${CANDIDATES}/${name}`;
  const found = JSON.parse((await ask(path, admin)).text) as Candidate;
  const { pingTime, renewTime } = found.spec;
  if (pingTime === undefined || pingTime < renewTime) return;
  const answer = timeOfMs(Math.max(Date.now(), Date.parse(pingTime) + 1), "micros");
  await ask(path, { ...admin, method: "PUT", body: { ...found, spec: { ...found.spec, renewTime: answer } } });
}
