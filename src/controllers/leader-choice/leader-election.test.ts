// The controllers of coordinated elections on a whole server, under a clock of the test.

import { afterEach, describe, expect, it } from "vitest";
import { nextTurn } from "../../base/next-turn.ts";
import type { Transport } from "../../client/transport.ts";
import type { Lease } from "../../kinds/coordination/lease.ts";
import type { LeaseCandidate } from "../../kinds/coordination/lease-candidate.ts";
import { timeOfMs } from "../../meta/time.ts";
import { MemoryEngine } from "../../storage/memory-engine.ts";
import {
  type ControllersInProcess,
  type ControllersInProcessOptions,
  controllersInProcess,
} from "../controllers.testing.ts";
import { candidateCleaner } from "./candidate-cleaner.ts";
import { leaderElection } from "./leader-election.ts";

const NAMESPACE = "default";
const OLDEST = "OldestEmulationVersion";

let run: ControllersInProcess;
afterEach(() => run.close());

async function start(
  definitions = [leaderElection, candidateCleaner],
  more: Pick<ControllersInProcessOptions, "beforeManager" | "engine"> = {},
): Promise<void> {
  run = await controllersInProcess({
    definitions,
    ...more,
    serverFlags: ["--feature-gates=CoordinatedLeaderElection=true", "--runtime-config=api/beta=true"],
  });
}

const candidates = () => run.client.coordination.v1beta1.leaseCandidates(NAMESPACE);
const leases = () => run.client.coordination.v1.leases(NAMESPACE);
const now = () => timeOfMs(run.clock.nowMs(), "micros");
const lease = async (name = "boss") => (await leases().find(name))?.spec;
const asked = async (name: string) => (await candidates().get(name)).spec.pingTime !== undefined;

async function announce(name: string, more: Partial<LeaseCandidate["spec"]> = {}): Promise<void> {
  const spec = {
    leaseName: "boss",
    binaryVersion: "1.34.0",
    emulationVersion: "1.34.0",
    strategy: OLDEST,
    renewTime: now(),
    ...more,
  };
  await candidates().create({ metadata: { name }, spec });
}

/** As a candidate does that is alive. */
async function answer(name: string): Promise<void> {
  const { pingTime = "" } = (await candidates().get(name)).spec;
  const renewTime = timeOfMs(Math.max(run.clock.nowMs(), Date.parse(pingTime) + 1), "micros");
  await candidates().patch(name, { merge: { spec: { renewTime } } });
}

/** As a holder does that goes on. */
const renew = (more: Partial<Lease["spec"]> = {}) =>
  leases().patch("boss", { merge: { spec: { renewTime: now(), leaseDurationSeconds: 15, ...more } } });

