// Two of each that act: one leads, the other waits. The leader is halted for longer than its lease, and finds another in its
// place, and much to do, when it goes on.

import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { type EtcdServer, etcdMissing, startEtcdServer } from "../testing/etcd-server.testing.ts";
import { ADMIN_TOKEN, ask, type Running, readyUrl, startCommand, useCommands } from "./commands.testing.ts";

const test = useCommands();

/** Short, and longer than a machine stands still: whoever leads would lose it before it is halted. */
const SHORT_LEASE = [
  "--leader-elect-lease-duration=15s",
  "--leader-elect-renew-deadline=12s",
  "--leader-elect-retry-period=500ms",
];
const OFF = "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition";
const admin = { token: ADMIN_TOKEN };
/** What a slow machine may take for a start, a lease and a take-over. */
const patient = { timeout: 60_000, interval: 250 };

/** What somebody does for whoever leads to have work, and how much of it was done. */
interface Work {
  create(url: string, index: number): Promise<unknown>;
  done(url: string): Promise<number>;
}

const WORK: Readonly<Record<string, Work>> = {
  scheduler: {
    create: (url, index) => post(url, "/api/v1/namespaces/default/pods", pod(`pod-${index}`)),
    done: async (url) => (await list(url, "/api/v1/pods")).filter(({ spec }) => spec?.nodeName !== undefined).length,
  },
  "controller-manager": {
    create: (url, index) => post(url, "/api/v1/namespaces", { metadata: { name: `namespace-${index}` } }),
    done: async (url) => (await list(url, "/api/v1/serviceaccounts")).length,
  },
};

let etcd: EtcdServer | undefined;
let load: Load | undefined;
afterEach(async () => {
  await load?.stop();
  await etcd?.stop();
  [load, etcd] = [undefined, undefined];
});

describe.each(Object.entries(WORK))("plinth %s", (command, work) => {
  it("that was halted ends without a write, when another has taken over", async () => {
    const { url, server } = await startServer();
    const ports = [await freePort(), await freePort()] as const;
    const start = (user: string, port: number): Promise<Running> =>
      startRunning([command, `--kubeconfig=${kubeconfigOf(user, url)}`, `--secure-port=${port}`, ...SHORT_LEASE]);
    const holder = () => holderOf(url, `kube-${command}`);
    const first = await start("first", ports[0]);
    await expect.poll(holder, patient).not.toBe("");
    const leader = await holder();
    const second = await start("second", ports[1]);
    load = new Load((index) => work.create(url, index));
    await expect.poll(() => work.done(url), patient).toBeGreaterThan(5);
    const measured = async () => (await ask(`https://127.0.0.1:${ports[1]}/metrics`, admin)).text;
    if (command === "scheduler") await expect.poll(measured, patient).toContain('scheduler_cache_size{type="nodes"} 1');
    const status = `leader_election_master_status{name="kube-${command}"}`;
    await expect.poll(measured, patient).toContain(`${status} 0`);
    expect(first.process.exitCode, first.output.stderr).toBe(null);
    // What it has handed to its connection in the very turn in which it is halted would be sent when it goes on.
    await load.stop();
    await expect.poll(restOf("audit.log"), patient).toBe(true);

    first.process.kill("SIGSTOP");
    load = new Load((index) => work.create(url, index), load.created);
    await expect.poll(holder, patient).not.toBe(leader);
    await expect.poll(measured, patient).toContain(`${status} 1`);
    const done = await work.done(url);
    await expect.poll(() => work.done(url), patient).toBeGreaterThan(done + 5);
    first.process.kill("SIGCONT");
    expect(await endOf(first)).toEqual([1, expect.stringContaining("the lease could not be renewed in time")]);

    await load.stop();
    expect((await second.stop()).code).toBe(0);
    await server.stop();
    const events = auditEvents("audit.log");
    const taken = events.findIndex(({ user, objectRef, verb }) => {
      return user.username === "second" && objectRef?.resource === "leases" && verb === "update";
    });
    const writers = (some: readonly AuditEvent[]) => new Set(some.filter(isWork).map(({ user }) => user.username));
    expect(writers(events.slice(0, taken))).toEqual(new Set(["first"]));
    expect(writers(events.slice(taken))).toEqual(new Set(["second"]));
  }, 240_000);
});

describe.skipIf(etcdMissing() !== undefined)("plinth up", () => {
  it("that was halted ends, when another over the same store has taken over", async () => {
    etcd = await startEtcdServer();
    const start = async (name: string) => {
      const flags = [...test.folder.serverFlags(), `--data-dir=${join(test.folder.path, name)}`, ...SHORT_LEASE];
      const audit = auditFlags(`${name}.log`);
      const running = await startRunning(["up", ...flags, OFF, `--etcd-servers=${etcd!.endpoint}`, ...audit]);
      return { running, url: await readyUrl(running) };
    };
    const first = await start("first");
    const holders = (url: string) => Promise.all(Object.keys(WORK).map((each) => holderOf(url, `kube-${each}`)));
    await expect.poll(() => holders(first.url), patient).not.toContain("");
    const leaders = await holders(first.url);
    const { running: second, url } = await start("second");
    await post(url, "/api/v1/nodes", NODE);
    load = new Load((index) => Promise.all(Object.values(WORK).map((work) => work.create(url, index))));
    const done = () => Promise.all(Object.values(WORK).map((work) => work.done(url)));
    const allAbove = async (counts: readonly number[]) => (await done()).every((count, at) => count > counts[at]! + 5);
    await expect.poll(() => allAbove([0, 0]), patient).toBe(true);

    first.running.process.kill("SIGSTOP");
    await expect.poll(async () => (await holders(url)).some((each) => leaders.includes(each)), patient).toBe(false);
    const before = await done();
    await expect.poll(() => allAbove(before), patient).toBe(true);
    const haltedUntil = new Date().toISOString();
    first.running.process.kill("SIGCONT");
    expect(await endOf(first.running)).toEqual([1, expect.stringContaining("the lease could not be renewed in time")]);
    const asked = auditEvents("first.log").filter((event) => event.requestReceivedTimestamp > haltedUntil);
    expect(asked.filter(isWork)).toEqual([]);

    await load.stop();
    expect((await second.stop()).code).toBe(0);
    expect(auditEvents("second.log").filter(isWork)).not.toEqual([]);
  }, 240_000);
});

interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource: string };
  readonly requestReceivedTimestamp: string;
}

/** Whether somebody has acted who leads: neither a client, nor one that waits. */
function isWork({ user, verb, objectRef }: AuditEvent): boolean {
  const isComponent = ["first", "second"].includes(user.username) || user.username.startsWith("system:");
  const isServer = user.username === "system:apiserver" || user.username === "system:anonymous";
  const isWrite = ["create", "update", "patch", "delete", "deletecollection"].includes(verb);
  // Anybody may ask for a lease, and whether somebody may see its metrics.
  const isAside = ["leases", "tokenreviews", "subjectaccessreviews"].includes(objectRef?.resource ?? "");
  return isComponent && !isServer && isWrite && !isAside;
}

function auditFlags(file: string): string[] {
  const rules = [{ level: "Metadata", omitStages: ["RequestReceived"] }];
  const policy = { apiVersion: "audit.platform.io/v1", kind: "Policy", rules };
  return [
    `--audit-policy-file=${test.folder.file("policy.json", JSON.stringify(policy))}`,
    `--audit-log-path=${join(test.folder.path, file)}`,
  ];
}

/** Whether nobody who leads has acted for ten looks. */
function restOf(file: string): () => boolean {
  let seen = -1;
  let looks = 0;
  return () => {
    const { length } = auditEvents(file).filter(isWork);
    looks = length === seen ? looks + 1 : 0;
    seen = length;
    return looks >= 10;
  };
}

/** In the order in which they were answered. */
function auditEvents(file: string): AuditEvent[] {
  const lines = readFileSync(join(test.folder.path, file), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as AuditEvent);
}

/** Often enough for those who lead to have work always, and seldom enough for what there is to stay small. */
const WORK_EVERY_MS = 100;

/** Asks for more until it is stopped. */
class Load {
  created: number;
  #isOver = false;
  readonly #running: Promise<void>;

  /** `created`: how many there are already. */
  constructor(create: (index: number) => Promise<unknown>, created = 0) {
    this.created = created;
    this.#running = this.#run(create);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #run(create: (index: number) => Promise<unknown>): Promise<void> {
    for (; !this.#isOver; this.created += 1) {
      await create(this.created);
      await pause(WORK_EVERY_MS);
    }
  }
}

const NODE = {
  metadata: { name: "n" },
  status: { allocatable: { cpu: "1000", memory: "1Ti", pods: "100000" } },
};

function pod(name: string): object {
  return { metadata: { name }, spec: { containers: [{ name: "app", image: "app" }] } };
}

async function startServer(): Promise<{ readonly url: string; readonly server: Running }> {
  const flags = test.folder.serverFlags();
  // Both may do everything: their names tell them apart.
  const users = ["first", "second"].map((name, index) => `${name}-token,${name},${index + 2},"system:masters"\n`);
  test.folder.file("tokens.csv", `${ADMIN_TOKEN},admin,1,"system:masters"\n${users.join("")}`);
  const server = await startRunning(["apiserver", ...flags, OFF, "--workers=1", ...auditFlags("audit.log")]);
  const url = await readyUrl(server);
  await post(url, "/api/v1/nodes", NODE);
  return { url, server };
}

async function startRunning(args: readonly string[]): Promise<Running> {
  const running = await startCommand(args, test.folder.path);
  test.running.push(running);
  return running;
}

async function endOf(running: Running): Promise<[number | null, string]> {
  const { code, stderr } = await running.ended;
  return [code, stderr];
}

async function holderOf(url: string, lease: string): Promise<string> {
  const path = `/apis/coordination.platform.io/v1/namespaces/platform-system/leases/${lease}`;
  const { spec } = JSON.parse((await ask(url + path, admin)).text) as { spec?: { holderIdentity?: string } };
  return spec?.holderIdentity ?? "";
}

async function post(url: string, path: string, body: object): Promise<void> {
  const { status, text } = await ask(url + path, { ...admin, method: "POST", body });
  if (status !== 201) throw new Error(text);
}

async function list(url: string, path: string): Promise<{ readonly spec?: { readonly nodeName?: string } }[]> {
  return (JSON.parse((await ask(url + path, admin)).text) as { items: [] }).items;
}

async function freePort(): Promise<number> {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as AddressInfo;
  await new Promise((resolve) => taken.close(resolve));
  return port;
}

function kubeconfigOf(user: string, server: string): string {
  const cluster = { server, "certificate-authority": join(test.folder.path, "data/pki/ca.crt") };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user: { token: `${user}-token` } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  return test.folder.file(`${user}.kubeconfig`, JSON.stringify(config));
}
