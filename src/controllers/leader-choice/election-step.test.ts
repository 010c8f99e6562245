import { describe, expect, it } from "vitest";
import type { Lease } from "../../kinds/coordination/lease.ts";
import type { LeaseCandidate } from "../../kinds/coordination/lease-candidate.ts";
import { timeOfMs } from "../../meta/time.ts";
import { type ElectionStep, isExpired, nextStep, pingTimeOf, type SeenCandidate } from "./election-step.ts";

type LeaseSpec = Lease["spec"];

const NOW = Date.parse("2030-01-01T12:00:00Z");
const OLDEST = "OldestEmulationVersion";
const ago = (seconds: number) => timeOfMs(NOW - seconds * 1_000, "micros");

interface Said {
  readonly version?: string;
  readonly strategy?: string;
  /** Seconds ago; none when not given. */
  readonly renewed?: number;
  readonly pinged?: number;
  /** Since when we know it; as long as it says when not given. */
  readonly renewalSeen?: number;
  readonly pingSeen?: number;
}

function seen(name: string, said: Said): SeenCandidate {
  const { version = "1.34.0", strategy = OLDEST, renewed, pinged } = said;
  const spec = {
    leaseName: "l",
    emulationVersion: version,
    binaryVersion: "1.34.0",
    strategy,
    ...(renewed === undefined ? {} : { renewTime: ago(renewed) }),
    ...(pinged === undefined ? {} : { pingTime: ago(pinged) }),
  };
  return {
    candidate: { metadata: { name, creationTimestamp: "2030-01-01T00:00:00Z" }, spec } as LeaseCandidate,
    renewedMs: -(said.renewalSeen ?? renewed ?? 0) * 1_000,
    pingedMs: -(said.pingSeen ?? pinged ?? 0) * 1_000,
  };
}

/** "a" stays older than "b" unless told. */
const stepOf = (candidates: Record<string, Said>, spec?: LeaseSpec, leaseSeen = 1): ElectionStep<LeaseCandidate> =>
  nextStep({
    candidates: Object.entries(candidates).map(([name, said]) => seen(name, said)),
    lease: spec === undefined ? undefined : { spec, sinceMs: -leaseSeen * 1_000 },
    nowMs: 0,
    timeMs: NOW,
  });

/** In one line: rest, rest 3s, ping a b, dispute, offer a, pass on to a, keep. */
function told(step: ElectionStep<LeaseCandidate>): string {
  switch (step.type) {
    case "ping":
      return `ping ${step.candidates.map(({ metadata }) => metadata.name).join(" ")}`;
    case "rest":
      if (step.dispute !== undefined) return "dispute";
      return step.againMs === undefined ? "rest" : `rest ${step.againMs / 1_000}s`;
    case "write": {
      const { preferredHolder, holderIdentity, leaseDurationSeconds, strategy } = step.spec;
      if (preferredHolder !== undefined) return `pass on to ${preferredHolder}`;
      if (strategy !== OLDEST) return `leave it to ${strategy}`;
      return leaseDurationSeconds === 5 ? `offer ${holderIdentity}` : `keep ${holderIdentity}`;
    }
  }
}

const FRESH: Said = { renewed: 1 };
const QUIET: Said = { renewed: 60 };
const ANSWERED: Said = { renewed: 1, pinged: 1.5 };
const AWAITED: Said = { renewed: 60, pinged: 2 };
const SILENT: Said = { renewed: 60, pinged: 5 };
const older = (said: Said): Said => ({ ...said, version: "1.33.0" });

const held = (holderIdentity: string, more: LeaseSpec = {}): LeaseSpec => ({
  holderIdentity,
  leaseDurationSeconds: 15,
  renewTime: ago(1),
  strategy: OLDEST,
  ...more,
});

