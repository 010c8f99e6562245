import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { nextTurn } from "../base/next-turn.ts";
import { type ClientInProcess, clientInProcess } from "./client.testing.ts";
import { Client } from "./client.ts";
import { decide, observe } from "./election/lease-rules.ts";
import { LeaderElection, LeadershipLost, type Term } from "./leader-election.ts";
import type { ApiRequest, Transport } from "./transport.ts";

const settings = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };

describe("the rules of leases", () => {
  const held = { holderIdentity: "a", leaseDurationSeconds: 15, renewTime: "1", leaseTransitions: 3 };

  it.each([
    ["a lease that nobody made", undefined, 0, 0],
    ["a lease that was given back", { ...held, holderIdentity: "" }, 0, 4],
    ["a lease that was not renewed for its duration", held, 15_000, 4],
  ])("let a candidate take %s", (_, spec, waitedMs, transitions) => {
    const seen = observe(undefined, spec, 1_000);
    const taken = decide(spec, seen, { identity: "b", settings, nowMs: 1_000 + waitedMs });
    expect(taken).toMatchObject({ holderIdentity: "b", leaseTransitions: transitions, leaseDurationSeconds: 15 });
  });

  it("let a candidate that takes a lease by itself forget by which rule it was given away, and to whom", () => {
    const given = { ...held, holderIdentity: "", strategy: "OldestEmulationVersion", preferredHolder: "c" };
    const taken = decide(given, observe(undefined, given, 0), { identity: "b", settings, nowMs: 0 });
    expect(Object.keys(taken ?? {}).sort()).toEqual([
      "holderIdentity",
      "leaseDurationSeconds",
      "leaseTransitions",
      "renewTime",
    ]);
  });

  it("let nobody take a lease that was seen to change within its duration", () => {
    const first = observe(undefined, held, 0);
    const second = observe(first, { ...held, renewTime: "2" }, 10_000);
    expect(observe(second, { ...held, renewTime: "2" }, 20_000)).toBe(second);
    expect(decide(held, second, { identity: "b", settings, nowMs: 24_999 })).toBeUndefined();
    expect(decide(held, second, { identity: "b", settings, nowMs: 25_000 })).toBeDefined();
  });

  it("let the holder renew without another transition", () => {
    expect(decide(held, observe(undefined, held, 0), { identity: "a", settings, nowMs: 0 })).toEqual(held);
  });
});

