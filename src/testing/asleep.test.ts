// Controllers, scheduler and nodes for which nothing is left to do start with the first write, or when time passes: to a
// test it is as if they had been there from the start. Only where a build has prepared what they would leave, and not in the
// first control plane of a process.

import { createRequire } from "node:module";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { firstState } from "../cmd/first-state.ts";
import type { Plinth, PlinthOptions } from "./index.ts";

/** The controllers, and nodes with a scheduler. */
const startActors = { startControllers: vi.fn(), startNodes: vi.fn() };
let startPlinth: (options?: PlinthOptions) => Promise<Plinth>;

/** As in a new process, whatever ran in this one before: a bundle of its own, with what a build has prepared. */
async function loadAnew(): Promise<void> {
  const { controllers, nodes } = await firstState("platform");
  const parts: Readonly<Record<string, unknown>> = {
    "prepared-state": { readPreparedState: () => controllers, readPreparedNodes: () => nodes },
    watch: (actors: typeof startActors) => {
      startActors.startControllers.mockImplementation(actors.startControllers);
      startActors.startNodes.mockImplementation(actors.startNodes);
      return startActors;
    },
  };
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "index.ts")],
    bundle: true,
    packages: "external",
    platform: "node",
    target: "node20",
    format: "cjs",
    write: false,
    logLevel: "error",
    plugins: [partsOfTheTest],
  });
  const required = createRequire(import.meta.url);
  const bundle = new Function("require", "module", outputFiles[0]!.text);
  const module = { exports: {} as typeof import("./index.ts") };
  bundle((name: string) => parts[name] ?? required(name), module);
  ({ startPlinth } = module.exports);
}

const partsOfTheTest: Plugin = {
  name: "parts-of-the-test",
  setup({ onResolve, onLoad }) {
    const namespace = "watched";
    onResolve({ filter: /^\.\/(?:prepared-state|actors)\.ts$/ }, ({ path, resolveDir, namespace: from }) => {
      if (resolveDir !== import.meta.dirname || from === namespace) return undefined;
      return path === "./actors.ts" ? { path, namespace } : { path: "prepared-state", external: true };
    });
    onLoad({ filter: /^/, namespace }, () => ({
      contents: `import * as actors from "./actors.ts";\nmodule.exports = require("watch")(actors);`,
      resolveDir: import.meta.dirname,
    }));
  },
};

const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
const web = { metadata: { generateName: "web-" }, spec: { replicas: 2, selector: { matchLabels: labels }, template } };

const open: Plinth[] = [];
let started = 0;
let firstStarts: readonly number[] = [];
beforeAll(async () => {
  await loadAnew();
  await using _first = await startPlinth({ nodes: 1 });
  firstStarts = starts();
});
beforeEach(() => vi.clearAllMocks());
afterEach(async () => {
  for (const plinth of open.splice(0)) await plinth.close();
});

/** Of a shape that no test before has had, and none can be brought into. */
async function newPlinth(options: PlinthOptions = {}): Promise<Plinth> {
  started += 1;
  const plinth = await startPlinth({ flags: [`--advertise-address=192.0.2.${started}`], ...options });
  open.push(plinth);
  return plinth;
}

const mapsOf = ({ client }: Plinth) => client.core.v1.configMaps("default");
const deploymentsOf = ({ client }: Plinth) => client.apps.v1.deployments("default");
const podsOf = async ({ client }: Plinth) => (await client.core.v1.pods("default").list()).items;
const renewalsOf = async ({ client }: Plinth) => {
  const { items } = await client.coordination.v1.leases("platform-node-lease").list();
  return items.map(({ spec }) => Date.parse(spec?.renewTime ?? ""));
};
const starts = () => Object.values(startActors).map(({ mock }) => mock.calls.length);

