// What a build prepares for new stores is what a start makes in an empty one.

import { afterEach, describe, expect, it, vi } from "vitest";
import { emptyResources } from "../apiserver/empty-resources.ts";
import { inProcessClients } from "../apiserver/in-process-clients.ts";
import { type ServerInProcess, serverInProcess } from "../apiserver/server.testing.ts";
import { InProcessUsers } from "../authn/in-process-users.ts";
import { DEFAULT_ROLE_GATES } from "../authz/default-role-gates.ts";
import { FakeClock } from "../base/clock.ts";
import type { ReceivedRequest } from "../http/message.ts";
import { DIALECTS, type Dialect, namesFor } from "../meta/names.ts";
import { parseApiServerOptions } from "../options/api-server-options.ts";
import { serverGates } from "../options/feature-gate-table.ts";
import { readPrepared, writePrepared } from "../registry/prepared-objects.ts";
import { MemoryEngine } from "../storage/memory-engine.ts";
import { type Actor, startControllers, startNodes } from "../testing/actors.ts";
import { layNodes } from "../testing/prepared-nodes.ts";
import * as firstStates from "./first-state.ts";
import * as serverStates from "./server-state.ts";

const NOW_MS = Date.parse("2031-02-03T04:05:06Z");
const UIDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Made once for all tests: nobody changes them. */
const [firstState, serverState] = [oncePerDialect(firstStates.firstState), oncePerDialect(serverStates.serverState)];

function oncePerDialect<T>(make: (dialect: Dialect) => Promise<T>): (dialect: Dialect) => Promise<T> {
  const made = new Map<Dialect, Promise<T>>();
  return (dialect) => {
    const known = made.get(dialect) ?? make(dialect);
    made.set(dialect, known);
    return known;
  };
}

const started: ServerInProcess[] = [];
const actors: Actor[] = [];
afterEach(async () => {
  for (const actor of actors.splice(0).reverse()) await actor.stop();
  for (const server of started.splice(0)) await server.close();
});

