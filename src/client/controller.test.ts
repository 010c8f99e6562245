import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { nextTurn } from "../base/next-turn.ts";
import { kinds } from "./built-in-kinds.ts";
import { type ClientInProcess, clientInProcess } from "./client.testing.ts";
import {
  type AnyController,
  againAfterMs,
  anyOf,
  type ControllerRun,
  conditionOf,
  defineController,
  generationChanged,
  labelsChanged,
  ownerReferenceTo,
  runControllers,
  setCondition,
  watched,
} from "./controller.ts";

const { configMaps, secrets } = kinds.core.v1;
const WAIT = { timeout: 10_000, interval: 10 };

describe("a controller", () => {
  let run: ClientInProcess;
  const stops: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    run = await clientInProcess();
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await run.close();
  });

  async function start(controller: AnyController, options: Partial<ControllerRun> = {}) {
    const stop = new AbortController();
    const errors: unknown[] = [];
    let running: Promise<void> | undefined;
    await new Promise<void>((onReady) => {
      running = runControllers(
        { client: run.client, controllers: [controller], onReady, onError: (error) => errors.push(error), ...options },
        stop.signal,
      );
    });
    stops.push(async () => {
      stop.abort();
      await running;
    });
    return errors;
  }
  const maps = () => run.client.core.v1.configMaps("default");

  it("looks at every object there is and at every change, never at one object twice at once", async () => {
    await maps().create({ metadata: { name: "a" } });
    const seen: string[] = [];
    const working = new Set<string>();
    let most = 0;
    await start(
      defineController({
        name: "t",
        for: configMaps,
        namespace: "default",
        concurrency: 4,
        async reconcile(object, { key }) {
          expect(working.has(key.name)).toBe(false);
          working.add(key.name);
          most = Math.max(most, working.size);
          for (let turn = 0; turn < 50; turn += 1) await nextTurn();
          seen.push(`${key.name} ${object.data?.["v"]}`);
          working.delete(key.name);
        },
      }),
    );
    for (const name of ["b", "c", "d"]) await maps().create({ metadata: { name } });
    await maps().patch("a", { merge: { data: { v: "1" } } });
    await vi.waitFor(() => expect(seen).toEqual(expect.arrayContaining(["a 1", "b undefined", "d undefined"])), WAIT);
    expect(most).toBeGreaterThan(1);
  });

  it("tries again after a failure, and says so", async () => {
    let attempts = 0;
    const errors = await start(
      defineController({
        name: "t",
        for: configMaps,
        namespace: "default",
        async reconcile(_, { failures, key }) {
          if (key.name !== "a") return;
          attempts += 1;
          if (failures < 3) throw new Error(`failure ${failures}`);
        },
      }),
    );
    await maps().create({ metadata: { name: "a" } });
    await vi.waitFor(() => expect(attempts).toBe(4), WAIT);
    expect(errors).toEqual([new Error("failure 0"), new Error("failure 1"), new Error("failure 2")]);
  });

  it("comes again after the time it asked for", async () => {
    let looks = 0;
    await start(
      defineController({
        name: "t",
        for: configMaps,
        namespace: "default",
        async reconcile(_, { key }) {
          if (key.name !== "a") return undefined;
          looks += 1;
          return looks < 3 ? againAfterMs(20) : undefined;
        },
      }),
    );
    await maps().create({ metadata: { name: "a" } });
    await vi.waitFor(() => expect(looks).toBe(3), WAIT);
  });

  it("keeps an object until it has cleaned up behind it", async () => {
    const events: string[] = [];
    let mayGo = false;
    await start(
      defineController({
        name: "t",
        for: configMaps,
        namespace: "default",
        finalizer: "example.com/cleanup",
        async reconcile({ metadata }) {
          if (metadata.name === "a") events.push(`reconciled with ${metadata.finalizers}`);
        },
        async finalize() {
          events.push("finalized");
          return mayGo ? undefined : againAfterMs(20);
        },
        async gone({ key }) {
          events.push(`gone ${key.name}`);
        },
      }),
    );
    await maps().create({ metadata: { name: "a" } });
    await vi.waitFor(() => expect(events).toContain("reconciled with example.com/cleanup"), WAIT);
    await maps().delete("a");
    await vi.waitFor(() => expect(events.filter((event) => event === "finalized").length).toBeGreaterThan(1), WAIT);
    expect(await maps().find("a")).toBeDefined();
    mayGo = true;
    await vi.waitFor(() => expect(events).toContain("gone a"), WAIT);
    expect(await maps().find("a")).toBeUndefined();
  });

  it("cleans up once, also where the object changes before the finalizer goes", async () => {
    const finalized: string[] = [];
    await start(
      defineController({
        name: "t",
        for: configMaps,
        namespace: "default",
        finalizer: "example.com/cleanup",
        async reconcile() {},
        async finalize({ metadata }) {
          finalized.push(metadata.name);
          await maps().patch(metadata.name, { merge: { data: { [`by-${finalized.length}`]: "us" } } });
        },
      }),
    );
    const finalizers = ["example.com/cleanup"];
    for (const name of ["a", "b"]) {
      await maps().create({ metadata: { name, finalizers } });
      await maps().delete(name);
    }
    await vi.waitFor(async () => expect(await maps().find("a")).toBeUndefined(), WAIT);
    await vi.waitFor(async () => expect(await maps().find("b")).toBeUndefined(), WAIT);
    await maps().create({ metadata: { name: "a", finalizers } });
    await maps().delete("a");
    await vi.waitFor(async () => expect(await maps().find("a")).toBeUndefined(), WAIT);
    expect(finalized.toSorted()).toEqual(["a", "a", "b"]);
  });

  it("looks at the owner when what it owns changes, and at dependents of what it watches", async () => {
    const looks: string[] = [];
    await start(
      defineController({
        name: "t",
        for: configMaps,
        namespace: "default",
        predicate: () => false,
        owns: [secrets],
        watches: [
          watched(kinds.core.v1.serviceAccounts, ({ metadata }) => [
            { namespace: "default", name: metadata.labels?.["for"] ?? "nobody" },
          ]),
        ],
        async reconcile(_, { key, owned, cache }) {
          const names = owned(secrets).map(({ metadata }) => metadata.name);
          looks.push(`${key.name} owns ${names} of ${cache(secrets).size}`);
        },
      }),
    );
    const owner = await maps().create({ metadata: { name: "a" } });
    const stored = run.client.core.v1.secrets("default");
    await stored.create({ metadata: { name: "s", ownerReferences: [ownerReferenceTo(owner)] } });
    await vi.waitFor(() => expect(looks).toEqual(["a owns s of 1"]), WAIT);
    await run.client.core.v1.serviceAccounts("default").create({ metadata: { name: "sa", labels: { for: "a" } } });
    await vi.waitFor(() => expect(looks).toHaveLength(2), WAIT);
  });

  it("works in one of several processes only", async () => {
    const leaders: string[] = [];
    const controllerOf = (identity: string) =>
      defineController({
        name: "t",
        for: configMaps,
        namespace: "default",
        async reconcile(_, { key }) {
          if (key.name === "a") leaders.push(identity);
        },
      });
    const election = {
      namespace: "default",
      name: "t",
      retryPeriodMs: 50,
      renewDeadlineMs: 500,
      leaseDurationMs: 1_000,
    };
    await start(controllerOf("first"), { election: { ...election, identity: "first" } });
    const stop = new AbortController();
    const second = runControllers(
      { client: run.client, controllers: [controllerOf("second")], election: { ...election, identity: "second" } },
      stop.signal,
    );
    await maps().create({ metadata: { name: "a" } });
    await vi.waitFor(() => expect(leaders).toEqual(["first"]), WAIT);
    await stops.pop()!();
    await vi.waitFor(() => expect(leaders).toEqual(["first", "second"]), WAIT);
    stop.abort();
    await second;
  });

  it("must clean up where it has a finalizer", () => {
    const make = () =>
      defineController({ name: "t", for: configMaps, finalizer: "x/y", reconcile: async () => undefined });
    expect(make).toThrow("a finalizer and finalize() belong together");
  });
});

