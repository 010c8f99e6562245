import { describe, expect, it, vi } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { nextTurn } from "../../base/next-turn.ts";
import { namesFor } from "../../meta/names.ts";
import { kinds } from "../built-in-kinds.ts";
import { ResourceClient } from "../resource-client.ts";
import { failure, ScriptedBody, ScriptedTransport } from "../scripted-transport.testing.ts";
import { TransportError } from "../transport.ts";
import { WaitTimeout } from "./wait-for-object.ts";

const pod = (uid: string, phase: string, resourceVersion: string, more: object = {}) => ({
  metadata: { name: "web", namespace: "ns", uid, resourceVersion, ...more },
  status: { phase },
});
const end = namesFor("platform").initialEventsEndAnnotation;
const bookmark = (resourceVersion: string) => ({ metadata: { resourceVersion, annotations: { [end]: "true" } } });
const stateOf = (body: ScriptedBody, ...objects: object[]): ScriptedBody => {
  for (const object of objects) body.event("ADDED", object);
  return body.event("BOOKMARK", bookmark("9"));
};

function podsOver(transport: ScriptedTransport, clock = new FakeClock()) {
  return new ResourceClient({ transport, clock, random: () => 0 }).resource(kinds.core.v1.pods, "ns");
}

const running = ({ status }: { readonly status: { readonly phase?: string } }): boolean => status.phase === "Running";