async function startedOver(dialect: Dialect, prepared: Buffer | undefined, flags: readonly string[] = []) {
  const clock = new FakeClock(NOW_MS);
  const engine = new MemoryEngine({ clock });
  const state = prepared === undefined ? undefined : readPrepared(prepared);
  const deps = { firstState: () => state };
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

interface Controlled {
  readonly follow?: "all" | "changed";
  readonly flags?: readonly string[];
}

/** With controllers that have done all that they do at a start. Also how many writes that took after the server's own. */
async function controlledOver(
  dialect: Dialect,
  prepared: Buffer | undefined,
  { follow = "all", flags = [] }: Controlled = {},
) {
  const clock = new FakeClock(NOW_MS);
  const engine = new MemoryEngine({ clock });
  const users = new InProcessUsers();
  const server = await serverInProcess({
    dialect,
    engine,
    clock,
    flags,
    deps: { firstState: () => (prepared === undefined ? undefined : readPrepared(prepared)), inProcessUsers: users },
  });
  started.push(server);
  const laidRevision = engine.currentRevision();
  const unused = follow === "changed" ? emptyResources(server.catalog, server.isAsPrepared) : undefined;
  const watched: string[] = [];
  const handler = (request: ReceivedRequest) => {
    if (request.query.has("watch")) watched.push(request.path);
    return server.handler(request);
  };
  const clients = inProcessClients(handler, users, dialect, clock, unused);
  const gates = serverGates(parseApiServerOptions([...flags]).featureGates, dialect);
  const parts = { clients, clock, random: () => 0, gates };
  const settled = async (starting: Promise<Actor[]>): Promise<void> => {
    actors.push(...(await starting));
    await vi.waitFor(async () => {
      await clock.advance(0);
      expect(actors.some(({ busy }) => busy)).toBe(false);
    });
  };
  await settled(startControllers(parts));
  return {
    engine,
    server,
    watched,
    eventually: (check: () => Promise<void>) =>
      vi.waitFor(async () => {
        await clock.advance(100);
        await check();
      }),
    writes: () => engine.currentRevision() - laidRevision,
    addNodes: (count: number) => settled(startNodes(parts, count)),
  };
}

/** Every gate is the other way round but those that say which roles there are, without which nothing is laid; all kinds. */
function flagsOfOtherGates(dialect: Dialect): string[] {
  const gates = serverGates(new Map(), dialect).all();
  const ofRoles = new Set<string>(DEFAULT_ROLE_GATES);
  const free = gates.filter(({ name, stage }) => ["alpha", "beta"].includes(stage) && !ofRoles.has(name));
  expect(free.length).toBeGreaterThan(100);
  const settings = free.map(({ name, enabled }) => `${name}=${!enabled}`);
  return [`--feature-gates=${settings.join()}`, "--runtime-config=api/all=true"];
}

describe("a first state that was prepared", () => {
  it.each(DIALECTS)("is what a first start makes (%s)", async (dialect) => {
    const prepared = await serverState(dialect);
    expect(readPrepared(prepared).size).toBeGreaterThan(150);
    const [made, laid] = [await startedOver(dialect, undefined), await startedOver(dialect, prepared)];
    await vi.waitFor(async () => expect(await withoutUids(laid)).toEqual(await withoutUids(made)));
  });

  it.each([
    "--advertise-address=203.0.113.9",
    "--advertise-address=2001:db8::9",
    "--secure-port=7443",
    "--service-cluster-ip-range=10.96.0.0/16",
  ])("has what a first start with %s makes of its network", async (flag) => {
    const prepared = await serverState("platform");
    const [made, laid] = [
      await startedOver("platform", undefined, [flag]),
      await startedOver("platform", prepared, [flag]),
    ];
    await vi.waitFor(async () => expect(await withoutUids(laid)).toEqual(await withoutUids(made)));
  });

  it.each(DIALECTS)("with controllers is what they leave, and nothing is left to do for them (%s)", async (dialect) => {
    const { controllers: prepared } = await firstState(dialect);
    const [made, laid] = [await controlledOver(dialect, undefined), await controlledOver(dialect, prepared)];
    await vi.waitFor(async () => expect(await withoutUids(laid.engine)).toEqual(await withoutUids(made.engine)));
    expect([...(await textsOf(laid.engine)).keys()].join()).toContain("/serviceaccounts/default/default");
    expect([made.writes() > 5, laid.writes()]).toEqual([true, 0]);
  });

  it.each(DIALECTS)("leaves nothing to do for controllers with other gates and all kinds (%s)", async (dialect) => {
    const { controllers: prepared } = await firstState(dialect);
    const flags = flagsOfOtherGates(dialect);
    const [made, laid] = [
      await controlledOver(dialect, undefined, { flags }),
      await controlledOver(dialect, prepared, { flags }),
    ];
    await vi.waitFor(async () => expect(await withoutUids(laid.engine)).toEqual(await withoutUids(made.engine)));
    expect([made.writes() > 5, laid.writes()]).toEqual([true, 0]);
  });

  it("with controllers need not be looked at by who collects roles, until one of them changes", async () => {
    const { controllers } = await firstState("kubernetes");
    const { server, watched, eventually } = await controlledOver("kubernetes", controllers, { follow: "changed" });
    const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    const configMaps = "/api/v1/namespaces/default/configmaps";
    const statusOfOwned = async () => (await server.call("GET", `${configMaps}/owned`)).status;
    const { uid } = (await server.call("GET", `${roles}/view`)).json.metadata;
    const ownerReferences = [{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", name: "view", uid }];
    await server.call("POST", configMaps, { metadata: { name: "owned", ownerReferences } });
    await eventually(async () => expect(await statusOfOwned()).toBe(200));
    expect(watched).not.toContain(roles);
    await server.call("DELETE", `${roles}/view`);
    await eventually(async () => expect(await statusOfOwned()).toBe(404));
    const rule = { verbs: ["get"], apiGroups: ["acme.io"], resources: ["widgets"] };
    const labels = { "rbac.authorization.k8s.io/aggregate-to-edit": "true" };
    await server.call("POST", roles, { metadata: { name: "part", labels }, rules: [rule] });
    await eventually(async () =>
      expect((await server.call("GET", `${roles}/edit`)).json.rules).toContainEqual(expect.objectContaining(rule)),
    );
  });

  it("without controllers has nothing of theirs", async () => {
    expect((await serverState("platform")).toString()).not.toContain("/serviceaccounts/");
  });

  const withGates = DIALECTS.flatMap((dialect) => [
    [dialect, "ordinary", []] as const,
    [dialect, "other", flagsOfOtherGates(dialect)] as const,
  ]);
  it.each(withGates)(
    "has nodes that register no more, each one of its own (%s, %s gates)",
    async (dialect, _, flags) => {
      const { controllers, nodes } = await firstState(dialect);
      const [made, laid] = [
        await controlledOver(dialect, controllers, { flags }),
        await controlledOver(dialect, controllers, { flags }),
      ];
      await made.addNodes(2);
      await layNodes(laid, readPrepared(nodes), 2);
      await layNodes(laid, readPrepared(nodes), 1);
      const writes = laid.writes();
      await laid.addNodes(2);
      expect(laid.writes()).toBe(writes);
      await vi.waitFor(async () => expect(await withoutUids(laid.engine)).toEqual(await withoutUids(made.engine)));
      const texts = await textsOf(laid.engine);
      const uids = [1, 2].map((number) => {
        const lease = `/registry/leases/${namesFor(dialect).nodeLeaseNamespace}/simulated-${number}`;
        const { uid } = JSON.parse(texts.get(`/registry/minions/simulated-${number}`)!).metadata;
        expect(JSON.parse(texts.get(lease)!).metadata.ownerReferences).toMatchObject([{ uid }]);
        expect(texts.get(lease)).toContain(`k:{\\"uid\\":\\"${uid}\\"}`);
        expect(nodes.toString()).not.toContain(uid);
        return uid;
      });
      expect(new Set(uids).size).toBe(2);
    },
  );

  it("becomes objects of their own, and is left alone where there are objects", async () => {
    const prepared = await serverState("kubernetes");
    const stores = [await startedOver("kubernetes", prepared), await startedOver("kubernetes", prepared)];
    const uids = (await Promise.all(stores.map(textsOf))).flatMap((texts) =>
      [...texts.values()].flatMap((text) => /"uid":"([^"]+)"/.exec(text)?.[1] ?? []),
    );
    expect(new Set(uids).size).toBe(uids.length);
    const clock = new FakeClock(NOW_MS);
    const engine = new MemoryEngine({ clock });
    await engine.create("/registry/configmaps/default/x", Buffer.from("{}"));
    const other = writePrepared([["/registry/namespaces/other", Buffer.from("{}")]]);
    started.push(await serverInProcess({ engine, clock, deps: { firstState: () => readPrepared(other) } }));
    expect(await engine.get("/registry/namespaces/other")).toBeUndefined();
  });

  it.each([
    "--runtime-config=api/all=true",
    "--feature-gates=ClusterTrustBundle=true",
    "--feature-gates=APIServerIdentity=false",
    "--enable-admission-plugins=NamespaceAutoProvision,NodeRestriction,AlwaysPullImages",
    "--disable-admission-plugins=ServiceAccount,Priority,NamespaceLifecycle",
  ])("is laid by a first start with %s, and then completed", async (flag) => {
    const prepared = await serverState("kubernetes");
    const [made, laid] = [
      await startedOver("kubernetes", undefined, [flag]),
      await startedOver("kubernetes", prepared, [flag]),
    ];
    await vi.waitFor(async () => expect(await withoutUids(laid)).toEqual(await withoutUids(made)));
    const other = writePrepared([["/registry/namespaces/other", Buffer.from("{}")]]);
    const engine = await startedOver("kubernetes", other, [flag]);
    expect(await engine.get("/registry/namespaces/other")).toBeDefined();
  });

  it.each([
    "--runtime-config=apps/v1=false",
    "--feature-gates=ComponentStatusz=true",
    "--feature-gates=AllAlpha=true",
    "--enable-priority-and-fairness=false",
  ])("is of no use for %s", async (flag) => {
    const other = writePrepared([["/registry/namespaces/other", Buffer.from("{}")]]);
    const engine = await startedOver("kubernetes", other, [flag]);
    expect(await engine.get("/registry/namespaces/other")).toBeUndefined();
  });
});