/** Time passes, and whoever has something to do meanwhile does it. */
async function pass(seconds: number): Promise<void> {
  await settle();
  for (let passed = 0; passed < seconds; passed += 1) {
    await run.clock.advance(1_000);
    await settle();
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  await run.eventually(() => expect(run.manager.busy).toBe(false));
}

describe("a coordinated election", () => {
  it("gives a lease to the one who has just come, and says by which rule and for how long", async () => {
    await start();
    await announce("a");
    const spec = await run.eventually(async () => {
      const found = await lease();
      expect(found?.holderIdentity).toBe("a");
      return found!;
    });
    expect(spec).toEqual({
      holderIdentity: "a",
      strategy: OLDEST,
      leaseDurationSeconds: 5,
      renewTime: spec.renewTime,
    });
    expect(await asked("a")).toBe(false);
  });

  it("asks those who have been quiet, and leaves the lease to those who answer", async () => {
    await start();
    const renewTime = timeOfMs(run.clock.nowMs() - 60_000, "micros");
    await announce("old", { emulationVersion: "1.33.0", renewTime });
    await announce("new", { renewTime });
    await run.eventually(async () => expect([await asked("old"), await asked("new")]).toEqual([true, true]));
    await answer("new");
    await pass(3);
    expect(await lease()).toBeUndefined();
    await pass(3);
    expect((await lease())?.holderIdentity).toBe("new");
    // The other one is there after all.
    await renew();
    await answer("old");
    await run.eventually(async () => expect((await lease())?.preferredHolder).toBe("old"));
    expect((await lease())?.holderIdentity).toBe("new");
  });

  it("tells the holder of a better one, and gives the lease to that one once it is given back", async () => {
    await start();
    await announce("new");
    await run.eventually(async () => expect((await lease())?.holderIdentity).toBe("new"));
    await renew({ acquireTime: now() });
    await announce("old", { emulationVersion: "1.33.0" });
    await run.eventually(async () => expect((await lease())?.preferredHolder).toBe("old"));
    await renew({ holderIdentity: "" });
    const spec = await run.eventually(async () => {
      const found = await lease();
      expect(found?.holderIdentity).toBe("old");
      return found!;
    });
    expect(spec).toMatchObject({ strategy: OLDEST, leaseDurationSeconds: 5, leaseTransitions: 1 });
    expect(Object.keys(spec)).not.toContain("preferredHolder");
    expect(Object.keys(spec)).not.toContain("acquireTime");
  });

  it("lets a holder be who renews, and chooses another when it was silent for the duration of its lease", async () => {
    await start();
    await announce("a");
    await announce("b", { binaryVersion: "1.35.0" });
    await run.eventually(async () => expect((await lease())?.holderIdentity).toBe("a"));
    await renew();
    await pass(14);
    await renew();
    await pass(14);
    expect((await lease())?.holderIdentity).toBe("a");
    expect(await asked("b")).toBe(false);
    await pass(1);
    await run.eventually(async () => expect([await asked("a"), await asked("b")]).toEqual([true, true]));
    await answer("b");
    await pass(6);
    expect((await lease())?.holderIdentity).toBe("b");
  });

  it("chooses anew after the lease was deleted", async () => {
    await start();
    await announce("a");
    await run.eventually(async () => expect((await lease())?.holderIdentity).toBe("a"));
    await leases().delete("boss");
    await run.eventually(async () => expect((await lease())?.holderIdentity).toBe("a"));
  });

  it("goes on where it was, after a restart in the midst of it", async () => {
    await start();
    await announce("a", { renewTime: timeOfMs(run.clock.nowMs() - 60_000, "micros") });
    await run.eventually(async () => expect(await asked("a")).toBe(true));
    await run.restart();
    await answer("a");
    await run.eventually(async () => expect((await lease())?.holderIdentity).toBe("a"));
    await renew();
    await pass(10);
    await run.restart();
    await renew();
    await pass(10);
    expect((await lease())?.holderIdentity).toBe("a");
  });

  it("keeps leases apart, and asks for none that cannot be", async () => {
    await start();
    await announce("a");
    await announce("b", { leaseName: "other" });
    await announce("c", { leaseName: "boss,metadata.name!=x" });
    await announce("d", { leaseName: "a/b" });
    await run.eventually(async () => {
      const held = (await leases().list()).items.map(({ metadata, spec }) => [metadata.name, spec.holderIdentity]);
      expect(held.toSorted()).toEqual([
        ["boss", "a"],
        ["other", "b"],
      ]);
    });
    await pass(2);
    expect((await leases().list()).items).toHaveLength(2);
  });

  it("is not kept by leases that nobody can read, however many", async () => {
    const beforeManager = (inner: Transport): Transport => ({
      request({ signal, ...request }) {
        if (!decodeURIComponent(request.path).includes("metadata.name=stuck"))
          return inner.request({ ...request, ...(signal ? { signal } : {}) });
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      },
      connect: (request) => inner.connect(request),
      close: () => inner.close(),
    });
    await start([leaderElection], { beforeManager });
    for (let index = 0; index < 10; index += 1) await announce(`s-${index}`, { leaseName: `stuck-${index}` });
    await announce("a");
    for (let seconds = 0; seconds < 15; seconds += 1) {
      await run.clock.advance(1_000);
      for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    }
    await answer("a");
    await run.eventually(async () => expect((await lease())?.holderIdentity).toBe("a"));
  });

  it("does not stumble over what the server never took", async () => {
    const engine = new MemoryEngine();
    await start([leaderElection, candidateCleaner], { engine });
    const spec = { leaseName: "boss", binaryVersion: "1.34.0", emulationVersion: "1.34.0", strategy: OLDEST };
    const nonsense = {
      "no-spec": undefined,
      "no-lease": { renewTime: now() },
      "no-version": { leaseName: "boss", renewTime: now() },
      "no-version-quiet": { leaseName: "boss", renewTime: timeOfMs(run.clock.nowMs() - 1_000_000, "micros") },
      "strange-version": { ...spec, emulationVersion: "old", renewTime: now() },
      "late-time": { ...spec, emulationVersion: "1.0.0", renewTime: "9999-12-31T23:59:59.000000Z" },
    };
    for (const [name, own] of Object.entries(nonsense)) {
      const metadata = { name, namespace: NAMESPACE, uid: name, creationTimestamp: timeOfMs(run.clock.nowMs()) };
      const type = { kind: "LeaseCandidate", apiVersion: "coordination.platform.io/v1beta1" };
      const text = JSON.stringify({ ...type, metadata, ...(own === undefined ? {} : { spec: own }) });
      await engine.create(`/registry/leasecandidates/${NAMESPACE}/${name}`, Buffer.from(text));
    }
    const metadata = {
      name: "boss",
      namespace: NAMESPACE,
      uid: "boss",
      creationTimestamp: timeOfMs(run.clock.nowMs()),
    };
    const empty = { kind: "Lease", apiVersion: "coordination.platform.io/v1", metadata };
    await engine.create(`/registry/leases/${NAMESPACE}/boss`, Buffer.from(JSON.stringify(empty)));
    await announce("a", { renewTime: timeOfMs(run.clock.nowMs() - 60_000, "micros") });
    await run.eventually(async () => expect(await asked("a")).toBe(true));
    await answer("a");
    await run.eventually(async () => expect((await lease())?.holderIdentity).toBe("a"));
  });

  it("leaves a lease alone that nobody is a candidate for any more", async () => {
    await start();
    await announce("a");
    await run.eventually(async () => expect((await lease())?.holderIdentity).toBe("a"));
    await candidates().delete("a");
    await pass(20);
    expect((await lease())?.holderIdentity).toBe("a");
    await announce("b");
    // Since when the lease has not been renewed nobody has seen.
    await pass(6);
    expect((await lease())?.holderIdentity).toBe("b");
  });

  it("chooses nobody while equally new candidates want different rules", async () => {
    await start();
    await announce("a", { renewTime: timeOfMs(run.clock.nowMs() - 60_000, "micros") });
    await announce("b", { strategy: "example.com/other" });
    await pass(3);
    expect(await lease()).toBeUndefined();
    await candidates().patch("b", { merge: { spec: { strategy: OLDEST } } });
    await run.eventually(async () => expect(await asked("a")).toBe(true));
    await answer("a");
    await run.eventually(async () => expect((await lease())?.holderIdentity).toBe("a"));
  });
});

describe("candidates", () => {
  it("are deleted when they have not shown themselves for half an hour, at the next sweep", async () => {
    await start([candidateCleaner]);
    await announce("gone", { renewTime: timeOfMs(run.clock.nowMs() - 1_000, "micros") });
    await announce("mute", { renewTime: undefined! });
    await settle();
    await run.clock.advance(20 * 60_000);
    await announce("there");
    await run.clock.advance(10 * 60_000);
    await run.eventually(async () => {
      expect((await candidates().list()).items.map(({ metadata }) => metadata.name)).toEqual(["there"]);
    });
  });
});