describe("waitFor", () => {
  it("asks once, for the object alone, where it is already as it should be, and lets go of the watch", async () => {
    const body = stateOf(new ScriptedBody(), pod("a", "Running", "3"));
    const transport = new ScriptedTransport([body]);
    expect((await podsOver(transport).waitFor("web", running)).metadata.resourceVersion).toBe("3");
    expect(transport.requests).toHaveLength(1);
    expect(transport.asked(0)).toMatchObject({
      path: "/api/v1/namespaces/ns/pods",
      query: { watch: "true", sendInitialEvents: "true", fieldSelector: "metadata.name=web" },
    });
  });

  it("waits for an object that is not there yet, changes, and is deleted and made again", async () => {
    const body = stateOf(new ScriptedBody());
    const looks: string[] = [];
    const found = podsOver(new ScriptedTransport([body])).waitFor("web", (object) => {
      looks.push(`${object.metadata.uid} ${object.status.phase}`);
      return running(object);
    });
    body.event("ADDED", pod("a", "Pending", "10")).event("MODIFIED", pod("a", "Failed", "11"));
    body.event("BOOKMARK", { metadata: { resourceVersion: "12" } }).event("DELETED", pod("a", "Running", "13"));
    body.event("ADDED", pod("b", "Pending", "14")).event("MODIFIED", pod("b", "Running", "15"));
    expect((await found).metadata.uid).toBe("b");
    expect(looks).toEqual(["a Pending", "a Failed", "b Pending", "b Running"]);
  });

  it("sees the state again after the server has forgotten the place", async () => {
    const bodies = [stateOf(new ScriptedBody(), pod("a", "Pending", "3")), new ScriptedBody()];
    const transport = new ScriptedTransport(bodies);
    const found = podsOver(transport).waitFor("web", running);
    bodies[0]!.event("ERROR", failure(410, "Expired").json);
    stateOf(bodies[1]!, pod("a", "Running", "20"));
    expect((await found).metadata.resourceVersion).toBe("20");
    expect(transport.requests).toHaveLength(2);
  });

  it.each([
    ["there is none", (body: ScriptedBody) => stateOf(body)],
    [
      "it is deleted",
      (body: ScriptedBody) => stateOf(body, pod("a", "Running", "3")).event("DELETED", pod("a", "Running", "4")),
    ],
    [
      "another is in its place",
      (body: ScriptedBody) => stateOf(body, pod("a", "Running", "3")).event("MODIFIED", pod("b", "Running", "5")),
    ],
  ])("takes an object for gone when %s", async (_, write) => {
    const body = write(new ScriptedBody());
    expect(await podsOver(new ScriptedTransport([body])).waitFor("web", "gone")).toBeUndefined();
  });

  it("takes an object for gone that was deleted and made again while nobody looked", async () => {
    const bodies = [stateOf(new ScriptedBody(), pod("a", "Running", "3")), new ScriptedBody()];
    const gone = podsOver(new ScriptedTransport(bodies)).waitFor("web", "gone");
    bodies[0]!.event("MODIFIED", pod("a", "Failed", "4")).event("ERROR", failure(410, "Expired").json);
    stateOf(bodies[1]!, pod("b", "Running", "20"));
    expect(await gone).toBeUndefined();
  });

  it.each([
    [
      [pod("a", "Pending", "3")],
      'waited 2000 ms for pods "web" in namespace "ns", last seen: resourceVersion 3, status {"phase":"Pending"}',
    ],
    [[], 'waited 2000 ms for pods "web" in namespace "ns", last seen: there is none'],
    [
      [pod("a", "x".repeat(1_000), "4", { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["a.b/c", "d.e/f"] })],
      `waited 2000 ms for pods "web" in namespace "ns", last seen: resourceVersion 4, to be deleted since 2026-01-01T00:00:00Z, kept by a.b/c, d.e/f, status {"phase":"${"x".repeat(490)}...`,
    ],
  ])("tells at its timeout what it has seen last (%#)", async (objects, message) => {
    const clock = new FakeClock();
    const body = stateOf(new ScriptedBody(), ...objects);
    const looked = vi.fn(() => false);
    const waited = podsOver(new ScriptedTransport([body]), clock)
      .waitFor("web", looked, { timeoutMs: 2_000 })
      .catch((error: unknown) => error);
    body.event("BOOKMARK", { metadata: { resourceVersion: "30" } });
    await nextTurn();
    await clock.advance(1_999);
    expect(clock.waiting).toBeGreaterThan(0);
    await clock.advance(1);
    const error = (await waited) as WaitTimeout;
    expect(error).toBeInstanceOf(WaitTimeout);
    expect(error.message).toBe(message);
    expect(error.lastSeen?.metadata.resourceVersion).toBe(objects[0]?.metadata.resourceVersion);
    expect(clock.waiting).toBe(0);
  });

  it("tells at its timeout why nothing was heard", async () => {
    const clock = new FakeClock();
    const refused = new TransportError("connect", "refused");
    const waited = podsOver(new ScriptedTransport(Array.from({ length: 20 }, () => refused)), clock)
      .waitFor("web", running, { timeoutMs: 1_000 })
      .catch((error: unknown) => error);
    for (let step = 0; step < 10; step += 1) {
      await vi.waitFor(() => expect(clock.waiting).toBeGreaterThan(0));
      await clock.advance(100);
    }
    expect(await waited).toMatchObject({
      message: 'waited 1000 ms for pods "web" in namespace "ns", nothing was heard of it; at the end: refused',
      cause: refused,
      lastSeen: undefined,
    });
  });

  it("ends with the signal, with its reason, and needs no time limit", async () => {
    const stop = new AbortController();
    const clock = new FakeClock();
    const pods = podsOver(new ScriptedTransport([stateOf(new ScriptedBody(), pod("a", "Pending", "3"))]), clock);
    const waited = pods
      .waitFor("web", running, { signal: stop.signal, timeoutMs: undefined })
      .catch((error: unknown) => error);
    await clock.advance(86_400_000 - 1);
    stop.abort(new Error("enough"));
    expect(await waited).toEqual(new Error("enough"));
  });

  it("ends with what the condition throws, and with a refusal", async () => {
    const clock = new FakeClock();
    const body = stateOf(new ScriptedBody(), pod("a", "Failed", "3"));
    const pods = podsOver(new ScriptedTransport([body, failure(403, "Forbidden")]), clock);
    const giveUp = (): boolean => {
      throw new Error("it has failed");
    };
    await expect(pods.waitFor("web", giveUp, { timeoutMs: 5_000 })).rejects.toThrow("it has failed");
    await expect(pods.waitFor("web", running, { timeoutMs: 5_000 })).rejects.toMatchObject({ code: 403 });
    expect(clock.waiting).toBe(0);
  });

  it("asks nothing where no object can be meant, and takes a key where namespaces differ", async () => {
    const transport = new ScriptedTransport([stateOf(new ScriptedBody(), pod("a", "Running", "3"))]);
    const everywhere = new ResourceClient({ transport }).resource(kinds.core.v1.pods);
    await expect(everywhere.waitFor("web", running)).rejects.toThrow("say in which namespace");
    await expect(everywhere.waitFor({ namespace: "ns", name: "" }, running)).rejects.toThrow("no name of an object");
    expect(transport.requests).toEqual([]);
    await everywhere.waitFor({ namespace: "ns", name: "web" }, running);
    expect(transport.asked(0).path).toBe("/api/v1/namespaces/ns/pods");
  });

  it("finds an object whose name has what selectors are made of", async () => {
    const transport = new ScriptedTransport([stateOf(new ScriptedBody())]);
    await new ResourceClient({ transport }).resource(kinds.rbac.v1.clusterRoles).waitFor("a,b=c", "gone");
    expect(transport.asked(0).query["fieldSelector"]).toBe("metadata.name=a\\,b\\=c");
  });
});
