// A control plane inside a test: time, faults, what was asked, and back to the start.

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { kinds } from "../client/built-in-kinds.ts";
import { type Plinth, type PlinthMatchers, plinthMatchers, startPlinth } from "./index.ts";

declare module "vitest" {
  interface Matchers<T> extends PlinthMatchers {}
}
expect.extend(plinthMatchers);

const labels = { app: "web" };
const web = (replicas: number) => ({
  metadata: { name: "web" },
  spec: {
    replicas,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
});

describe("a control plane inside a test", () => {
  let plinth: Plinth;
  beforeAll(async () => {
    plinth = await startPlinth({ nodes: 3, fakeClock: true });
  });
  afterAll(() => plinth.close());

  const deployments = () => plinth.client.apps.v1.deployments("default");
  /** Lets time pass until nothing happens any more. */
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 250) {
      await plinth.clock!.advance(250);
      await plinth.settle();
    }
  };

  it("runs pods of a Deployment on nodes, as time passes", async () => {
    await deployments().create(web(3));
    await plinth.settle();
    expect(await deployments().get("web")).not.toBeReady();
    await pass(5_000);
    const ready = await deployments().get("web");
    expect(ready).toBeReady();
    expect(ready).toHaveCondition("Progressing", "True", "NewReplicaSetAvailable");
    expect(ready.status?.availableReplicas).toBe(3);
    const pods = (await plinth.client.core.v1.pods("default").list()).items;
    expect(new Set(pods.map(({ spec }) => spec?.nodeName)).size).toBe(3);
  });

  it("knows of sets of pods that have no conditions whether they are ready", async () => {
    const { statefulSets } = plinth.client.apps.v1;
    await statefulSets("default").create({ metadata: { name: "set" }, spec: { ...web(2).spec, serviceName: "set" } });
    await plinth.settle();
    const before = await statefulSets("default").get("set");
    expect(() => expect(before).toBeReady()).toThrow(/^StatefulSet set is not ready: \d of 2$/);
    await pass(10_000);
    expect(await statefulSets("default").get("set")).toBeReady();
    await statefulSets("default").delete("set");
  });

  it("goes back to its start, and to anything that was kept", async () => {
    const kept = await plinth.snapshot();
    await plinth.reset();
    expect(await deployments().find("web")).toBeUndefined();
    expect((await plinth.client.core.v1.pods().list()).items).toEqual([]);
    expect((await plinth.client.core.v1.nodes().list()).items).toHaveLength(3);
    await plinth.restore(kept);
    expect(await deployments().get("web")).toBeReady();
    await plinth.reset();
  });

  it("shows nothing of before a reset, also at an earlier version", async () => {
    const maps = plinth.client.core.v1.configMaps("default");
    await maps.create({ metadata: { name: "before" } });
    const { resourceVersion } = (await maps.list()).metadata;
    const earlier = { resourceVersion, resourceVersionMatch: "Exact" } as const;
    expect((await maps.list(earlier)).items.map(({ metadata }) => metadata.name)).toContain("before");
    await plinth.reset();
    await expect(maps.list(earlier)).rejects.toMatchObject({ code: 410 });
  });

  it("goes back to its start when it has forgotten what has changed since then", async () => {
    await using other = await startPlinth({ controllers: false, fakeClock: true });
    const maps = other.client.core.v1.configMaps("default");
    await maps.create({ metadata: { name: "old" } });
    const { resourceVersion } = (await maps.list()).metadata;
    const earlier = { resourceVersion, resourceVersionMatch: "Exact" } as const;
    await maps.create({ metadata: { name: "newer" } });
    for (let minute = 0; minute < 12; minute += 1) {
      await other.clock!.advance(60_000);
      await other.settle();
    }
    await expect(maps.list(earlier)).rejects.toMatchObject({ code: 410 });
    await other.reset();
    expect((await maps.list()).items.map(({ metadata }) => metadata.name)).not.toContain("old");
  });

  it("refuses a pod whose account nobody makes, though the clock stands still", async () => {
    await using other = await startPlinth({ controllers: false, fakeClock: true });
    const pods = other.client.core.v1.pods("default");
    const spec = { containers: [{ name: "c", image: "i" }] };
    await expect(pods.create({ metadata: { name: "early" }, spec })).rejects.toMatchObject({ code: 403 });
  });

  it("has living nodes through any number of resets", async () => {
    for (let test = 0; test < 50; test += 1) {
      for (let second = 0; second < 2; second += 1) {
        await plinth.clock!.advance(1_000);
        await plinth.settle();
      }
      const ofNodes = plinth.requests.filter(({ resource }) => resource.startsWith("nodes"));
      expect(ofNodes).toEqual([]);
      await plinth.reset();
    }
  });

  it("begins at a whole second of its clock, and so again after a reset", async () => {
    const msOver = () => plinth.clock!.nowMs() % 1_000;
    expect(msOver()).toBe(0);
    await plinth.clock!.advance(250);
    expect(msOver()).toBe(250);
    await plinth.reset();
    expect(msOver()).toBe(0);
  });

  it("remembers what was asked, by whom", async () => {
    await plinth.client.core.v1.configMaps("default").create({ metadata: { name: "a" } });
    const mine = plinth.requests.filter(({ userAgent }) => userAgent === "plinth-testing");
    expect(mine).toMatchObject([
      { verb: "create", resource: "configmaps", namespace: "default", name: "", status: 201, method: "POST" },
    ]);
    await plinth.reset();
    expect(plinth.requests).toEqual([]);
  });

  it.each([
    [409, "Conflict"],
    [410, "Expired"],
    [500, "InternalError"],
  ])("refuses with %i when told to, once", async (code, reason) => {
    plinth.faults.inject({ fault: { type: "status", code }, verb: "create", resource: "configmaps" });
    const maps = plinth.client.core.v1.configMaps("default");
    await expect(maps.create({ metadata: { name: "b" } })).rejects.toMatchObject({ code, reason });
    await maps.create({ metadata: { name: "b" } });
    await plinth.reset();
  });

  it("turns away with 429, and says when to come back", async () => {
    plinth.faults.inject({ fault: { type: "status", code: 429 }, resource: "configmaps" });
    const maps = plinth.client.core.v1.configMaps("default");
    await expect(maps.list()).rejects.toMatchObject({
      code: 429,
      reason: "TooManyRequests",
      status: { details: { retryAfterSeconds: 1 } },
    });
    await plinth.reset();
  });

  it("answers late, by its own clock", async () => {
    plinth.faults.inject({ fault: { type: "latency", ms: 5_000 }, verb: "list", resource: "configmaps" });
    const answered = vi.fn();
    const asked = plinth.client.core.v1.configMaps("default").list().then(answered);
    await plinth.clock!.advance(4_999);
    expect(answered).not.toHaveBeenCalled();
    await plinth.clock!.advance(1);
    await asked;
    await plinth.reset();
  });

  it("settles while a late answer waits for its time, and has it at once when faults are over", async () => {
    const late = { fault: { type: "latency", ms: 60_000 } } as const;
    plinth.faults.inject({ ...late, verb: "list", resource: "configmaps" });
    const answered = vi.fn();
    const asked = plinth.client.core.v1.configMaps("default").list().then(answered);
    await plinth.settle();
    expect(answered).not.toHaveBeenCalled();
    plinth.faults.inject({ fault: { type: "latency", ms: 2_000 }, verb: "create", resource: "replicasets" });
    await deployments().create(web(1));
    await pass(8_000);
    expect(await deployments().get("web")).toBeReady();
    await plinth.reset();
    await asked;
  });

  it("settles while a list waits for a version that is not there yet", async () => {
    const maps = plinth.client.core.v1.configMaps("default");
    const { metadata } = await maps.create({ metadata: { name: "c" } });
    const answered = vi.fn();
    const path = `/api/v1/namespaces/default/configmaps?resourceVersion=${Number(metadata.resourceVersion) + 100}`;
    const asked = plinth.client.transport.request({ method: "GET", path }).then(({ status }) => answered(status));
    await plinth.settle();
    expect(answered).not.toHaveBeenCalled();
    await pass(3_000);
    await asked;
    expect(answered).toHaveBeenCalledWith(504);
    await plinth.reset();
  });

  it("loses an answer after the deed", async () => {
    plinth.faults.inject({ fault: { type: "lost-answer" }, verb: "create", resource: "configmaps" });
    const maps = plinth.client.core.v1.configMaps("default");
    const lost = maps.create({ metadata: { name: "c" } });
    await expect(lost).rejects.toMatchObject({ failure: "lost", message: "injected fault: the answer is lost" });
    expect(await maps.find("c")).toBeDefined();
    await plinth.reset();
  });

  it("keeps its promises through faults by chance, the same for the same seed", async () => {
    const seed = 20_301;
    const run = async (): Promise<number[]> => {
      plinth.faults.chaos({ seed, probability: 0.5 });
      const maps = plinth.client.core.v1.configMaps("default");
      const codes: number[] = [];
      for (let index = 0; index < 20; index += 1) {
        const code = await maps.create({ metadata: { name: `x${index}` } }).then(
          () => 201,
          (error: { code: number }) => error.code,
        );
        codes.push(code);
      }
      await plinth.reset();
      return codes;
    };
    await deployments().create(web(2));
    plinth.faults.chaos({ seed, probability: 0.3 });
    await pass(30_000);
    plinth.faults.clear();
    await pass(30_000);
    expect(await deployments().get("web")).toBeReady();
    expect((await plinth.client.core.v1.pods("default").list()).items).toHaveLength(2);
    await plinth.reset();
    const first = await run();
    expect(first).toContain(201);
    expect(first.some((code) => code !== 201)).toBe(true);
    expect(await run()).toEqual(first);
  });

  it.each(["cut-watch", "stalled-watch"] as const)(
    "breaks a watch: %s; an informer goes on all the same",
    async (type) => {
      plinth.faults.inject({ fault: { type, afterPieces: 1 }, verb: "watch", userAgent: /^plinth-testing$/ });
      const informer = plinth.client.informer(kinds.core.v1.configMaps, { namespace: "default" });
      informer.start();
      await informer.whenSynced();
      await plinth.client.core.v1.configMaps("default").create({ metadata: { name: "late" } });
      await plinth.settle();
      expect(informer.cache.get("default/late")).toBeUndefined();
      await pass(120_000);
      expect(informer.cache.get("default/late")).toBeDefined();
      const watches = plinth.requests.filter(
        ({ verb, userAgent }) => verb === "watch" && userAgent === "plinth-testing",
      );
      expect(watches.length).toBeGreaterThan(1);
      await informer.stop();
      await plinth.reset();
    },
  );
});

