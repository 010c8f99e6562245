import { describe, expect, it, vi } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { namesFor } from "../../meta/names.ts";
import { kinds } from "../built-in-kinds.ts";
import type { EmptyResources } from "../empty-resources.ts";
import { ResourceClient } from "../resource-client.ts";
import { failure, type ScriptedAnswer, ScriptedBody, ScriptedTransport } from "../scripted-transport.testing.ts";
import { TransportError } from "../transport.ts";

const map = (name: string, resourceVersion: string) => ({ metadata: { name, uid: name, resourceVersion } });
const end = namesFor("platform").initialEventsEndAnnotation;
const bookmark = (resourceVersion: string) => ({ metadata: { resourceVersion, annotations: { [end]: "true" } } });
const list = (resourceVersion: string, ...items: object[]) => ({ json: { items, metadata: { resourceVersion } } });
const lost = new TransportError("lost", "cut");

/** Watches, and writes down what comes. */
function watching(transport: ScriptedTransport, options: object = {}, emptyResources?: EmptyResources) {
  const clock = new FakeClock();
  const client = new ResourceClient({ transport, clock, random: () => 0, emptyResources });
  const seen: string[] = [];
  const stop = new AbortController();
  const ended = (async () => {
    for await (const change of client
      .resource(kinds.core.v1.configMaps, "ns")
      .watch({ signal: stop.signal, ...options })) {
      if (change.type === "SYNC") seen.push(`SYNC ${change.items.map(({ metadata }) => metadata.name)}`);
      else if (change.type !== "BOOKMARK") seen.push(`${change.type} ${change.object.metadata.name}`);
    }
  })().catch((error: unknown) => error);
  const until = (count: number) => vi.waitFor(() => expect(seen).toHaveLength(count), { timeout: 5_000, interval: 1 });
  return { clock, seen, until, stop, ended };
}

