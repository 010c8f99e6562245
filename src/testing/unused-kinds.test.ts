// Kinds without objects, which nobody follows before they have one: to a test it is as if everybody had from the start.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { defineKind } from "../client/custom-kind.ts";
import { namesFor } from "../meta/names.ts";
import { type Plinth, startPlinth } from "./index.ts";

const RBAC = namesFor("platform").group("rbac.authorization");
const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
const web = {
  metadata: { generateName: "web-" },
  spec: { replicas: 2, selector: { matchLabels: labels }, template },
};

describe("a kind that is used for the first time", () => {
  let plinth: Plinth;
  let started = 0;
  beforeEach(async () => {
    plinth = await unusedPlinth();
  });
  afterEach(() => plinth.close());

  /** Of a shape that no test before has had, and none can be brought into: in another, kinds may have been used. */
  function unusedPlinth(): Promise<Plinth> {
    started += 1;
    return startPlinth({ flags: [`--advertise-address=192.0.2.${started}`] });
  }

  const podsIn = async ({ client }: Plinth): Promise<number> =>
    (await client.core.v1.pods("default").list()).items.length;
  const deployments = () => plinth.client.apps.v1.deployments("default");

  it("has its controllers at work before settle() returns", async () => {
    await deployments().create(web);
    await plinth.settle();
    expect(await podsIn(plinth)).toBe(2);
  });

  it("was followed all along, as far as a test can tell: no request of it is seen", async () => {
    await deployments().create(web);
    await plinth.settle();
    expect(plinth.requests.filter(({ verb }) => verb === "watch")).toEqual([]);
    const watch = plinth.client.core.v1.pods("default").watch()[Symbol.asyncIterator]();
    await watch.next();
    await watch.return?.();
    expect(plinth.requests.filter(({ verb }) => verb === "watch")).toMatchObject([{ userAgent: "plinth-testing" }]);
  });

  it("takes no fault from those that the test injects", async () => {
    plinth.faults.inject({ fault: { type: "status", code: 503 }, verb: "watch" });
    await deployments().create(web);
    await plinth.settle();
    expect(await podsIn(plinth)).toBe(2);
    const watch = plinth.client.core.v1.pods("default").watch()[Symbol.asyncIterator]();
    await watch.next();
    await watch.return?.();
    expect(plinth.requests.filter(({ verb }) => verb === "watch")[0]).toMatchObject({
      userAgent: "plinth-testing",
      status: 503,
    });
  });

  it("comes with a restored state, too", async () => {
    await deployments().create(web);
    await plinth.settle();
    const { items } = await plinth.client.core.v1.pods("default").list();
    await plinth.client.core.v1.pods("default").delete(items[0]!.metadata.name, { gracePeriodSeconds: 0 });
    const owned = await plinth.snapshot();
    const withoutPods = new Map([...owned].filter(([key]) => !key.includes("/pods/")));
    await using other = await unusedPlinth();
    await other.restore(withoutPods);
    expect(await podsIn(other)).toBe(2);
  });

  it("goes with a reset, and comes again", async () => {
    for (let test = 0; test < 3; test += 1) {
      await deployments().create(web);
      await plinth.settle();
      expect(await podsIn(plinth)).toBe(2);
      await plinth.reset();
      expect(await podsIn(plinth)).toBe(0);
    }
  });

  it("may be that of an owner that every cluster has: what belongs to it stays as long as it does", async () => {
    const { rbac, core } = plinth.client;
    const configMaps = core.v1.configMaps("default");
    const bindings = rbac.v1.clusterRoleBindings();
    const bound = async (name: string): Promise<void> => {
      const { uid } = (await bindings.get(name)).metadata;
      const ownerReferences = [{ apiVersion: `${RBAC}/v1`, kind: "ClusterRoleBinding", name, uid }];
      await configMaps.create({ metadata: { name: name.replaceAll(":", "-"), ownerReferences } });
    };
    const left = async (): Promise<string[]> => (await configMaps.list()).items.map(({ metadata }) => metadata.name);
    const [one, other] = ["system:discovery", "system:basic-user"];
    await bound(one);
    await bound(other);
    await plinth.settle();
    expect(await left()).toEqual(["system-basic-user", "system-discovery"]);
    await bindings.delete(one);
    await vi.waitFor(async () => expect(await left()).toEqual(["system-basic-user"]));
    await bindings.delete(other, { propagationPolicy: "Foreground" });
    await vi.waitFor(async () => expect(await left()).toEqual([]));
    await vi.waitFor(async () => expect(await bindings.find(other)).toBeUndefined());
  });

  it("may be that of definitions: objects of the new kind are collected with their owners", async () => {
    const widget = defineKind({ group: "example.com", version: "v1", kind: "Widget", schema: { type: "object" } });
    await plinth.client.install(widget);
    const configMaps = plinth.client.core.v1.configMaps("default");
    const owner = await configMaps.create({ metadata: { name: "owner" } });
    const { uid, name } = owner.metadata;
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name, uid }];
    const widgets = plinth.client.resource(widget, "default");
    await widgets.create({ metadata: { name: "owned", ownerReferences } });
    await configMaps.delete(name);
    await vi.waitFor(async () => expect(await widgets.find("owned")).toBeUndefined(), {
      timeout: 20_000,
      interval: 50,
    });
  }, 30_000);
});

describe("a kind that is used for the first time while time stands still", () => {
  let plinth: Plinth;
  let started = 0;
  beforeEach(async () => {
    started += 1;
    plinth = await startPlinth({ fakeClock: true, flags: [`--advertise-address=192.0.2.${100 + started}`], seed: 1 });
  });
  afterEach(() => plinth.close());

  it("is followed from the first write on, whatever that writes", async () => {
    await plinth.client.core.v1.configMaps("default").create({ metadata: { name: "a" } });
    // By then everybody has begun anew with everything that is followed.
    await plinth.clock?.advance(600_000);
    await plinth.settle();
    const followed = plinth.requests.filter(({ verb }) => verb === "watch").map(({ resource }) => resource);
    expect(followed).toContain("deployments");
  });

  it("has time wait for its first write, which takes a while", async () => {
    plinth.faults.inject({ fault: { type: "latency", ms: 5_000 }, verb: "create" });
    const creating = plinth.client.apps.v1.deployments("default").create(web);
    await plinth.clock?.advance(5_000);
    expect((await creating).metadata.generateName).toBe("web-");
  });
});