describe("a control plane as it was prepared", () => {
  it("has everybody at work from the start where it is the first of a process", () => {
    expect(firstStarts).toEqual([1, 1]);
  });

  it("starts nobody for who only reads", async () => {
    const plinth = await newPlinth({ nodes: 3 });
    expect((await plinth.client.core.v1.nodes().list()).items).toHaveLength(3);
    await plinth.settle();
    await plinth.reset();
    expect(starts()).toEqual([0, 0]);
  });

  it("starts nobody for who only reads with other gates", async () => {
    const plinth = await newPlinth({ nodes: 3, flags: ["--feature-gates=ClusterTrustBundle=true,WatchList=false"] });
    expect((await plinth.client.core.v1.nodes().list()).items).toHaveLength(3);
    await plinth.reset();
    expect(starts()).toEqual([0, 0]);
    await deploymentsOf(plinth).create(web);
    expect(starts()).toEqual([1, 1]);
  });

  it("has everybody at work when something is written", async () => {
    const plinth = await newPlinth({ nodes: 2, fakeClock: true });
    await deploymentsOf(plinth).create(web);
    for (let second = 0; second < 3; second += 1) {
      await plinth.clock!.advance(1_000);
      await plinth.settle();
    }
    expect((await podsOf(plinth)).map(({ status }) => status?.phase)).toEqual(["Running", "Running"]);
    expect(starts()).toEqual([1, 1]);
  });

  it("answers in the order in which it is asked", async () => {
    const plinth = await newPlinth();
    const maps = mapsOf(plinth);
    await Promise.all([
      maps.create({ metadata: { name: "a" } }),
      maps.find("a"),
      maps.create({ metadata: { name: "b" } }),
    ]);
    expect(plinth.requests.map(({ verb }) => verb)).toEqual(["create", "get", "create"]);
  });

  it("remembers nothing of how they start, and no fault is for that", async () => {
    const plinth = await newPlinth({ nodes: 1 });
    plinth.faults.inject({ fault: { type: "status", code: 503 } });
    await expect(mapsOf(plinth).create({ metadata: { name: "a" } })).rejects.toMatchObject({ code: 503 });
    expect(plinth.requests).toMatchObject([{ userAgent: "plinth-testing", status: 503 }]);
    expect(starts()).toEqual([1, 1]);
  });

  it("has everybody at work before the time is moved", async () => {
    const plinth = await newPlinth({ nodes: 1, fakeClock: true });
    const beganMs = plinth.clock!.nowMs();
    await plinth.clock!.advance(15_000);
    await plinth.settle();
    expect(plinth.clock!.nowMs()).toBe(beganMs + 15_000);
    const [renewedMs = 0] = await renewalsOf(plinth);
    expect(renewedMs).toBeGreaterThan(beganMs);
    expect(starts()).toEqual([1, 1]);
  });

  it("has nodes that are alive though nobody writes", async () => {
    await newPlinth({ nodes: 1 });
    await vi.waitFor(() => expect(starts()).toEqual([1, 1]), { timeout: 10_000 });
  });

  it("has them for a state that is restored", async () => {
    const one = await newPlinth();
    await deploymentsOf(one).create(web);
    const kept = new Map([...(await one.snapshot())].filter(([key]) => !key.includes("/pods/")));
    const other = await newPlinth();
    await other.restore(kept);
    expect(await podsOf(other)).toHaveLength(2);
  });

  it("gives the first test the same names as the second", async () => {
    const plinth = await newPlinth({ nodes: 1, fakeClock: true, seed: 7 });
    const names: (string | undefined)[][] = [];
    for (let test = 0; test < 2; test += 1) {
      await mapsOf(plinth).list();
      await deploymentsOf(plinth).create(web);
      await plinth.settle();
      names.push((await podsOf(plinth)).map(({ metadata }) => metadata.name));
      await plinth.reset();
    }
    expect(names[0]).toHaveLength(2);
    expect(names[1]).toEqual(names[0]);
  });

  it("gets nodes for a test that wants some, and loses them again, before anybody has started", async () => {
    const flags = ["--advertise-address=192.0.2.250"];
    for (const nodes of [0, 3, 1, 0]) {
      await using plinth = await startPlinth({ flags, nodes });
      expect((await plinth.client.core.v1.nodes().list()).items).toHaveLength(nodes);
    }
    expect(starts()).toEqual([0, 0]);
    await using plinth = await startPlinth({ flags });
    await deploymentsOf(plinth).create(web);
    expect(starts()).toEqual([1, 0]);
  });
});

describe("a control plane beside another", () => {
  it("sees nothing of it: neither objects, nor requests, faults or time", async () => {
    const flags = ["--advertise-address=192.0.2.251"];
    const [one, other] = [await newPlinth({ flags, fakeClock: true }), await newPlinth({ flags, fakeClock: true })];
    const otherMs = other.clock!.nowMs();
    await mapsOf(one).create({ metadata: { name: "a" } });
    one.faults.inject({ fault: { type: "status", code: 503 }, resource: "configmaps" });
    await one.clock!.advance(60_000);
    expect(other.requests).toEqual([]);
    expect(other.clock!.nowMs()).toBe(otherMs);
    expect(await mapsOf(other).find("a")).toBeUndefined();
    const [space, otherSpace] = await Promise.all(
      [one, other].map(({ client }) => client.core.v1.namespaces().get("default")),
    );
    expect(otherSpace?.metadata.uid).not.toBe(space?.metadata.uid);
    await mapsOf(other).create({ metadata: { name: "b" } });
    await expect(mapsOf(one).get("b")).rejects.toMatchObject({ code: 503 });
  });
});