describe("an election", () => {
  let run: ClientInProcess;
  let clock: FakeClock;
  beforeEach(async () => {
    run = await clientInProcess();
    clock = new FakeClock();
  });
  afterEach(() => run.close());

  const electionOf = (identity: string, transport: Transport = run.client.transport) =>
    new LeaderElection({
      client: new Client({ transport, clock, random: () => 0 }),
      namespace: "default",
      name: "boss",
      identity,
    });

  /** Moves the time on in small steps, with room for requests in between. */
  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 500) {
      await clock.advance(500);
      for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    }
  }

  function started(identity: string, transport?: Transport) {
    const stop = new AbortController();
    const terms: Term<Client>[] = [];
    const outcome = electionOf(identity, transport)
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

  it("has one leader, and another when the first one goes", async () => {
    const first = started("a");
    await vi.waitFor(() => expect(first.terms).toHaveLength(1));
    const second = started("b");
    await pass(30_000);
    expect([first.terms.length, second.terms.length]).toEqual([1, 0]);
    first.stop.abort(new Error("enough"));
    expect(await first.outcome).toEqual(new Error("enough"));
    // The lease was given back: nobody waits for its end.
    await pass(3_000);
    expect(second.terms).toHaveLength(1);
    expect(second.terms[0]!.fencingToken).toBeGreaterThan(first.terms[0]!.fencingToken);
    second.stop.abort();
    await second.outcome;
  });

  it("ends a leader that cannot renew before another begins, and lets it write nothing meanwhile", async () => {
    let broken = false;
    const { transport } = run.client;
    const unreliable: Transport = {
      request: (request: ApiRequest) => (broken ? Promise.reject(new Error("unplugged")) : transport.request(request)),
      connect: (request) => transport.connect(request),
      close: async () => undefined,
    };
    const first = started("a", unreliable);
    await vi.waitFor(() => expect(first.terms).toHaveLength(1));
    const [term] = first.terms;
    await term!.client.core.v1.configMaps("default").create({ metadata: { name: "by-leader" } });
    const second = started("b");
    await pass(4_000);
    broken = true;
    await pass(11_000);
    expect(term!.signal.aborted).toBe(true);
    expect(await first.outcome).toBeInstanceOf(LeadershipLost);
    expect(second.terms).toHaveLength(0);
    broken = false;
    const late = term!.client.core.v1.configMaps("default").create({ metadata: { name: "too-late" } });
    await expect(late).rejects.toBeInstanceOf(LeadershipLost);
    await pass(10_000);
    expect(second.terms).toHaveLength(1);
    second.stop.abort();
    await second.outcome;
  });

  it("refuses the writes of a leader that was halted, before its timers have run", async () => {
    const first = started("a");
    await vi.waitFor(() => expect(first.terms).toHaveLength(1));
    const { client, signal } = first.terms[0]!;
    // The clock has moved, and nothing that waits for it has had its turn yet.
    vi.spyOn(clock, "monotonicMs").mockReturnValue(60_000);
    expect(signal.aborted).toBe(false);
    const write = client.core.v1.configMaps("default").create({ metadata: { name: "late" } });
    await expect(write).rejects.toBeInstanceOf(LeadershipLost);
    await expect(client.core.v1.configMaps("default").list()).resolves.toBeDefined();
    vi.restoreAllMocks();
    first.stop.abort();
    await first.outcome;
  });

  it("refuses the writes of a term that has ended, however long its lease would last", async () => {
    const first = started("a");
    await vi.waitFor(() => expect(first.terms).toHaveLength(1));
    const maps = first.terms[0]!.client.core.v1.configMaps("default");
    first.stop.abort();
    await first.outcome;
    await expect(maps.create({ metadata: { name: "late" } })).rejects.toBeInstanceOf(LeadershipLost);
  });

  it("stops the write of a leader that was halted while it waited to be sent", async () => {
    const sent: ApiRequest[] = [];
    const { transport } = run.client;
    const slow: Transport = {
      request(request: ApiRequest) {
        if (!request.path.includes("/configmaps")) return transport.request(request);
        sent.push(request);
        return new Promise(() => undefined);
      },
      connect: (request) => transport.connect(request),
      close: async () => undefined,
    };
    const first = started("a", slow);
    await vi.waitFor(() => expect(first.terms).toHaveLength(1));
    const { client, signal } = first.terms[0]!;
    void client.core.v1.configMaps("default").create({ metadata: { name: "waiting" } });
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    expect(() => sent[0]!.beforeSending!()).not.toThrow();
    vi.spyOn(clock, "monotonicMs").mockReturnValue(60_000);
    expect(signal.aborted).toBe(false);
    expect(() => sent[0]!.beforeSending!()).toThrow(LeadershipLost);
    vi.restoreAllMocks();
    first.stop.abort();
    await first.outcome;
  });

  it("lets work that was made before write only while its process leads", async () => {
    const election = electionOf("a");
    const maps = election.fenced(run.client).core.v1.configMaps("default");
    await expect(maps.create({ metadata: { name: "early" } })).rejects.toBeInstanceOf(LeadershipLost);
    await expect(maps.list()).resolves.toBeDefined();
    await election.lead(async () => void (await maps.create({ metadata: { name: "in-time" } })));
    await expect(maps.create({ metadata: { name: "late" } })).rejects.toBeInstanceOf(LeadershipLost);
    expect((await maps.list()).items.map(({ metadata }) => metadata.name)).toEqual(["in-time"]);
  });

  it("renews with one request, and looks again at a lease that somebody else has written or taken away", async () => {
    const sent: string[] = [];
    const inner = run.client.transport;
    const watched: Transport = {
      request(request) {
        sent.push(request.method);
        return inner.request(request);
      },
      connect: (request) => inner.connect(request),
      close: () => inner.close(),
    };
    const { terms, stop, outcome } = started("a", watched);
    await vi.waitFor(() => expect(terms).toHaveLength(1));
    expect(sent.splice(0)).toEqual(["GET", "POST"]);
    await pass(6_500);
    expect(sent.splice(0)).toEqual(["PUT", "PUT", "PUT"]);
    const leases = run.client.coordination.v1.leases("default");
    await leases.patch("boss", { merge: { metadata: { labels: { seen: "yes" } } } });
    await pass(4_000);
    expect(sent.splice(0)).toEqual(["PUT", "GET", "PUT"]);
    expect((await leases.get("boss")).metadata.labels).toEqual({ seen: "yes" });
    await leases.delete("boss");
    await pass(4_000);
    expect(sent.splice(0)).toEqual(["PUT", "GET", "POST"]);
    expect(terms[0]?.signal.aborted).toBe(false);
    await leases.patch("boss", { merge: { spec: { holderIdentity: "b" } } });
    await pass(4_000);
    expect(await outcome).toBeInstanceOf(LeadershipLost);
    stop.abort();
  });

  it("does not wait long for a server that does not take the lease back", async () => {
    const inner = run.client.transport;
    let silent = false;
    const { stop, terms, outcome } = started("a", {
      request({ signal, ...request }) {
        if (!silent || request.method === "GET") return inner.request({ ...request, ...(signal ? { signal } : {}) });
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      },
      connect: (request) => inner.connect(request),
      close: () => inner.close(),
    });
    await vi.waitFor(() => expect(terms).toHaveLength(1));
    silent = true;
    stop.abort(new Error("enough"));
    const ended = vi.fn();
    void outcome.then(ended);
    await pass(2 * settings.retryPeriodMs);
    expect(ended).toHaveBeenCalledWith(new Error("enough"));
  });

  it("refuses settings under which two could lead", () => {
    const make = () =>
      new LeaderElection({
        client: run.client,
        namespace: "n",
        name: "l",
        identity: "a",
        leaseDurationMs: 5_000,
        renewDeadlineMs: 5_000,
      });
    expect(make).toThrow("retryPeriodMs < renewDeadlineMs < leaseDurationMs");
  });
});
