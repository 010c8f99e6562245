// The controller on a whole server, with the clock in hand. Requirements: document 3, "States and transitions".

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DIALECTS } from "../../meta/names.ts";
import { timeOfMs } from "../../meta/time.ts";
import { type ControllersInProcess, controllersInProcess } from "../controllers.testing.ts";
import { nodeLifecycleController } from "./node-lifecycle-controller.ts";

describe.each(DIALECTS)("on a server of the dialect %s", (dialect) => {
  let started: ControllersInProcess;
  /** Names of pods of which nothing can be said. */
  const refused = new Set<string>();
  /** Names of nodes that cannot be changed. */
  const stuck = new Set<string>();
  beforeEach(async () => {
    const serverFlags = ["--disable-admission-plugins=ServiceAccount"];
    const flags = ["--node-eviction-rate=1"];
    started = await controllersInProcess({
      definitions: [nodeLifecycleController],
      dialect,
      flags,
      serverFlags,
      fault: ({ path, method }) =>
        [...refused].some((name) => path.includes(`/pods/${name}/`)) ||
        (method === "PUT" && [...stuck].some((name) => path.endsWith(`/nodes/${name}`)))
          ? 500
          : undefined,
    });
    await started.client.core.v1
      .namespaces()
      .create({ metadata: { name: started.client.names.nodeLeaseNamespace } })
      .catch(() => undefined);
  });
  afterEach(() => {
    refused.clear();
    stuck.clear();
    return started.close();
  });

  const report = async (name: string, ready = "True") => {
    const { client, clock } = started;
    const time = timeOfMs(clock.nowMs());
    const condition = {
      type: "Ready",
      status: ready,
      reason: "R",
      message: "m",
      lastHeartbeatTime: time,
      lastTransitionTime: time,
    };
    await client.core.v1.nodes().status.patch(name, { strategic: { status: { conditions: [condition] } } });
  };
  const make = async (name: string, labels: Record<string, string> = {}) => {
    await started.client.core.v1.nodes().create({ metadata: { name, labels } });
    await report(name);
  };
  const makePod = async (nodeName: string, name = "p") => {
    const pods = started.client.core.v1.pods("default");
    await pods.create({ metadata: { name }, spec: { nodeName, containers: [{ name: "c", image: "i" }] } });
    const conditions = [{ type: "Ready", status: "True" }];
    await pods.status.patch(name, { strategic: { status: { phase: "Running", conditions } } });
  };
  const readyOf = async (name: string) =>
    (await started.client.core.v1.nodes().get(name)).status?.conditions?.find(({ type }) => type === "Ready")?.status;
  const taintsOf = async (name: string) =>
    ((await started.client.core.v1.nodes().get(name)).spec?.taints ?? [])
      .map(({ key, effect }) => `${key.split("/")[1]}:${effect}`)
      .sort();
  /** Time passes, in which these nodes are heard of. */
  const pass = async (seconds: number, ...alive: string[]) => {
    for (let second = 0; second < seconds; second += 5) {
      for (const name of alive) await report(name);
      await started.clock.advance(5_000);
      await started.eventually(() => expect(started.manager.busy).toBe(false));
    }
  };

  it("a node that is silent for the grace period is unknown, tainted, its pods not ready; it comes back", async () => {
    const { client, eventually, restart } = started;
    for (const name of ["a", "b"]) await make(name, { [client.names.osLabel]: "linux" });
    await makePod("b");
    await pass(40, "a");
    expect(await readyOf("b"), "within the grace period").toBe("True");
    await pass(30, "a");
    await eventually(async () => expect(await readyOf("b")).toBe("Unknown"));
    await pass(10, "a");
    await eventually(async () =>
      expect(await taintsOf("b")).toEqual(["unreachable:NoExecute", "unreachable:NoSchedule"]),
    );
    await eventually(async () =>
      expect((await client.core.v1.pods("default").get("p")).status?.conditions).toMatchObject([{ status: "False" }]),
    );
    expect(await taintsOf("a")).toEqual([]);
    expect((await client.core.v1.nodes().get("b")).metadata.labels).toMatchObject({
      [client.names.betaOsLabel]: "linux",
    });
    await restart();
    await pass(10, "a", "b");
    await eventually(async () => expect(await taintsOf("b")).toEqual([]));
  });

  it("a pod that cannot be marked keeps neither its node from its taint nor other pods from their mark", async () => {
    const { client, eventually } = started;
    for (const name of ["a", "b"]) await make(name);
    for (const name of ["refused", "taken"]) await makePod("b", name);
    refused.add("refused");
    await pass(80, "a");
    await eventually(async () => expect(await taintsOf("b")).toContain("unreachable:NoExecute"));
    await eventually(async () =>
      expect((await client.core.v1.pods("default").get("taken")).status?.conditions).toMatchObject([
        { status: "False" },
      ]),
    );
  });

  it("a taint that cannot be written keeps no other node from its own", async () => {
    const { client } = started;
    // A zone each: their turns come together.
    for (const name of ["a", "b", "c"]) await make(name, { [client.names.zoneLabel]: `zone-${name}` });
    stuck.add("a");
    await report("a", "False");
    await report("b", "False");
    // One look at all nodes, and no second one.
    await pass(5, "c");
    await expect.poll(() => taintsOf("b")).toContain("not-ready:NoExecute");
    expect(await taintsOf("a")).not.toContain("not-ready:NoExecute");
    stuck.clear();
    await pass(10, "c");
    await expect.poll(() => taintsOf("a")).toContain("not-ready:NoExecute");
  });

  it("a lease is enough to be heard of", async () => {
    const { client, clock } = started;
    for (const name of ["a", "b"]) await make(name);
    const leases = client.coordination.v1.leases(client.names.nodeLeaseNamespace);
    await leases.create({ metadata: { name: "b" }, spec: { holderIdentity: "b" } });
    for (let at = 0; at < 10; at += 1) {
      await leases.patch("b", { merge: { spec: { renewTime: timeOfMs(clock.nowMs(), "micros") } } });
      await pass(10, "a");
    }
    expect(await readyOf("b")).toBe("True");
  });

  it("a node that reports that it is not ready is tainted at the next look", async () => {
    const { eventually } = started;
    for (const name of ["a", "b"]) await make(name);
    await report("b", "False");
    await pass(10, "a");
    await eventually(async () => expect(await taintsOf("b")).toEqual(["not-ready:NoExecute", "not-ready:NoSchedule"]));
  });

  it("nobody is driven away when no node is heard of", async () => {
    const { eventually } = started;
    for (const name of ["a", "b"]) await make(name);
    await pass(70);
    await eventually(async () => expect(await readyOf("a")).toBe("Unknown"));
    await pass(10);
    expect(await taintsOf("a")).toEqual(["unreachable:NoSchedule"]);
    expect(await taintsOf("b")).toEqual(["unreachable:NoSchedule"]);
  });
});
