// The Lease of a server's identity: what it says, that it is renewed, and that those of servers that have gone end.

import { afterEach, expect, it, vi } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { DIALECTS, namesFor } from "../../meta/names.ts";
import { MemoryEngine } from "../../storage/memory-engine.ts";
import { type LooseJson, type ServerInProcess, serverInProcess } from "../server.testing.ts";

let server: ServerInProcess;
afterEach(() => server.close());

it.each(DIALECTS)(
  "a server keeps a lease of its own, and ends those of others that have gone (%s)",
  async (dialect) => {
    const names = namesFor(dialect);
    const clock = new FakeClock();
    const path = `/apis/${names.group("coordination")}/v1/namespaces/${names.systemNamespace}/leases`;
    const engine = new MemoryEngine();
    const list = vi.spyOn(engine, "list");
    server = await serverInProcess({ dialect, clock, engine });
    const leases = async (): Promise<LooseJson[]> => (await server.call("GET", path)).json.items;
    const own = async () => (await leases()).find(({ metadata }) => metadata.name.startsWith("apiserver-"));
    const eventually = (what: () => Promise<boolean>) =>
      expect
        .poll(async () => {
          await clock.advance(300_000);
          return what();
        })
        .toBe(true);
    await eventually(async () => (await own()) !== undefined);
    const { metadata, spec } = await own();
    expect(metadata.labels).toMatchObject({ [names.serverIdentityLabel]: "kube-apiserver" });
    expect(spec).toMatchObject({ leaseDurationSeconds: 3600 });
    expect(spec.holderIdentity).toMatch(new RegExp(`^${metadata.name}_[0-9a-f-]{36}$`));

    // Others lay theirs beside them: they are read few at a time.
    const others = Array.from({ length: 60 }, (_, index) => `f${index}`);
    for (const name of others) expect((await server.call("POST", path, { metadata: { name } })).status).toBe(201);
    const labels = { [names.serverIdentityLabel]: "kube-apiserver" };
    const renewTime = new Date(clock.nowMs()).toISOString().replace("Z", "000Z");
    for (const lease of [
      { metadata: { name: "gone", labels }, spec: { renewTime, leaseDurationSeconds: 5 } },
      { metadata: { name: "empty", labels }, spec: {} },
      { metadata: { name: "there", labels }, spec: { renewTime, leaseDurationSeconds: 3_600_000 } },
      { metadata: { name: "foreign" }, spec: { renewTime, leaseDurationSeconds: 5 } },
    ])
      expect((await server.call("POST", path, lease)).status).toBe(201);
    await eventually(async () => (await leases()).length === others.length + 3);
    expect((await leases()).map((lease) => lease.metadata.name).sort()).toEqual(
      [metadata.name, "foreign", "there", ...others].sort(),
    );
    const asked = list.mock.calls.filter(([prefix]) => prefix.endsWith(`/leases/${names.systemNamespace}/`));
    expect(asked.filter(([, options]) => options?.limit === undefined)).toEqual([]);
    expect(asked.length).toBeGreaterThan(0);
    const renewed = (await own()).spec;
    expect(renewed.holderIdentity).toBe(spec.holderIdentity);
    expect(Date.parse(renewed.renewTime)).toBeGreaterThan(Date.parse(spec.renewTime));
  },
);

it("without the gate there is none", async () => {
  server = await serverInProcess({ flags: ["--feature-gates=APIServerIdentity=false"] });
  expect((await server.call("GET", "/apis/coordination.k8s.io/v1/leases")).json.items).toEqual([]);
  expect((await server.call("GET", "/readyz?verbose")).text).not.toContain("identity-lease");
});
