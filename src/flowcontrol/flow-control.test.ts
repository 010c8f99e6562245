import { describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import {
  ANY_RESOURCE,
  byUser,
  controlOf,
  everything,
  NO_CATCH_ALL,
  queueing,
  Stage,
  schemaOf,
  settled,
} from "./flowcontrol.testing.ts";

/** A schema for one user, so that each has a level of its own. */
const only = (user: string, level: string) =>
  schemaOf(user, 100, level, [{ subjects: [byUser(user)], resourceRules: [ANY_RESOURCE] }], "ByUser");

describe("fairness", () => {
  it("lets one request of a user through although another has sent thousands", async () => {
    const level = queueing(10, { queues: 128, handSize: 6, length: 1_000 });
    const stage = new Stage(controlOf(2, { ...NO_CATCH_ALL, level }, [everything("all", "level")]));
    stage.sendMany(4_000, "loud");
    stage.send("quiet");
    expect(stage.running("loud")).toBe(2);
    // Each of the other's six lines may have its turn, but no line two of them.
    for (let turn = 0; turn < 6; turn += 1) await stage.end("loud");
    expect(stage.began.indexOf("quiet")).toBeGreaterThan(0);
    expect(stage.began.length).toBeLessThanOrEqual(8);
  });

  it("shares the seats evenly between users that want more than there are", async () => {
    const level = queueing(10, { queues: 128, handSize: 6, length: 1_000 });
    const stage = new Stage(controlOf(4, { ...NO_CATCH_ALL, level }, [everything("all", "level")]));
    stage.sendMany(200, "a");
    stage.sendMany(50, "b");
    for (let round = 0; round < 60; round += 1) await stage.end();
    const late = stage.began.slice(8, 60);
    expect(late.filter((user) => user === "b").length).toBeGreaterThan(12);
    expect(late.filter((user) => user === "a").length).toBeGreaterThan(12);
  });

  it("does not let a new request pass by those who wait", async () => {
    const stage = new Stage(
      controlOf(1, { ...NO_CATCH_ALL, level: queueing(1, { queues: 1, handSize: 1 }) }, [everything("all", "level")]),
    );
    stage.send("first");
    stage.send("second");
    await stage.end();
    stage.send("third");
    await stage.end();
    expect(stage.began).toEqual(["first", "second", "third"]);
  });
});

describe("users who come while others wait", () => {
  it("wait in the same line", async () => {
    const level = queueing(1, { queues: 1, handSize: 1 });
    const stage = new Stage(controlOf(1, { ...NO_CATCH_ALL, level }, [everything("all", "level")]));
    for (const user of ["first", "second", "third", "fourth"]) stage.send(user);
    for (let turn = 0; turn < 3; turn += 1) await stage.end();
    expect(stage.began).toEqual(["first", "second", "third", "fourth"]);
  });
});

describe("limits", () => {
  it("sends away who finds the queue full", () => {
    const level = queueing(1, { queues: 1, handSize: 1, length: 3 });
    const stage = new Stage(controlOf(1, { ...NO_CATCH_ALL, level }, [everything("all", "level")]));
    stage.sendMany(6, "a");
    expect(stage.running()).toBe(1);
    expect(stage.refused).toEqual([
      ["a", "queue-full"],
      ["a", "queue-full"],
    ]);
    expect(stage.control.levels().find(({ name }) => name === "level")?.counts.rejected).toBe(2);
  });

  it("sends away at once where nobody may wait", () => {
    const spec = { type: "Limited", limited: { nominalConcurrencyShares: 1, limitResponse: { type: "Reject" } } };
    const stage = new Stage(controlOf(2, { ...NO_CATCH_ALL, level: spec }, [everything("all", "level")]));
    stage.sendMany(3, "a");
    expect(stage.running()).toBe(2);
    expect(stage.refused).toEqual([["a", "concurrency-limit"]]);
  });

  it("never makes the exempt level wait", () => {
    const exempt = schemaOf("mine", 5, "exempt", [{ subjects: [byUser("root")], resourceRules: [ANY_RESOURCE] }]);
    const stage = new Stage(
      controlOf(
        1,
        {
          ...NO_CATCH_ALL,
          level: queueing(1),
          exempt: { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
        },
        [exempt, everything("all", "level")],
      ),
    );
    stage.sendMany(10, "a");
    stage.sendMany(1_000, "root");
    expect([stage.running("a"), stage.running("root")]).toEqual([1, 1_000]);
  });
});

describe("waiting", () => {
  const oneSeat = (clock = new FakeClock()) =>
    new Stage(controlOf(1, { ...NO_CATCH_ALL, level: queueing(1) }, [everything("all", "level")], clock));

  it("ends after the longest wait there is, and the next one takes its turn", async () => {
    const clock = new FakeClock();
    const stage = oneSeat(clock);
    stage.send("a");
    stage.send("b");
    await clock.advance(500);
    stage.send("c");
    await clock.advance(500);
    expect(stage.refused).toEqual([["b", "time-out"]]);
    await stage.end();
    expect(stage.began).toEqual(["a", "c"]);
    await clock.advance(5_000);
    expect(stage.refused).toHaveLength(1);
  });

  it("ends when the client goes away", async () => {
    const stage = oneSeat();
    const gone = new AbortController();
    stage.send("a");
    stage.send("b", undefined, gone.signal);
    gone.abort();
    await settled();
    expect(stage.refused).toEqual([["b", "cancelled"]]);
    await stage.end();
    stage.send("c");
    expect(stage.began).toEqual(["a", "c"]);
  });
});

describe("borrowing", () => {
  const two = (lender: Parameters<typeof queueing>[1], borrower: Parameters<typeof queueing>[1] = {}) =>
    new Stage(
      controlOf(20, { ...NO_CATCH_ALL, lender: queueing(10, lender), borrower: queueing(10, borrower) }, [
        only("owner", "lender"),
        only("guest", "borrower"),
      ]),
    );

  it.each([
    ["nothing where nothing is lendable", { lendable: 0 }, {}, 10],
    ["what is lendable", { lendable: 50 }, {}, 15],
    ["no more than its own limit", { lendable: 50 }, { borrowing: 20 }, 12],
    ["everything", { lendable: 100 }, {}, 20],
  ])("takes %s", (_what, lender, borrower, seats) => {
    const stage = two(lender, borrower);
    stage.sendMany(30, "guest");
    expect(stage.running("guest")).toBe(seats);
  });

  it.each([
    ["last", 30, 0],
    ["first", 15, 15],
  ])("leaves the lender what it never lends, and gives it the next free seats (it waits %s)", async (_when, a, b) => {
    const stage = two({ lendable: 50 });
    stage.sendMany(a, "guest");
    stage.sendMany(12, "owner");
    stage.sendMany(b, "guest");
    expect([stage.running("guest"), stage.running("owner")]).toEqual([15, 5]);
    for (let count = 0; count < 5; count += 1) await stage.end("guest");
    // It has its part again; after that both wait for seats of their own.
    expect([stage.running("guest"), stage.running("owner")]).toEqual([10, 10]);
    await stage.end("guest");
    expect([stage.running("guest"), stage.running("owner")]).toEqual([10, 10]);
  });

  it("never gives out more seats than there are", async () => {
    const stage = two({ lendable: 100 }, { lendable: 100 });
    for (let round = 0; round < 40; round += 1) {
      stage.sendMany(3, round % 2 === 0 ? "guest" : "owner");
      expect(stage.running()).toBeLessThanOrEqual(20);
      if (round % 3 === 0) await stage.end();
    }
    expect(stage.running()).toBe(20);
  });

  it("lends what the exempt level does not need", async () => {
    const stage = new Stage(
      controlOf(
        20,
        {
          ...NO_CATCH_ALL,
          exempt: { type: "Exempt", exempt: { nominalConcurrencyShares: 10, lendablePercent: 50 } },
          borrower: queueing(10),
        },
        [
          only("guest", "borrower"),
          schemaOf("root", 5, "exempt", [{ subjects: [byUser("root")], resourceRules: [ANY_RESOURCE] }]),
        ],
      ),
    );
    stage.sendMany(30, "guest");
    expect(stage.running("guest")).toBe(15);
    stage.sendMany(8, "root");
    await stage.end("guest");
    await stage.end("guest");
    expect(stage.running("guest")).toBe(13);
    await stage.end("root");
    expect(stage.running("guest")).toBe(13);
    for (let count = 0; count < 4; count += 1) await stage.end("root");
    expect(stage.running("guest")).toBe(15);
  });
});

describe("a change of the configuration", () => {
  it("gives waiting requests the seats that a level has gained", async () => {
    const stage = new Stage(
      controlOf(10, { ...NO_CATCH_ALL, level: queueing(1), other: queueing(9) }, [everything("all", "level")]),
    );
    stage.sendMany(5, "a");
    expect(stage.running()).toBe(1);
    stage.control.setLevel("level", { name: "level", uid: "", spec: queueing(9) });
    stage.control.refresh();
    await settled();
    expect(stage.running()).toBe(5);
  });

  it("lets those wait on where they are when the queues become others", async () => {
    const stage = new Stage(controlOf(1, { ...NO_CATCH_ALL, level: queueing(1) }, [everything("all", "level")]));
    stage.sendMany(3, "a");
    stage.control.setLevel("level", { name: "level", uid: "", spec: queueing(1, { queues: 1, handSize: 1 }) });
    stage.send("b");
    for (let count = 0; count < 3; count += 1) await stage.end();
    expect([...stage.began].sort()).toEqual(["a", "a", "a", "b"]);
  });

  it("serves those who are in a level that is gone, and then forgets it", async () => {
    const stage = new Stage(
      controlOf(4, { ...NO_CATCH_ALL, level: queueing(1), other: queueing(1) }, [
        everything("all", "level"),
        only("b", "other"),
      ]),
    );
    stage.sendMany(4, "a");
    stage.control.setLevel("level", undefined);
    expect(stage.control.levels().find(({ name }) => name === "level")?.leaving).toBe(true);
    for (let count = 0; count < 4; count += 1) await stage.end();
    expect(stage.began).toEqual(["a", "a", "a", "a"]);
    expect(stage.control.levels().map(({ name }) => name)).toEqual(["catch-all", "exempt", "other"]);
  });
});