describe("a watch", () => {
  it("begins with the state as a stream, and goes on with changes", async () => {
    const body = new ScriptedBody();
    const transport = new ScriptedTransport([body]);
    const { seen, until, stop, ended } = watching(transport);
    body.event("ADDED", map("a", "1")).event("ADDED", map("b", "2")).event("BOOKMARK", bookmark("5"));
    body.event("MODIFIED", map("a", "6"));
    await until(2);
    expect(seen).toEqual(["SYNC a,b", "MODIFIED a"]);
    expect(transport.asked(0)).toMatchObject({
      path: "/api/v1/namespaces/ns/configmaps",
      query: {
        watch: "true",
        sendInitialEvents: "true",
        resourceVersionMatch: "NotOlderThan",
        allowWatchBookmarks: "true",
      },
    });
    stop.abort(new Error("enough"));
    expect(await ended).toEqual(new Error("enough"));
  });

  it("of a resource that is known to be empty asks nothing until that is over", async () => {
    const body = new ScriptedBody();
    const transport = new ScriptedTransport([body]);
    let over = (): void => undefined;
    const whenOver = new Promise<void>((resolve) => {
      over = resolve;
    });
    const find = vi.fn(async () => ({ resourceVersion: "1", whenOver }));
    const { seen, until, stop, ended } = watching(transport, {}, { find });
    await until(1);
    expect(transport.requests).toEqual([]);
    over();
    body.event("ADDED", map("a", "2")).event("BOOKMARK", bookmark("2"));
    await until(2);
    expect(seen).toEqual(["SYNC ", "SYNC a"]);
    expect(find.mock.calls).toEqual([
      [
        expect.objectContaining({ type: expect.objectContaining({ resource: "configmaps" }), namespace: "ns" }),
        stop.signal,
      ],
    ]);
    stop.abort(new Error("enough"));
    expect(await ended).toEqual(new Error("enough"));
  });

  it.each([422, 400, 500])("lists where the server has no streaming lists (%i)", async (code) => {
    const transport = new ScriptedTransport([failure(code, "Invalid"), list("3", map("a", "1")), new ScriptedBody()]);
    const { until, seen, stop } = watching(transport);
    await until(1);
    expect(seen).toEqual(["SYNC a"]);
    await vi.waitFor(() => expect(transport.requests).toHaveLength(3));
    expect(transport.asked(2).query).toMatchObject({ watch: "true", resourceVersion: "3" });
    stop.abort();
  });

  it("resumes after the last event when the connection is lost", async () => {
    const bodies = [new ScriptedBody(), new ScriptedBody(), new ScriptedBody()];
    const transport = new ScriptedTransport(bodies);
    const { until, seen, stop, clock } = watching(transport, { resourceVersion: "1" });
    bodies[0]!.event("ADDED", map("a", "2")).end(lost);
    await until(1);
    await vi.waitFor(() => expect(clock.waiting).toBeGreaterThan(0));
    await clock.advance(200);
    await vi.waitFor(() => expect(transport.requests).toHaveLength(2));
    expect(transport.asked(1).query).toMatchObject({ resourceVersion: "2" });
    // A bookmark moves the place on.
    bodies[1]!.event("BOOKMARK", { metadata: { resourceVersion: "9" } }).end();
    await vi.waitFor(() => expect(transport.requests).toHaveLength(3));
    expect(transport.asked(2).query).toMatchObject({ resourceVersion: "9" });
    expect(seen).toEqual(["ADDED a"]);
    stop.abort();
  });

  it.each([
    ["as an answer", () => failure(410, "Expired")],
    ["as an event", () => new ScriptedBody().event("ERROR", failure(410, "Expired").json)],
  ])("tells the state anew when the server has forgotten the place (410 %s)", async (_, gone) => {
    const body = new ScriptedBody();
    const transport = new ScriptedTransport([gone(), body]);
    const { until, seen, stop } = watching(transport, { resourceVersion: "1" });
    body.event("ADDED", map("b", "8")).event("BOOKMARK", bookmark("9"));
    await until(1);
    expect(seen).toEqual(["SYNC b"]);
    stop.abort();
  });

  it("takes a connection for dead of which nothing is heard for 30 seconds, and resumes", async () => {
    const bodies = [new ScriptedBody(), new ScriptedBody()];
    const transport = new ScriptedTransport(bodies);
    const { until, stop, clock } = watching(transport, { resourceVersion: "1" });
    bodies[0]!.event("ADDED", map("a", "2"));
    await until(1);
    await clock.advance(20_000);
    expect(transport.requests).toHaveLength(1);
    await clock.advance(10_500);
    await vi.waitFor(() => expect(transport.requests).toHaveLength(2));
    expect(transport.asked(1).query).toMatchObject({ resourceVersion: "2" });
    stop.abort();
  });

  it("counts the silence of a connection from what was heard last", async () => {
    const bodies = [new ScriptedBody(), new ScriptedBody()];
    const transport = new ScriptedTransport(bodies);
    const { until, stop, clock } = watching(transport, { resourceVersion: "1" });
    bodies[0]!.event("ADDED", map("a", "2"));
    await until(1);
    await clock.advance(20_000);
    bodies[0]!.event("ADDED", map("b", "3"));
    await until(2);
    await clock.advance(29_000);
    expect(transport.requests).toHaveLength(1);
    await clock.advance(1_500);
    await vi.waitFor(() => expect(transport.requests).toHaveLength(2));
    stop.abort();
  });

  it("waits for a slow reader without taking the connection for dead, and hears its silence afterwards", async () => {
    const body = new ScriptedBody();
    const transport = new ScriptedTransport([body, new ScriptedBody()]);
    const clock = new FakeClock();
    const client = new ResourceClient({ transport, clock });
    const stop = new AbortController();
    const watch = { resourceVersion: "1", signal: stop.signal };
    const changes = client.resource(kinds.core.v1.configMaps, "ns").watch(watch);
    body.event("ADDED", map("a", "2")).event("ADDED", map("b", "3"));
    await changes.next();
    await clock.advance(300_000);
    expect((await changes.next()).value).toMatchObject({ object: { metadata: { name: "b" } } });
    expect(transport.requests).toHaveLength(1);
    const silent = changes.next().catch((error: unknown) => error);
    await clock.advance(0);
    await clock.advance(60_000);
    await vi.waitFor(() => expect(transport.requests).toHaveLength(2));
    stop.abort(new Error("enough"));
    expect(await silent).toEqual(new Error("enough"));
  });

  it.each([403, 404, 401])("ends with a refusal that another attempt will hardly cure (%i)", async (code) => {
    const { ended } = watching(new ScriptedTransport([failure(code, "Forbidden")]));
    expect(await ended).toMatchObject({ code });
  });

  it("waits as long as the server asks for", async () => {
    const transport = new ScriptedTransport([failure(429, "TooManyRequests", { retryAfterSeconds: 7 })]);
    const retries: number[] = [];
    const { clock, stop } = watching(transport, { onRetry: (_: unknown, afterMs: number) => retries.push(afterMs) });
    await vi.waitFor(() => expect(retries).toEqual([7_000]));
    await clock.advance(6_999);
    expect(transport.requests).toHaveLength(1);
    await clock.advance(1);
    await vi.waitFor(() => expect(transport.requests).toHaveLength(2));
    stop.abort();
  });

  const unreadable = () => new ScriptedBody().event("ERROR", failure(500, "InternalError").json);
  const broken: [what: string, options: object, answers: () => ScriptedAnswer[]][] = [
    ["ends every watch at once", { resourceVersion: "1" }, () => [new ScriptedBody().end()]],
    ["ends every state at once", {}, () => [new ScriptedBody().end()]],
    [
      "tells every watch where it stands, and ends it",
      { resourceVersion: "1" },
      () => [new ScriptedBody().event("BOOKMARK", { metadata: { resourceVersion: "1" } }).end()],
    ],
    ["cannot read what is stored, and says so in the watch", { resourceVersion: "1" }, () => [unreadable()]],
    [
      "cannot read what is stored, and says so in the stream and in the list",
      { keepTrying: true },
      () => [unreadable(), ...Array.from({ length: 500 }, () => failure(500, "InternalError"))],
    ],
    ["forgets every state at once", { initialState: "list" }, () => [list("1"), failure(410, "Expired")]],
    [
      "forgets every streamed state at once",
      {},
      () => [new ScriptedBody().event("BOOKMARK", bookmark("1")).event("ERROR", failure(410, "Expired").json)],
    ],
    ["forgets even what it is not asked for", { initialState: "list" }, () => [failure(410, "Expired")]],
  ];

  it.each(broken)("asks a server that %s less and less often", async (_, options, answers) => {
    const transport = new ScriptedTransport(Array.from({ length: 500 }, answers).flat());
    const { clock, stop } = watching(transport, options);
    const asked = async (seconds: number) => {
      const before = transport.requests.length;
      for (let second = 0; second < seconds; second += 1) {
        await vi.waitFor(() => expect(clock.waiting).toBe(1));
        await clock.advance(1_000);
      }
      return transport.requests.length - before;
    };
    // Each time a state and its watch: after 0.2, 0.4, 0.8 ... seconds, at last every thirty.
    expect(await asked(60)).toBeLessThanOrEqual(2 * 10);
    expect(await asked(300)).toBeLessThanOrEqual(2 * 11);
    expect(transport.requests.length).toBeGreaterThan(10);
    stop.abort();
  });

  it("asks soon for what came after a good watch, whatever failed before", async () => {
    const good = [new ScriptedBody(), new ScriptedBody()];
    const failures = Array.from({ length: 6 }, () => failure(503, "ServiceUnavailable"));
    const transport = new ScriptedTransport([...failures, ...good]);
    const { clock, until, stop } = watching(transport, { resourceVersion: "1" });
    while (transport.requests.length < 7) {
      await vi.waitFor(() => expect(clock.waiting).toBe(1));
      await clock.advance(1_000);
    }
    good[0]!.event("ADDED", map("a", "2")).end(lost);
    await until(1);
    await vi.waitFor(() => expect(clock.waiting).toBe(1));
    await clock.advance(200);
    await vi.waitFor(() => expect(transport.requests).toHaveLength(8));
    stop.abort();
  });
});