describe("a control plane that ends with its block", () => {
  it("is closed by it", async () => {
    let client: Plinth["client"];
    {
      await using plinth = await startPlinth({ controllers: false });
      client = plinth.client;
      await client.core.v1.configMaps("default").create({ metadata: { name: "a" } });
    }
    await expect(client.core.v1.configMaps("default").get("a")).rejects.toThrow("closed");
  });
});

describe("control planes one after the other", () => {
  const shape = { nodes: 1, fakeClock: true, flags: ["--event-ttl=2h"] } as const;

  it("have nothing of those before them, also where they are the same", async () => {
    const first = await startPlinth(shape);
    await first.client.core.v1.configMaps("default").create({ metadata: { name: "a" } });
    first.faults.inject({ fault: { type: "status", code: 500 }, times: 100 });
    const kubeconfig = JSON.parse(await first.kubeconfig()) as { clusters: [{ cluster: { server: string } }] };
    await first.close();
    await using second = await startPlinth(shape);
    expect(second.requests).toEqual([]);
    expect(await second.client.core.v1.configMaps("default").find("a")).toBeUndefined();
    expect((await second.client.core.v1.nodes().list()).items).toHaveLength(1);
    await expect(first.client.core.v1.configMaps("default").list()).rejects.toThrow("closed");
    await expect(first.reset()).rejects.toThrow("closed");
    await expect(fetch(kubeconfig.clusters[0].cluster.server)).rejects.toThrow();
  });

  it("stand side by side without knowing of each other", async () => {
    await using one = await startPlinth(shape);
    await using other = await startPlinth(shape);
    await one.client.core.v1.configMaps("default").create({ metadata: { name: "a" } });
    expect(await other.client.core.v1.configMaps("default").find("a")).toBeUndefined();
  });
});