describe("predicates", () => {
  const object = (parts: object) => ({
    metadata: { name: "a", uid: "u", resourceVersion: "1", creationTimestamp: "", ...parts },
  });

  it.each([
    ["another generation", { generation: 2 }, true, false],
    ["the beginning of a deletion", { generation: 1, deletionTimestamp: "now" }, true, false],
    ["other labels", { generation: 1, labels: { a: "b" } }, false, true],
    ["nothing", { generation: 1 }, false, false],
  ])("tell %s", (_, parts, generation, labels) => {
    const old = object({ generation: 1 });
    expect(generationChanged(object(parts), old)).toBe(generation);
    expect(labelsChanged(object(parts), old)).toBe(labels);
    expect(anyOf(generationChanged, labelsChanged)(object(parts), old)).toBe(generation || labels);
  });
});

describe("conditions", () => {
  it("change the time of their transition with their status only", () => {
    const start = Date.parse("2030-01-01T00:00:00Z");
    const first = setCondition([], { type: "Ready", status: "False", reason: "Starting" }, start);
    const second = setCondition(
      first,
      { type: "Ready", status: "False", reason: "Waiting", message: "m" },
      start + 5_000,
    );
    const third = setCondition(second, { type: "Ready", status: "True", reason: "Up" }, start + 9_000);
    expect(conditionOf(second, "Ready")).toMatchObject({
      reason: "Waiting",
      lastTransitionTime: "2030-01-01T00:00:00Z",
    });
    expect(third).toEqual([
      { type: "Ready", status: "True", reason: "Up", message: "", lastTransitionTime: "2030-01-01T00:00:09Z" },
    ]);
    expect(setCondition(third, { type: "Other", status: "Unknown", reason: "R" }, start)).toHaveLength(2);
  });
});