describe("what an election needs next", () => {
  const free: [what: string, candidates: Record<string, Said>, step: string][] = [
    ["nothing without candidates", {}, "rest"],
    ["nothing while none shows itself", { a: {}, b: SILENT }, "rest"],
    ["nothing from those that have not shown themselves for half an hour", { a: { renewed: 1_801 } }, "rest"],
    ["nothing from those of a time far ahead", { a: { renewed: -1_801 } }, "rest"],
    ["the only one, who has just come", { a: FRESH }, "offer a"],
    ["an answer of the only one", { a: QUIET }, "ping a"],
    [
      "no second answer of who spoke while we waited for others",
      { a: older(SILENT), b: { renewed: 9, pinged: 9.5 } },
      "offer b",
    ],
    ["answers of all that are quiet", { a: QUIET, b: QUIET, c: FRESH }, "ping a b"],
    ["time for an answer", { a: AWAITED, b: ANSWERED }, "rest 3s"],
    ["time for the answer of the best, whatever others have said", { a: older(AWAITED), b: ANSWERED }, "rest 3s"],
    ["no time for the answers of those who are not the best", { a: AWAITED, b: older(ANSWERED) }, "offer b"],
    ["the best of those who have answered", { a: ANSWERED, b: older(ANSWERED) }, "offer b"],
    ["the next one when the best stays silent", { a: older(SILENT), b: ANSWERED }, "offer b"],
    ["the best, who came back after it was silent", { a: { renewed: 1, pinged: 60 } }, "offer a"],
    [
      "who answers by a clock that is behind, after we asked",
      { a: { renewed: 100, pinged: 2, renewalSeen: 1 } },
      "offer a",
    ],
    ["an answer of who is seen for the first time, and was there before", { a: { renewed: 10 } }, "ping a"],
    [
      "nothing while two new programs want different rules",
      { a: FRESH, b: { ...FRESH, strategy: "x.y/z" } },
      "dispute",
    ],
    ["the best, before those are asked who were quiet for long", { a: FRESH, b: { renewed: 1_000 } }, "offer a"],
    ["a lease for those whom others choose", { a: { ...QUIET, strategy: "x.y/z" } }, "leave it to x.y/z"],
  ];
  it.each(free)("is %s", (_, candidates, step) => {
    expect(told(stepOf(candidates))).toBe(step);
  });

  const leased: [what: string, candidates: Record<string, Said>, lease: LeaseSpec, leaseSeen: number, step: string][] =
    [
      ["nothing while the best holds the lease", { a: QUIET, b: QUIET }, held("a"), 4, "rest 11s"],
      ["nothing while the better ones are silent", { a: older(SILENT), b: QUIET }, held("b"), 4, "rest 11s"],
      ["an answer of a better one", { a: QUIET, b: older(QUIET) }, held("a"), 4, "ping a b"],
      ["that the holder hears of a better one", { a: QUIET, b: older(ANSWERED) }, held("a"), 4, "pass on to b"],
      [
        "that the holder hears of a yet better one",
        { a: FRESH },
        held("x", { preferredHolder: "b" }),
        4,
        "pass on to a",
      ],
      ["nothing once the holder was told", { a: QUIET }, held("x", { preferredHolder: "a" }), 4, "rest 11s"],
      [
        "that the best stays when the better one is silent",
        { a: QUIET, b: older(SILENT) },
        held("a", { preferredHolder: "b" }),
        4,
        "keep a",
      ],
      ["a new holder when the lease is over", { a: FRESH }, held("x"), 15, "offer a"],
      ["a new holder when the lease was given back", { a: FRESH }, held(""), 0, "offer a"],
      ["the same one again, who was too slow to take it", { a: FRESH }, held("a"), 15, "offer a"],
      ["a new holder when nobody says until when", { a: FRESH }, { holderIdentity: "x" }, 0, "offer a"],
      [
        "that a holder who came by itself hears of it",
        { a: FRESH },
        { ...held("x"), strategy: undefined! },
        4,
        "pass on to a",
      ],
      [
        "nothing to do with a lease that others give away",
        { a: { ...FRESH, strategy: "x.y/z" } },
        held("", { strategy: "x.y/z" }),
        4,
        "rest",
      ],
      ["to wait until others may give it away", { a: { ...FRESH, strategy: "x.y/z" } }, held("a"), 4, "rest 11s"],
      [
        "an answer of who was quiet for a quarter of an hour",
        { a: QUIET, b: { renewed: 900 } },
        held("a"),
        4,
        "ping b",
      ],
      [
        "a look when somebody will have been quiet so long",
        { a: { renewed: 895 } },
        held("a", { leaseDurationSeconds: 60 }),
        4,
        "rest 5s",
      ],
    ];
  it.each(leased)("is %s", (_, candidates, lease, leaseSeen, step) => {
    expect(told(stepOf(candidates, lease, leaseSeen))).toBe(step);
  });

  it("is an offer that says for how long it stands, and by which rule", () => {
    const spec = { holderIdentity: "a", strategy: OLDEST, leaseDurationSeconds: 5, renewTime: ago(0) };
    expect(stepOf({ a: FRESH })).toEqual({ type: "write", spec });
  });

  it("is an offer that begins a new term", () => {
    const before = held("x", { acquireTime: ago(100), preferredHolder: "a", leaseTransitions: 3 });
    const spec = {
      holderIdentity: "a",
      strategy: OLDEST,
      leaseDurationSeconds: 5,
      renewTime: ago(0),
      leaseTransitions: 4,
    };
    expect(stepOf({ a: FRESH }, before, 15)).toEqual({ type: "write", spec });
  });

  it("leaves everything to the holder but who is next", () => {
    const before = held("x", { acquireTime: ago(100), leaseTransitions: 3 });
    expect(stepOf({ a: FRESH }, before)).toEqual({ type: "write", spec: { ...before, preferredHolder: "a" } });
  });
});

describe("a question to a candidate", () => {
  it("is of now, or later than what the candidate has said already", () => {
    const { candidate: behind } = seen("a", { renewed: 7 });
    const { candidate: ahead } = seen("a", { renewed: -7 });
    const { candidate: mute } = seen("a", {});
    expect(pingTimeOf(behind, NOW)).toBe(ago(0));
    expect(pingTimeOf(ahead, NOW)).toBe(ago(-7.001));
    expect(pingTimeOf(mute, NOW)).toBe(ago(0));
  });
});

describe("a candidate", () => {
  it.each([
    [{ renewed: 1_800 }, false],
    [{ renewed: 1_800.001 }, true],
    [{}, true],
  ])("that said %j has expired: %s", (said, expired) => {
    expect(isExpired(seen("a", said).candidate, NOW)).toBe(expired);
  });

  it("that is being deleted counts no more", () => {
    const { candidate } = seen("a", FRESH);
    const metadata = { ...candidate.metadata, deletionTimestamp: ago(0) };
    expect(isExpired({ ...candidate, metadata }, NOW)).toBe(true);
  });
});
