// Control planes of earlier tests, by their options: they are known by what a start makes up, the uid of a namespace.

import { expect, it } from "vitest";
import { type Plinth, type PlinthOptions, startPlinth } from "./index.ts";

/** Starts one, looks at it, and ends the test that had it. */
async function uidWith(requestsInFlight: number): Promise<string> {
  await using plinth = await startPlinth({
    controllers: false,
    flags: [`--max-requests-inflight=${requestsInFlight}`],
  });
  return (await plinth.client.core.v1.namespaces().get("default")).metadata.uid;
}

async function uidsWith(options: readonly number[]): Promise<string[]> {
  const uids: string[] = [];
  for (const each of options) uids.push(await uidWith(each));
  return uids;
}

it("wait for tests with the options of one of the last eight, and no longer", async () => {
  const eight = [11, 12, 13, 14, 15, 16, 17, 18];
  const uids = await uidsWith(eight);
  expect(new Set(uids).size).toBe(8);
  expect(await uidsWith(eight)).toEqual(uids);
  await uidWith(19);
  expect(await uidWith(12)).toBe(uids[1]);
  expect(await uidWith(11)).not.toBe(uids[0]);
});

/** Options that no test has had before. */
let requestsInFlight = 100;

it.each([{ fakeClock: true }, { fakeClock: false }])(
  "get further nodes for the first test that wants so many (%o)",
  async (options: PlinthOptions) => {
    requestsInFlight += 1;
    const flags = [`--max-requests-inflight=${requestsInFlight}`];
    const uidOf = async (nodes: number): Promise<string> => {
      await using plinth = await startPlinth({ ...options, flags, nodes });
      expect(plinth.requests).toEqual([]);
      await expectNodes(plinth, nodes);
      return (await plinth.client.core.v1.namespaces().get("default")).metadata.uid;
    };
    const uid = await uidOf(0);
    expect(await uidOf(1)).toBe(uid);
    expect(await uidOf(3)).toBe(uid);
    // None loses nodes, and by turns each has its own.
    const other = await uidOf(0);
    expect(other).not.toBe(uid);
    expect(await uidOf(2)).toBe(other);
    expect([await uidOf(3), await uidOf(2)]).toEqual([uid, other]);
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

const labels = { app: "web" };
const web = {
  metadata: { name: "web" },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
};
