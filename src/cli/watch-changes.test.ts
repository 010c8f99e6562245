// Watches that servers end.

import { expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { ScriptedBody, ScriptedTransport } from "../client/scripted-transport.testing.ts";
import type { Session } from "./session.ts";
import { watchChanges } from "./watch-changes.ts";

it("a server that ends every watch at once is asked once a second, from where it was", async () => {
  const clock = new FakeClock();
  const enough = new AbortController();
  const object = { metadata: { name: "a", resourceVersion: "7" } };
  const transport = new ScriptedTransport([
    new ScriptedBody().event("ADDED", object).end(),
    new ScriptedBody().end(),
    new ScriptedBody().event("DELETED", object).end(),
    new ScriptedBody().end(),
  ]);
  const session = {
    transport,
    clock,
    terminal: { interrupted: enough.signal },
    pause: (ms: number) => clock.sleep(ms, enough.signal),
  } as unknown as Session;
  const resource = { group: "", version: "v1", resource: "configmaps", namespaced: true } as never;
  const seen: string[] = [];
  const watching = (async () => {
    for await (const { type } of watchChanges(session, { resource, namespace: "n", resourceVersion: "5" })) {
      seen.push(type);
    }
  })();
  await clock.advance(0);
  await expect.poll(() => [seen, transport.requests.length, clock.waiting]).toEqual([["ADDED"], 1, 1]);
  await clock.advance(999);
  expect(transport.requests.length).toBe(1);
  await clock.advance(1);
  await expect.poll(() => [transport.requests.length, clock.waiting]).toEqual([2, 1]);
  await clock.advance(1_000);
  await expect.poll(() => [seen, clock.waiting]).toEqual([["ADDED", "DELETED"], 1]);
  expect([0, 1, 2].map((index) => transport.asked(index).query["resourceVersion"])).toEqual(["5", "7", "7"]);
  enough.abort(new Error("enough"));
  await expect(watching).rejects.toThrow("enough");
});
