import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { nextTurn } from "../base/next-turn.ts";
import { type ClientInProcess, clientInProcess } from "./client.testing.ts";
import { Client } from "./client.ts";
import { EventRecorder } from "./event-recorder.ts";
import { EventCorrelator } from "./events/correlate.ts";
import type { ReportedEvent } from "./events/reported-event.ts";
import { type Transport, TransportError } from "./transport.ts";

const regarding = { kind: "Pod", namespace: "default", name: "p", uid: "u", apiVersion: "v1" };
const report = (message: string, parts: Partial<ReportedEvent> = {}): ReportedEvent => ({
  regarding,
  type: "Warning",
  reason: "Failed",
  message,
  ...parts,
});

describe("the correlation of events", () => {
  it("counts equal events", () => {
    const correlator = new EventCorrelator(new FakeClock());
    const outcomes = [1, 2, 3].map(() => correlator.correlate(report("same")));
    expect(outcomes).toMatchObject([
      { outcome: "new" },
      { outcome: "again", count: 2 },
      { outcome: "again", count: 3 },
    ]);
    expect(correlator.correlate(report("same", { reason: "Other" }))).toMatchObject({ outcome: "new" });
  });

  it("combines different messages of one reason from the tenth on", () => {
    const correlator = new EventCorrelator(new FakeClock());
    const outcomes = Array.from({ length: 12 }, (_, index) => correlator.correlate(report(`message ${index}`)));
    expect(outcomes.slice(0, 9)).toMatchObject(Array(9).fill({ outcome: "new" }));
    expect(outcomes.slice(9)).toMatchObject([
      { outcome: "new", message: "(combined from similar events): message 9" },
      { outcome: "again", count: 2, message: "(combined from similar events): message 10" },
      { outcome: "again", count: 3, message: "(combined from similar events): message 11" },
    ]);
  });

  it("begins anew when a reason was quiet for ten minutes", async () => {
    const clock = new FakeClock();
    const correlator = new EventCorrelator(clock);
    for (let index = 0; index < 9; index += 1) correlator.correlate(report(`message ${index}`));
    await clock.advance(600_001);
    expect(correlator.correlate(report("message 9"))).toMatchObject({ outcome: "new", message: "message 9" });
  });

  it("drops all but 25 events about one object, and one more every five minutes", async () => {
    const clock = new FakeClock();
    const correlator = new EventCorrelator(clock);
    const dropped = () => correlator.correlate(report("same")).outcome === "dropped";
    expect(Array.from({ length: 30 }, dropped).filter(Boolean)).toHaveLength(5);
    await clock.advance(300_000);
    expect([dropped(), dropped()]).toEqual([false, true]);
    const other = { ...regarding, uid: "other" };
    expect(correlator.correlate(report("same", { regarding: other })).outcome).toBe("new");
  });
});

