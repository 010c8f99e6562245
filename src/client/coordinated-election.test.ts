// The candidate's part of elections in which the server chooses. The test is the server: it writes into the lease.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { nextTurn } from "../base/next-turn.ts";
import type { Lease } from "../kinds/coordination/lease.ts";
import { timeOfMs } from "../meta/time.ts";
import { isApiError } from "./api-error.ts";
import { type ClientInProcess, clientInProcess } from "./client.testing.ts";
import { Client } from "./client.ts";
import { LeaderElection, LeadershipLost, type Term } from "./leader-election.ts";
import type { Transport } from "./transport.ts";

const STRATEGY = "OldestEmulationVersion";
const versions = { binaryVersion: "1.34.0", emulationVersion: "1.33.0" };

let run: ClientInProcess;
let clock: FakeClock;
beforeEach(async () => {
  clock = new FakeClock();
  run = await startServer(["--runtime-config=api/beta=true"]);
});
afterEach(() => run.close());

const startServer = (flags: readonly string[]) =>
  clientInProcess({ flags: ["--feature-gates=CoordinatedLeaderElection=true", ...flags] });

const leases = () => run.client.coordination.v1.leases("default");
const candidates = () => run.client.coordination.v1beta1.leaseCandidates("default");
const lease = async () => (await leases().get("boss")).spec;
const candidate = async (name = "a") => (await candidates().get(name)).spec;

/** As the server does, for whom it has chosen. */
async function offer(holderIdentity: string, more: Partial<Lease["spec"]> = {}): Promise<void> {
  const spec = { holderIdentity, strategy: STRATEGY, leaseDurationSeconds: 5, ...more };
  if ((await leases().find("boss")) === undefined) await leases().create({ metadata: { name: "boss" }, spec });
  else await leases().patch("boss", { merge: { spec } });
}

/** What candidates have written over, in this order. */
const writes: string[] = [];

const noting = (inner: Transport): Transport => ({
  request(request) {
    if (request.method === "PUT") writes.push(request.path.split("/").slice(-2).join("/"));
    return inner.request(request);
  },
  connect: (request) => inner.connect(request),
  close: () => inner.close(),
});

function started(identity = "a", onError: (error: unknown, of: string) => void = () => undefined) {
  const stop = new AbortController();
  const terms: Term<Client>[] = [];
  const outcome = new LeaderElection({
    client: new Client({ transport: noting(run.client.transport), clock, random: () => 0 }),
    namespace: "default",
    name: "boss",
    identity,
    candidate: versions,
    onError,
  })
    .lead((term) => {
      terms.push(term);
      return new Promise((_, reject) => term.signal.addEventListener("abort", () => reject(term.signal.reason)));
    }, stop.signal)
    .then(
      () => "ended",
      (error: unknown) => error,
    );
  return { stop, terms, outcome };
}

async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    await clock.advance(500);
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  }
}

/** The candidate's object is there, and its changes are followed. */
async function announced(name = "a"): Promise<void> {
  await vi.waitFor(async () => expect((await candidate(name)).renewTime).toBeDefined());
  await pass(500);
}

async function end({ stop, outcome }: ReturnType<typeof started>): Promise<void> {
  stop.abort();
  await outcome;
}

