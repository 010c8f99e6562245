import { beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import type { Stored } from "../resources/resource-type.ts";
import { OwnWrites } from "./own-writes.ts";

const type = { group: "example.com", version: "v1", resource: "widgets", namespaced: true, kind: "Widget" };
const KEY = "default/a";

describe("what a controller has written itself", () => {
  const cache = new Map<string, Stored<object>>();
  let clock: FakeClock;
  let writes: OwnWrites;
  beforeEach(() => {
    cache.clear();
    clock = new FakeClock();
    writes = new OwnWrites({ type, clock, shown: (key) => cache.get(key) });
    cache.set(KEY, widget("9"));
  });
  const version = () => writes.newest(KEY)?.metadata.resourceVersion;

  it("counts until the cache shows it, or something later", () => {
    expect(version()).toBe("9");
    writes.add(widget("10"));
    expect(version()).toBe("10");
    writes.add(widget("12"));
    cache.set(KEY, widget("11"));
    writes.seen(widget("11"));
    expect(version()).toBe("12");
    cache.set(KEY, widget("13"));
    writes.seen(widget("13"));
    expect([version(), writes.size]).toEqual(["13", 0]);
  });

  it("is nothing where the cache showed it before the answer came, or an answer came late", () => {
    writes.add(widget("9"));
    writes.add(widget("8"));
    expect(writes.size).toBe(0);
    writes.add(widget("11"));
    writes.add(widget("10"));
    expect(version()).toBe("11");
  });

  it("is forgotten with its object", () => {
    writes.add(widget("10"));
    cache.delete(KEY);
    writes.seen(widget("9"));
    expect([version(), writes.size]).toEqual([undefined, 0]);
    cache.set(KEY, widget("20", { uid: "second" }));
    writes.add(widget("21"));
    expect(version()).toBe("20");
  });

  it.each([
    ["of another kind", { kind: "Scale", apiVersion: "autoscaling/v1" }, "10"],
    ["of another version of its kind", { apiVersion: "example.com/v2" }, "10"],
    ["without an order among its versions", {}, "w/10"],
  ])("is not what is %s", (_, parts, resourceVersion) => {
    writes.add({ ...widget(resourceVersion), ...parts });
    expect(writes.size).toBe(0);
  });

  it.each([undefined, "text", [], {}, { kind: "Widget", apiVersion: "example.com/v1" }])("is no %j", (answer) => {
    writes.add(answer);
    expect(writes.size).toBe(0);
  });

  it("gives way to a cache that does not get there", async () => {
    writes.add(widget("1000"));
    await clock.advance(59_000);
    expect(version()).toBe("1000");
    await clock.advance(1_000);
    expect([version(), writes.size]).toEqual(["9", 0]);
  });

  it("is frozen, and not what its writer goes on changing", () => {
    const answer = { ...widget("10"), spec: { replicas: 1 } };
    writes.add(answer);
    answer.spec.replicas = 2;
    const newest = writes.newest(KEY) as unknown as typeof answer;
    expect(newest.spec).toEqual({ replicas: 1 });
    expect(Object.isFrozen(newest.spec)).toBe(true);
  });
});

function widget(resourceVersion: string, metadata: object = {}): Stored<object> {
  const { kind } = type;
  const own = { namespace: "default", name: "a", uid: "first", creationTimestamp: "", resourceVersion, ...metadata };
  return { kind, apiVersion: "example.com/v1", metadata: own } as Stored<object>;
}