describe("the recorder", () => {
  let run: ClientInProcess;
  let clock: FakeClock;
  let client: Client;
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { namespace: "default", name: "p", uid: "u" } };
  beforeEach(async () => {
    run = await clientInProcess();
    clock = new FakeClock();
    client = new Client({ transport: run.client.transport, clock });
  });
  afterEach(() => run.close());

  const about = async () => {
    const { items } = await client.core.v1.events("default").list();
    return items.filter(({ involvedObject }) => involvedObject.uid === "u");
  };

  it("writes core events, counting repeated ones in the same object", async () => {
    const recorder = new EventRecorder({ client, controller: "example.com/test", api: "core" });
    for (let index = 0; index < 3; index += 1) recorder.warning(pod, "BackOff", "again");
    recorder.normal(pod, "Started", "well");
    await recorder.flush();
    const events = await about();
    expect(events.map(({ reason, count, type, message }) => [reason, count, type, message]).sort()).toEqual([
      ["BackOff", 3, "Warning", "again"],
      ["Started", 1, "Normal", "well"],
    ]);
    expect(events[0]!.source).toEqual({ component: "example.com/test" });
    // The event has expired meanwhile.
    await client.core.v1.events("default").deleteCollection();
    recorder.warning(pod, "BackOff", "again");
    await recorder.flush();
    expect((await about()).map(({ count }) => count)).toEqual([4]);
    await recorder.close();
  });

  it("combines similar core events in one that has a source and no reporter, as upstream's", async () => {
    const recorder = new EventRecorder({ client, controller: "example.com/test", api: "core" });
    for (let index = 0; index < 11; index += 1) recorder.warning(pod, "BackOff", `message ${index}`);
    await recorder.flush();
    const events = await about();
    const reporters = (isCombined: boolean) =>
      events
        .filter(({ message }) => message?.startsWith("(combined") === isCombined)
        .map(({ source, reportingComponent, count }) => [source.component, reportingComponent, count]);
    expect(reporters(true)).toEqual([["example.com/test", "", 2]]);
    expect(reporters(false)).toEqual(Array(9).fill(["example.com/test", "example.com/test", 1]));
    await recorder.close();
  });

  it("writes events of the events group as series that end when nothing more comes", async () => {
    const recorder = new EventRecorder({ client, controller: "example.com/test" });
    const events = client.events.v1.events("default");
    const series = async () => {
      const { items } = await events.list({ fieldSelector: "regarding.name=p" });
      return items.map((event) => event.series?.count);
    };
    recorder.warning(pod, "BackOff", "again");
    await recorder.flush();
    expect(await series()).toEqual([undefined]);
    for (let index = 0; index < 5; index += 1) recorder.warning(pod, "BackOff", "again");
    await recorder.flush();
    expect(await series()).toEqual([2]);
    await clock.advance(6 * 60_000);
    await recorder.flush();
    expect(await series()).toEqual([6]);
    recorder.warning(pod, "BackOff", "a new one");
    await recorder.flush();
    expect((await series()).sort()).toEqual([6, undefined]);
    recorder.warning(
      { ...pod, metadata: { ...pod.metadata, resourceVersion: "later" } },
      "BackOff",
      "of what it is now",
    );
    await recorder.flush();
    expect((await series()).sort()).toEqual([6, undefined, undefined]);
    await recorder.close();
  });

  it("gives up events that the server refuses, and says so", async () => {
    const errors: unknown[] = [];
    const recorder = new EventRecorder({ client, controller: "c", onError: (error) => errors.push(error) });
    recorder.warning({ ...pod, metadata: { ...pod.metadata, namespace: "none" } }, "R", "m");
    recorder.normal(pod, "Fine", "m");
    await recorder.flush();
    expect(errors).toMatchObject([{ reason: "NotFound" }]);
    expect((await about()).map(({ reason }) => reason)).toEqual(["Fine"]);
    await recorder.close();
  });

  const other = (index: number) => ({ ...pod, metadata: { ...pod.metadata, name: `o${index}`, uid: `o${index}` } });
  /** At fifty a second. */
  const flushed = async (recorder: EventRecorder): Promise<void> => {
    let isOver = false;
    void recorder.flush().then(() => {
      isOver = true;
    });
    while (!isOver) {
      await clock.advance(1_000);
      await nextTurn();
    }
  };

  it("writes a hundred at once, then fifty a second, and the rest when it is closed", async () => {
    const recorder = new EventRecorder({ client, controller: "c", api: "core" });
    const count = async () => (await client.core.v1.events("default").list()).items.length;
    for (let index = 0; index < 300; index += 1) recorder.normal(other(index), "Seen", "m");
    await expect.poll(count).toBe(100);
    await clock.advance(1_000);
    await expect.poll(count).toBe(150);
    await recorder.close();
    expect(await count()).toBe(300);
  });

  it("loses what comes while a thousand wait, says so once, and has counted it", async () => {
    const errors: unknown[] = [];
    const recorder = new EventRecorder({
      client,
      controller: "c",
      api: "core",
      onError: (error) => errors.push(error),
    });
    for (let index = 0; index < 1_000; index += 1) recorder.normal(other(index), "Seen", "m");
    recorder.normal(pod, "Lost", "m");
    recorder.normal(pod, "Lost", "m");
    await flushed(recorder);
    expect(errors.map(String)).toEqual(["Error: too many events waited to be written: 2 are lost"]);
    recorder.normal(pod, "Lost", "m");
    await flushed(recorder);
    expect((await about()).map(({ reason, count }) => [reason, count])).toEqual([["Lost", 3]]);
    await recorder.close();
  });

  it("writes about others while one event is tried again", async () => {
    const broken: Transport = {
      ...run.client.transport,
      request: (request) =>
        request.method === "POST" && Buffer.from(request.body ?? "").includes('"uid":"u"')
          ? Promise.reject(new TransportError("lost", "gone"))
          : run.client.transport.request(request),
      connect: (request) => run.client.transport.connect(request),
      close: () => Promise.resolve(),
    };
    const recorder = new EventRecorder({
      client: new Client({ transport: broken, clock }),
      controller: "c",
      api: "core",
    });
    recorder.normal(pod, "Stuck", "m");
    recorder.normal({ ...pod, metadata: { ...pod.metadata, name: "q", uid: "v" } }, "Free", "m");
    await expect
      .poll(async () => (await client.core.v1.events("default").list()).items.map(({ reason }) => reason))
      .toEqual(["Free"]);
    await recorder.close();
  });
});
