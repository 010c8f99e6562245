import { describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import type { FilterName } from "../filters/filter.ts";
import { type LoosePod, testNode, testPod } from "../scheduler.testing.ts";
import type { PodInfo } from "../state/pod-info.ts";
import { SchedulingQueue } from "./scheduling-queue.ts";
import { nodeChanges } from "./wake-rules.ts";

const queueWith = (...pods: LoosePod[]) => makeQueue(pods, { triesEarly: false });
const eagerQueueWith = (...pods: LoosePod[]) => makeQueue(pods, { triesEarly: true });

function makeQueue(pods: readonly LoosePod[], { triesEarly }: { readonly triesEarly: boolean }) {
  const clock = new FakeClock();
  const ready = new Set<string>();
  const isGated = ({ pod, deviceClaims }: PodInfo): boolean =>
    (pod.spec.schedulingGates?.length ?? 0) > 0 || deviceClaims.some(({ name }) => !ready.has(name ?? ""));
  const incoming: string[] = [];
  const onIncoming = (part: string, event: string) => incoming.push(`${part} ${event}`);
  const queue = new SchedulingQueue({ clock, isGated, onIncoming, triesEarly });
  for (const pod of pods) queue.put(testPod(pod));
  const take = async () => (await queue.take())!;
  const fail = async (...filters: FilterName[]) => queue.failed(await take(), new Set(filters));
  return { clock, queue, take, fail, ready, incoming };
}

describe("pods that wait for a node", () => {
  it("come by priority, then in the order of their coming", async () => {
    const { take } = queueWith({ name: "a" }, { name: "b", priority: 5 }, { name: "c" }, { name: "d", priority: -1 });
    expect([await take(), await take(), await take(), await take()].map(({ info }) => info.name)).toEqual([
      "b",
      "a",
      "c",
      "d",
    ]);
  });

  it("are handed to whoever waits, and to nobody once the queue is closed", async () => {
    const { queue } = queueWith();
    const waiting = queue.take();
    queue.put(testPod({ name: "late" }));
    expect((await waiting)?.info.name).toBe("late");
    const last = queue.take();
    queue.close();
    expect([await last, await queue.take()]).toEqual([undefined, undefined]);
  });

  it("wait outside while they have gates", async () => {
    const { queue, take } = queueWith({ spec: { schedulingGates: [{ name: "g" }] } });
    expect(queue.sizes.active).toBe(0);
    queue.put(testPod({}));
    expect((await take()).attempts).toBe(1);
  });

  it("wait outside while claims for devices are missing, and come back when one of theirs changes", async () => {
    const claiming = (name: string, claim: string): LoosePod => ({
      name,
      spec: { resourceClaims: [{ name: "gpu", resourceClaimName: claim }] },
    });
    const { clock, queue, ready, fail } = queueWith(claiming("a", "one"), claiming("b", "two"));
    expect(queue.sizes).toMatchObject({ gated: 2, active: 0 });
    ready.add("one");
    queue.claimChanged("default/two", "claim");
    expect(queue.sizes).toMatchObject({ gated: 2, active: 0 });
    queue.claimChanged("default/one", "claim");
    expect(queue.sizes).toMatchObject({ gated: 1, active: 1 });
    await fail("DynamicResources");
    await clock.advance(1000);
    queue.claimChanged("default/two", "claim");
    expect(queue.sizes).toMatchObject({ unschedulable: 1, active: 0 });
    queue.claimChanged("default/one", "claim");
    expect(queue.sizes).toMatchObject({ unschedulable: 0, active: 1 });
  });

  it("come back when something changes that could help, after a second, then two, four, eight, ten", async () => {
    const { clock, queue, fail } = queueWith({});
    const waits: number[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await fail("NodeResourcesFit");
      queue.changed("pod gone");
      let waited = 0;
      for (; queue.sizes.active === 0; waited += 500) await clock.advance(500);
      waits.push(waited);
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000]);
  });

  it("come back at once when their wait is over already", async () => {
    const { clock, queue, fail, incoming } = queueWith({});
    await fail("NodeResourcesFit");
    await clock.advance(1000);
    expect(queue.sizes.active).toBe(0);
    queue.changed("node added");
    expect(queue.sizes.active).toBe(1);
    expect(incoming).toEqual(["active UnschedulablePodAdd", "unschedulable ScheduleAttemptFailure", "active NodeAdd"]);
  });

  it("come back before their wait is over when there is nobody else and that is asked for", async () => {
    const { queue, fail, take, incoming } = eagerQueueWith({ name: "refused" });
    await fail("NodeResourcesFit");
    const waiting = take();
    queue.changed("pod gone");
    expect((await waiting).info.name).toBe("refused");
    expect(incoming.slice(-2)).toEqual(["backoff AssignedPodDelete", "active PopFromBackoffQ"]);
    expect(queue.sizes).toMatchObject({ backingOff: 0, taken: 1 });
  });

  it("come after those whose wait is over, and then by the second in which theirs ends, and by priority", async () => {
    const { clock, queue, fail, take } = eagerQueueWith({ name: "late" }, { name: "a" }, { name: "b", priority: 5 });
    queue.put(testPod({ name: "first", priority: 9 }));
    for (let time = 0; time < 4; time += 1) await fail("NodeResourcesFit");
    await clock.advance(1_000);
    queue.put(testPod({ name: "late", priority: 9, labels: { changed: "yes" } }));
    expect((await take()).info.name).toBe("late");
    queue.failed(
      { info: testPod({ name: "late", priority: 9 }), attempts: 2, sinceMs: 0 },
      new Set(["NodeResourcesFit"]),
    );
    queue.changed("pod gone");
    const names = [await take(), await take(), await take(), await take()].map(({ info }) => info.name);
    expect(names).toEqual(["first", "b", "a", "late"]);
  });

  it("wait to the end after something went wrong", async () => {
    const { clock, queue, take } = eagerQueueWith({});
    queue.backOff(await take());
    queue.changed("pod gone");
    expect(queue.sizes).toMatchObject({ backingOff: 1 });
    const waiting = take();
    await clock.advance(999);
    expect(queue.sizes).toMatchObject({ backingOff: 1, taken: 0 });
    await clock.advance(1);
    expect((await waiting).attempts).toBe(2);
  });

  it("sleep on when a change cannot help them", async () => {
    const { clock, queue, fail } = queueWith({});
    await fail("NodeAffinity");
    queue.changed("pod gone");
    queue.changed("volumes");
    await clock.advance(60_000);
    expect(queue.sizes.active).toBe(0);
    queue.changed("node labels");
    expect(queue.sizes.active).toBe(1);
  });

  it("come back after five minutes, whatever happens", async () => {
    const { clock, queue, fail } = queueWith({});
    await fail("NodeAffinity");
    await clock.advance(299_000);
    expect(queue.sizes.active).toBe(0);
    await clock.advance(60_000);
    expect(queue.sizes.active).toBe(1);
  });

  it("come back after the time that flags say", async () => {
    const clock = new FakeClock();
    const queue = new SchedulingQueue({
      clock,
      isGated: () => false,
      onIncoming: () => {},
      maxUnschedulableMs: 60_000,
    });
    queue.put(testPod({}));
    queue.failed((await queue.take())!, new Set(["NodeAffinity"]));
    await clock.advance(59_000);
    expect(queue.sizes.active).toBe(0);
    await clock.advance(31_000);
    expect(queue.sizes.active).toBe(1);
  });

  it("come back when they are changed themselves, and not when only their status is", async () => {
    const { clock, queue, fail } = queueWith({});
    await fail("NodeAffinity");
    await clock.advance(2000);
    queue.put(testPod({}), false);
    expect(queue.sizes.active).toBe(0);
    queue.put(testPod({ labels: { new: "yes" } }), true);
    expect(queue.sizes.active).toBe(1);
  });

  it("come back after a while when something went wrong", async () => {
    const { clock, queue, take } = queueWith({});
    queue.backOff(await take());
    expect(queue.sizes.active).toBe(0);
    await clock.advance(1000);
    expect((await take()).attempts).toBe(2);
  });

  it("do not come back when they were deleted on their way", async () => {
    const { clock, queue, take } = queueWith({});
    const taken = await take();
    queue.refresh(testPod({ metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } }));
    queue.backOff(taken);
    await clock.advance(600_000);
    expect(queue.sizes).toMatchObject({ active: 0, backingOff: 0, unschedulable: 0, taken: 0 });
  });

  it("are forgotten wherever they are", async () => {
    const { clock, queue, fail, take } = queueWith(
      { name: "a", priority: 3 },
      { name: "b", priority: 2 },
      { name: "c" },
    );
    await fail("NodeAffinity");
    const taken = await take();
    for (const name of ["a", "b", "c"]) queue.remove(testPod({ name }).uid);
    queue.failed(taken, new Set());
    queue.changed("node added");
    await clock.advance(600_000);
    expect(queue.sizes).toMatchObject({ gated: 0, active: 0, backingOff: 0, unschedulable: 0, taken: 0 });
  });
});

describe("a change of a node", () => {
  it.each([
    ["nothing", testNode(), testNode(), []],
    ["its labels", testNode({ labels: { a: "b" } }), testNode(), ["node labels"]],
    ["its room", testNode({ allocatable: { cpu: "9" } }), testNode(), ["node allocatable"]],
    ["its taints", testNode(), testNode({ spec: { taints: [{ key: "k" }] } }), ["node taints"]],
    ["that it is open again", testNode(), testNode({ spec: { unschedulable: true } }), ["node unschedulable"]],
    ["that it is closed", testNode({ spec: { unschedulable: true } }), testNode(), []],
  ])("is %s", (_what, node, before, changes) => expect(nodeChanges(node, before)).toEqual(changes));
});