describe("an informer", () => {
  it("keeps trying when it is refused, and says so", async () => {
    const body = new ScriptedBody().event("BOOKMARK", bookmark("5"));
    const transport = new ScriptedTransport([
      failure(403, "Forbidden"),
      new TransportError("connect", "refused"),
      body,
    ]);
    const clock = new FakeClock();
    const errors: unknown[] = [];
    const client = new ResourceClient({ transport, clock });
    const informer = client.informer(kinds.core.v1.configMaps, { onError: (error) => errors.push(error) });
    informer.start();
    for (let second = 0; second < 60 && !informer.synced; second += 1) {
      await vi.waitFor(() => expect(clock.waiting).toBeGreaterThan(0));
      await clock.advance(1_000);
    }
    await informer.whenSynced();
    expect(errors).toMatchObject([{ code: 403 }, { failure: "connect" }]);
    await informer.stop();
  });

  it("tells of what went and of what took its place while it did not look", async () => {
    const bodies = [new ScriptedBody(), new ScriptedBody()];
    const transport = new ScriptedTransport(bodies);
    const informer = new ResourceClient({ transport, random: () => 0 }).informer(kinds.core.v1.configMaps);
    const seen: string[] = [];
    informer.addHandlers({
      added: ({ metadata }) => seen.push(`added ${metadata.uid}`),
      updated: ({ metadata }) => seen.push(`updated ${metadata.uid}`),
      deleted: ({ metadata }) => seen.push(`deleted ${metadata.uid}`),
    });
    informer.start();
    for (const name of ["gone", "same", "changed", "replaced"]) bodies[0]!.event("ADDED", map(name, "1"));
    bodies[0]!.event("BOOKMARK", bookmark("5"));
    await informer.whenSynced();
    seen.length = 0;
    bodies[0]!.event("ERROR", failure(410, "Expired").json);
    const replaced = { metadata: { name: "replaced", uid: "another", resourceVersion: "7" } };
    for (const object of [map("same", "1"), map("changed", "8"), replaced, map("new", "9")])
      bodies[1]!.event("ADDED", object);
    bodies[1]!.event("BOOKMARK", bookmark("10"));
    await vi.waitFor(() => expect(seen).toHaveLength(5));
    expect(seen).toEqual(["deleted gone", "updated changed", "deleted replaced", "added another", "added new"]);
    expect(informer.resourceVersion).toBe("10");
    await informer.stop();
  });
});
