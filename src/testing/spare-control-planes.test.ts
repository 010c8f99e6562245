// Control planes of earlier tests, by their options: they are known by what a start makes up, the uid of a namespace.

import { expect, it } from "vitest";
import { defineKind } from "../client/custom-kind.ts";
import { namesFor } from "../meta/names.ts";
import { type Plinth, type PlinthOptions, startPlinth } from "./index.ts";

const uidOf = async ({ client }: Plinth): Promise<string> =>
  (await client.core.v1.namespaces().get("default")).metadata.uid;

/** Starts one with each of these flags in turn, looks at it, and ends the test that had it. */
async function uidsWith(flags: readonly string[]): Promise<string[]> {
  const uids: string[] = [];
  for (const flag of flags) {
    await using plinth = await startPlinth({ controllers: false, flags: [flag] });
    uids.push(await uidOf(plinth));
  }
  return uids;
}

it("wait for tests with the options of one of the last eight, and no longer", async () => {
  // None can be changed into another.
  const flags = (...hosts: number[]) => hosts.map((host) => `--advertise-address=192.0.2.${host}`);
  const eight = flags(11, 12, 13, 14, 15, 16, 17, 18);
  const uids = await uidsWith(eight);
  expect(new Set(uids).size).toBe(8);
  expect(await uidsWith(eight)).toEqual(uids);
  await uidsWith(flags(19));
  expect(await uidsWith(flags(12))).toEqual([uids[1]]);
  expect(await uidsWith(flags(11))).not.toEqual([uids[0]]);
});

it("are changed for tests with other options, until it is clear that both are wanted by turns", async () => {
  const flags = Array.from({ length: 12 }, (_, index) => `--max-requests-inflight=${index % 2 === 0 ? 501 : 502}`);
  const uids = await uidsWith(flags);
  const [one, other] = [uids[0], uids[8]];
  expect(other).not.toBe(one);
  expect(uids).toEqual([...Array.from({ length: 8 }, () => one), other, one, other, one]);
});

it("stay as they are where flags are wrong", async () => {
  const flags = ["--max-requests-inflight=505"];
  const [uid] = await uidsWith(flags);
  await expect(uidsWith(["--event-ttl=soon"])).rejects.toThrow("event-ttl");
  expect(await uidsWith(flags)).toEqual([uid]);
});

it("have nothing of the test before when they have been changed, and the flags of the next one", async () => {
  const policiesWith = async (...flags: string[]): Promise<[uid: string, policy: string | undefined]> => {
    await using plinth = await startPlinth({ flags });
    const { client, requests } = plinth;
    expect(requests).toEqual([]);
    expect(await client.core.v1.pods().list()).toMatchObject({ items: [] });
    await expect(client.resource(widget, "default").list()).rejects.toMatchObject({ code: 404 });
    await client.install(widget);
    await client.apps.v1.deployments("default").create(web);
    await plinth.settle();
    const [pod] = (await client.core.v1.pods("default").list()).items;
    const uid = await uidOf(plinth);
    plinth.faults.inject({ fault: { type: "status", code: 500 }, times: 100 });
    return [uid, pod?.spec.containers?.[0]?.imagePullPolicy];
  };
  const [uid, first] = await policiesWith();
  expect(first).toBe("IfNotPresent");
  expect(await policiesWith("--enable-admission-plugins=AlwaysPullImages")).toEqual([uid, "Always"]);
  expect(await policiesWith("--event-ttl=2h")).toEqual([uid, "IfNotPresent"]);
});

it("go by the clock that a test wants, and by the time of the machine after one that was moved", async () => {
  const wanted = { nodes: 1, flags: ["--max-requests-inflight=504"] };
  const isNow = (time: string | undefined) => Math.abs(Date.parse(time ?? "") - Date.now()) < MOVED_MS / 2;
  const uids: string[] = [];
  for (const fakeClock of [false, true, false, true]) {
    await using plinth = await startPlinth({ ...wanted, fakeClock });
    const { core, coordination } = plinth.client;
    const { items: leases } = await coordination.v1.leases(namesFor("platform").nodeLeaseNamespace).list();
    expect(leases.map(({ spec }) => isNow(spec?.renewTime))).toEqual([true]);
    expect(plinth.clock === undefined).toBe(!fakeClock);
    const make = async (name: string): Promise<string | undefined> =>
      (await core.v1.configMaps("default").create({ metadata: { name } })).metadata.creationTimestamp;
    expect(isNow(await make("a"))).toBe(true);
    await plinth.clock?.advance(MOVED_MS);
    expect(isNow(await make("b"))).toBe(!fakeClock);
    await expectNodes(plinth, 1);
    uids.push(await uidOf(plinth));
  }
  expect(new Set(uids).size).toBe(1);
});

/** Options that no test has had before. */
let requestsInFlight = 100;

it.each([{ fakeClock: true }, { fakeClock: false }])(
  "have as many nodes as a test wants (%o)",
  async (options: PlinthOptions) => {
    requestsInFlight += 1;
    const flags = [`--max-requests-inflight=${requestsInFlight}`];
    const uidWith = async (nodes: number): Promise<string> => {
      await using plinth = await startPlinth({ ...options, flags, nodes });
      expect(plinth.requests).toEqual([]);
      await expectNodes(plinth, nodes);
      return await uidOf(plinth);
    };
    const uid = await uidWith(0);
    for (const nodes of [1, 3, 2, 0]) expect(await uidWith(nodes)).toBe(uid);
  },
);

/** Ready, at work, and the same after a reset. */
async function expectNodes(plinth: Plinth, count: number): Promise<void> {
  const { core, apps } = plinth.client;
  const { items } = await core.v1.nodes().list();
  const ready = items.map(({ status }) => status.conditions?.find(({ type }) => type === "Ready")?.status);
  expect(ready).toEqual(Array.from({ length: count }, () => "True"));
  await apps.v1.deployments("default").create(web);
  await plinth.settle();
  const { items: pods } = await core.v1.pods("default").list();
  expect(pods.map(({ spec }) => spec.nodeName !== undefined)).toEqual([count > 0, count > 0]);
  // By one scheduler: who was there before has gone.
  const bindings = plinth.requests.filter(({ resource }) => resource === "pods/binding");
  expect(bindings.map(({ status }) => status)).toEqual(count > 0 ? [201, 201] : []);
  await plinth.reset();
  expect((await core.v1.pods("default").list()).items).toEqual([]);
  const uidsOf = (nodes: typeof items): string[] => nodes.map(({ metadata }) => metadata.uid);
  expect(uidsOf((await core.v1.nodes().list()).items)).toEqual(uidsOf(items));
}

const MOVED_MS = 180_000;
const widget = defineKind({ group: "example.com", version: "v1", kind: "Widget", schema: { type: "object" } });
const labels = { app: "web" };
const web = {
  metadata: { name: "web" },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i:1" }] } },
  },
};