describe("a candidate", () => {
  it("says what it is, and makes no lease", async () => {
    const one = started();
    await announced();
    expect(await candidate()).toEqual({
      leaseName: "boss",
      strategy: STRATEGY,
      ...versions,
      renewTime: expect.any(String),
    });
    await pass(10_000);
    expect(await leases().find("boss")).toBeUndefined();
    expect(one.terms).toEqual([]);
    await end(one);
  });

  it("leads when the lease names it, and not when another does, however long ago", async () => {
    const one = started();
    await announced();
    await offer("b", { leaseTransitions: 7 });
    await pass(30_000);
    expect(one.terms).toEqual([]);
    await offer("a");
    await pass(2_000);
    expect(one.terms).toHaveLength(1);
    const now = timeOfMs(clock.nowMs(), "micros");
    expect(await lease()).toMatchObject({ holderIdentity: "a", leaseDurationSeconds: 15, strategy: STRATEGY });
    await pass(20_000);
    expect(one.terms[0]?.signal.aborted).toBe(false);
    expect(one.terms[0]?.fencingToken).toBe(7);
    const { acquireTime = "", renewTime = "" } = await lease();
    expect(acquireTime <= now && now < renewTime).toBe(true);
    await end(one);
  });

  it.each([
    ["late", -60_000],
    ["of now", 0],
    ["ahead", 60_000],
  ])("answers every question once, by a clock of the server that is %s", async (_, aheadMs) => {
    const one = started();
    await announced();
    const before = Date.parse((await candidate()).renewTime ?? "");
    const pingTime = timeOfMs(Math.max(clock.nowMs() + aheadMs, before + 1), "micros");
    await candidates().patch("a", { merge: { spec: { pingTime } } });
    await vi.waitFor(async () => {
      const { renewTime = "" } = await candidate();
      expect(Date.parse(renewTime)).toBeGreaterThan(Date.parse(pingTime));
    });
    const { resourceVersion } = (await candidates().get("a")).metadata;
    await pass(5_000);
    expect((await candidates().get("a")).metadata.resourceVersion).toBe(resourceVersion);
    await end(one);
  });

  it("shows itself every five minutes, and again when it was deleted", async () => {
    const one = started();
    await announced();
    const { renewTime } = await candidate();
    await clock.advance(300_000);
    await vi.waitFor(async () => expect((await candidate()).renewTime).not.toBe(renewTime));
    await candidates().delete("a");
    await announced();
    await end(one);
  });

  it("is none any more when it ends, and does not keep whom the server asks for an answer", async () => {
    const one = started();
    await announced();
    await end(one);
    expect((await candidate()).renewTime).toBeUndefined();
    await candidates().patch("a", { merge: { spec: { pingTime: timeOfMs(clock.nowMs(), "micros") } } });
    await pass(5_000);
    expect((await candidate()).renewTime).toBeUndefined();
  });

  it("comes back with the same name", async () => {
    await end(started());
    const again = started();
    await announced();
    await end(again);
  });

  it("tells that it cannot be one where the server knows no candidates", async () => {
    await run.close();
    run = await startServer([]);
    const onError = vi.fn();
    const one = started("a", onError);
    await vi.waitFor(() => expect(onError).toHaveBeenCalledWith(expect.any(Error), "candidate"));
    expect(isApiError(onError.mock.calls[0]?.[0], "NotFound")).toBe(true);
    await end(one);
  });
});

describe("a leader that was chosen", () => {
  async function leading() {
    const one = started();
    await announced();
    await offer("a");
    await pass(2_000);
    expect(one.terms).toHaveLength(1);
    return one;
  }

  it("gives way to whom the server prefers, is no candidate meanwhile, and gives the lease back", async () => {
    const { outcome, terms } = await leading();
    await leases().patch("boss", { merge: { spec: { preferredHolder: "b" } } });
    await pass(4_000);
    expect(await outcome).toEqual(new LeadershipLost("the lease is to go to b"));
    expect(terms[0]?.signal.aborted).toBe(true);
    expect(await lease()).toMatchObject({ holderIdentity: "", preferredHolder: "b", strategy: STRATEGY });
    expect((await candidate()).renewTime).toBeUndefined();
  });

  it("stays when the server prefers it", async () => {
    const one = await leading();
    await leases().patch("boss", { merge: { spec: { preferredHolder: "a" } } });
    await pass(20_000);
    expect(one.terms[0]?.signal.aborted).toBe(false);
    await end(one);
  });

  it.each([
    ["names another", () => leases().patch("boss", { merge: { spec: { holderIdentity: "b" } } })],
    ["names nobody", () => leases().patch("boss", { merge: { spec: { holderIdentity: "" } } })],
    ["is gone", () => leases().delete("boss")],
  ])("leads no longer when the lease %s", async (_, change) => {
    const { outcome } = await leading();
    await change();
    await pass(4_000);
    expect(await outcome).toBeInstanceOf(LeadershipLost);
  });

  it("is no candidate before the lease is free: it would be chosen again", async () => {
    const one = await leading();
    writes.length = 0;
    await end(one);
    expect(writes).toEqual(["leasecandidates/a", "leases/boss"]);
  });
});
