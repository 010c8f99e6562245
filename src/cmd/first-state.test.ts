// What a build prepares for new stores is what a start makes in an empty one.

import { afterEach, describe, expect, it, vi } from "vitest";
import { type ServerInProcess, serverInProcess } from "../apiserver/server.testing.ts";
import { FakeClock } from "../base/clock.ts";
import { DIALECTS, type Dialect } from "../meta/names.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { firstState } from "./first-state.ts";

const NOW_MS = Date.parse("2031-02-03T04:05:06Z");
const UIDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const started: ServerInProcess[] = [];
afterEach(async () => {
  for (const server of started.splice(0)) await server.close();
});

async function startedOver(dialect: Dialect, prepared: string | undefined, flags: readonly string[] = []) {
  const clock = new FakeClock(NOW_MS);
  const engine = new MemoryEngine({ clock });
  const deps = { firstState: () => prepared };
  started.push(await serverInProcess({ dialect, engine, clock, deps, flags }));
  return engine;
}

async function textsOf(engine: MemoryEngine): Promise<ReadonlyMap<string, string>> {
  const { entries } = await engine.list("");
  return new Map(entries.map(({ key, value }) => [key, Buffer.from(value).toString("utf8")]));
}

async function withoutUids(engine: MemoryEngine): Promise<readonly (readonly string[])[]> {
  return [...(await textsOf(engine))].map(([key, text]) => [key, text.replaceAll(UIDS, "")]);
}

describe("a first state that was prepared", () => {
  it.each(DIALECTS)("is what a first start makes (%s)", async (dialect) => {
    const prepared = await firstState(dialect);
    expect((JSON.parse(prepared) as unknown[]).length).toBeGreaterThan(150);
    const [made, laid] = [await startedOver(dialect, undefined), await startedOver(dialect, prepared)];
    await vi.waitFor(async () => expect(await withoutUids(laid)).toEqual(await withoutUids(made)));
  });

  it.each([
    "--advertise-address=203.0.113.9",
    "--advertise-address=2001:db8::9",
    "--secure-port=7443",
    "--service-cluster-ip-range=10.96.0.0/16",
  ])("has what a first start with %s makes of its network", async (flag) => {
    const prepared = await firstState("platform");
    const [made, laid] = [
      await startedOver("platform", undefined, [flag]),
      await startedOver("platform", prepared, [flag]),
    ];
    await vi.waitFor(async () => expect(await withoutUids(laid)).toEqual(await withoutUids(made)));
  });

  it("becomes objects of their own, and is left alone where there are objects", async () => {
    const prepared = await firstState("kubernetes");
    const stores = [await startedOver("kubernetes", prepared), await startedOver("kubernetes", prepared)];
    const uids = (await Promise.all(stores.map(textsOf))).flatMap((texts) =>
      [...texts.values()].flatMap((text) => /"uid":"([^"]+)"/.exec(text)?.[1] ?? []),
    );
    expect(new Set(uids).size).toBe(uids.length);
    const clock = new FakeClock(NOW_MS);
    const engine = new MemoryEngine({ clock });
    await engine.create("/registry/configmaps/default/x", Buffer.from("{}"));
    const other = JSON.stringify([["/registry/namespaces/other", "{}"]]);
    started.push(await serverInProcess({ engine, clock, deps: { firstState: () => other } }));
    expect(await engine.get("/registry/namespaces/other")).toBeUndefined();
  });

  it.each([
    "--runtime-config=api/all=true",
    "--feature-gates=ClusterTrustBundle=true",
    "--enable-admission-plugins=NamespaceAutoProvision,NodeRestriction,AlwaysPullImages",
    "--disable-admission-plugins=ServiceAccount,Priority,NamespaceLifecycle",
  ])("is laid by a first start with %s, and then completed", async (flag) => {
    const prepared = await firstState("kubernetes");
    const [made, laid] = [
      await startedOver("kubernetes", undefined, [flag]),
      await startedOver("kubernetes", prepared, [flag]),
    ];
    await vi.waitFor(async () => expect(await withoutUids(laid)).toEqual(await withoutUids(made)));
    const other = JSON.stringify([["/registry/namespaces/other", "{}"]]);
    const engine = await startedOver("kubernetes", other, [flag]);
    expect(await engine.get("/registry/namespaces/other")).toBeDefined();
  });

  it.each([
    "--runtime-config=apps/v1=false",
    "--feature-gates=ComponentStatusz=true",
    "--feature-gates=AllAlpha=true",
    "--enable-priority-and-fairness=false",
  ])("is of no use for %s", async (flag) => {
    const other = JSON.stringify([["/registry/namespaces/other", "{}"]]);
    const engine = await startedOver("kubernetes", other, [flag]);
    expect(await engine.get("/registry/namespaces/other")).toBeUndefined();
  });
});
