import { describe, expect, it, vi } from "vitest";
import { kinds } from "../client/built-in-kinds.ts";
import {
  againAfterMs,
  conditionsSchema,
  defineController,
  runControllers,
  setCondition,
} from "../client/controller.ts";
import { defineKind } from "../client/custom-kind.ts";
import { type Plinth, startPlinth } from "./index.ts";

const { configMaps } = kinds.core.v1;

const widget = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  schema: { properties: { status: { type: "object", properties: { conditions: conditionsSchema } } } },
});

describe("an operator inside a test", () => {
  it("sees what it has written itself, though its watch has fallen silent", async () => {
    await using plinth = await startPlinth({ fakeClock: true });
    const maps = plinth.client.core.v1.configMaps("default");
    await maps.create({ metadata: { name: "counter" }, data: { count: "0" } });
    const seen: unknown[] = [];
    const counter = defineController({
      name: "counter",
      for: configMaps,
      namespace: "default",
      async reconcile({ data, metadata }, { client, key }) {
        if (metadata.name !== "counter" || seen.length === 3) return undefined;
        seen.push(data?.["count"]);
        await client.resource(configMaps).patch(key, { merge: { data: { count: String(seen.length) } } });
        return againAfterMs(1_000);
      },
    });
    const fault = { type: "stalled-watch", afterPieces: AFTER_FIRST_STATE } as const;
    plinth.faults.inject({ verb: "watch", resource: "configmaps", namespace: "default", fault });
    const stop = new AbortController();
    const running = runControllers({ client: plinth.client, controllers: [counter] }, stop.signal);
    await pass(plinth, 5);
    stop.abort();
    await running;
    expect(seen).toEqual(["0", "1", "2"]);
  });

  it("comes to rest, though it writes the time into a status that its cache does not show yet", async () => {
    await using plinth = await startPlinth({ fakeClock: true });
    await plinth.client.install(widget);
    let looks = 0;
    const controller = defineController({
      name: "widgets",
      for: widget,
      async reconcile({ status }, { client, key }) {
        looks += 1;
        if (looks > MANY) throw new Error("it never comes to rest");
        // As if every look took seconds.
        const nowMs = client.clock.nowMs() + looks * 1_000;
        const conditions = setCondition(status?.conditions, { type: "Ready", status: "True", reason: "Up" }, nowMs);
        await client.resource(widget).status.patch(key, { merge: { status: { conditions } } });
        // Another look, before anything of this one is to be seen.
        return looks === 1 ? againAfterMs(0) : undefined;
      },
    });
    const stop = new AbortController();
    const running = runControllers({ client: plinth.client, controllers: [controller] }, stop.signal);
    await plinth.client.resource(widget, "default").create({ metadata: { name: "a" } });
    await pass(plinth, 2);
    stop.abort();
    await running;
    expect(looks).toBeLessThan(5);
  });

  it("that comes to no rest is named by settle(), once", async () => {
    const told = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    await using plinth = await startPlinth({ fakeClock: true });
    const maps = plinth.client.core.v1.configMaps("default");
    await maps.create({ metadata: { name: "own" } });
    let looks = 0;
    const restless = defineController({
      name: "example.com/restless",
      for: configMaps,
      namespace: "default",
      async reconcile({ metadata }, { client, key }) {
        looks += 1;
        if (metadata.name !== "own" || looks > 3 * MANY) return;
        await client.resource(configMaps).patch(key, { merge: { data: { looks: String(looks) } } });
      },
    });
    const stop = new AbortController();
    const running = runControllers({ client: plinth.client, controllers: [restless] }, stop.signal);
    await pass(plinth, 1);
    stop.abort();
    await running;
    const lines = told.mock.calls.map(([text]) => String(text));
    told.mockRestore();
    expect(lines).toEqual([
      "plinth: settle() waits for plinth-testing, which comes to no rest: it has asked 100 times for " +
        "PATCH /api/v1/namespaces/default/configmaps/own?fieldManager=example.com%2Frestless\n",
    ]);
  });
});

/** A stream begins with what there is, and says that this was all. */
const AFTER_FIRST_STATE = 2;
const MANY = 50;

async function pass(plinth: Plinth, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await plinth.clock!.advance(1_000);
    await plinth.settle();
  }
}