describe("a test with faults by chance", () => {
  /** How requests for the sake of the Deployment ended, by what they are; what others do in their time goes on beside it. */
  async function storyOf(seed: number): Promise<Map<string, number[]>> {
    await using plinth = await startPlinth({ nodes: 2, fakeClock: true, seed });
    await plinth.client.apps.v1.deployments("default").create(web(3));
    plinth.faults.chaos({ probability: 0.2 });
    for (let second = 0; second < 20; second += 1) {
      await plinth.clock!.advance(1_000);
      await plinth.settle();
    }
    const story = new Map<string, number[]>();
    for (const { userAgent, verb, resource, name, status } of plinth.requests) {
      // Events are told in their own time, and named after it.
      if (!/deployment|replicaset|scheduler/.test(userAgent) || resource === "events") continue;
      const words = `${userAgent} ${verb} ${resource} ${name}`;
      story.set(words, [...(story.get(words) ?? []), status ?? 0]);
    }
    return story;
  }

  /** Of two stories, what both know of: how often a status is told may differ with how fast others are. */
  function common(one: Map<string, number[]>, other: Map<string, number[]>): string[] {
    return [...one].flatMap(([words, statuses]) =>
      statuses.slice(0, other.get(words)?.length ?? 0).map((status) => `${words} ${status}`),
    );
  }

  it("does the same again with the same seed, and something else with another", async () => {
    const printed = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const first = await storyOf(1);
    expect(printed.mock.calls.flat()).toContain("plinth: faults by chance, PLINTH_SEED=1 repeats them\n");
    const again = await storyOf(1);
    expect(common(again, first)).toEqual(common(first, again));
    expect(common(first, again).length).toBeGreaterThan(15);
    const another = await storyOf(8);
    expect([...another]).not.toEqual([...first]);
    printed.mockRestore();
  });
});
