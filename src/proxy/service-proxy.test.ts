import { describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { Metrics } from "../base/metrics.ts";
import { nextTurn } from "../base/next-turn.ts";
import { RELEASE } from "../meta/version.ts";
import type { StaleFlows } from "./conntrack/stale-flows.ts";
import { RulesHealth } from "./health/proxy-health.ts";
import { HERE, service, settings, slice } from "./objects.testing.ts";
import { proxyMetrics } from "./proxy-metrics.ts";
import { planService, type ServicePlan } from "./rules/service-plan.ts";
import { ServiceProxy } from "./service-proxy.ts";

const HOUR_MS = 3_600_000;

class World {
  readonly clock = new FakeClock();
  readonly health = new RulesHealth(this.clock, 60_000);
  readonly plans = new Map<string, ServicePlan>();
  readonly transactions: string[] = [];
  readonly forgotten: StaleFlows[] = [];
  /** How many of the next attempts to forget flows fail. */
  failures = 0;
  readonly checks = new Map<string, number | undefined>();
  /** How many of the next transactions the kernel refuses. */
  refusals = 0;
  hasTables = false;
  /** The kernel does not take what begins like this. */
  refused: string | undefined;
  /** What happens while tables are made. */
  meanwhile: () => void = () => undefined;
  readonly #metrics = new Metrics({ release: RELEASE });
  readonly proxy = new ServiceProxy({
    machine: {
      nft: async (text) => {
        this.transactions.push(text);
        await nextTurn();
        this.refusals -= 1;
        if (this.refusals >= 0) throw new Error("no");
        if (this.refused !== undefined && text.startsWith(this.refused)) throw new Error("no");
        if (text.startsWith("add table")) {
          this.hasTables = true;
          this.meanwhile();
        }
        if (!this.hasTables) throw new Error("no such table");
      },
      forgetFlows: async (_, flows) => {
        this.failures -= 1;
        if (this.failures >= 0) throw new Error("no");
        this.forgotten.push(...flows);
        return flows.length;
      },
      setHealthCheck: (name, check) => this.checks.set(name, check?.localEndpoints),
    },
    plan: (name) => this.plans.get(name) ?? { ports: [], healthCheck: undefined, since: "" },
    settings: settings()[0]!,
    health: this.health,
    metrics: proxyMetrics(this.#metrics, this.clock).of(4),
    clock: this.clock,
    log: silentLog,
    minSyncPeriodMs: 1_000,
    syncPeriodMs: 30_000,
  });

  set(name: string, ips: readonly string[], protocol: "TCP" | "UDP" = "TCP"): void {
    const number = name.length;
    const clusterIP = `10.96.0.${number}`;
    const of = service({ clusterIP, clusterIPs: [clusterIP], ports: [{ protocol, port: 80, targetPort: 8080 }] }, {
      metadata: { namespace: "default", name },
    } as never);
    const slices = [
      slice(
        ips.map((ip) => ({ ip })),
        { addressType: "IPv4", ports: [{ name: "", protocol, port: 8080 }] },
      ),
    ];
    this.plans.set(name, planService(of, slices, HERE));
    this.proxy.changed(name);
  }

  async started(): Promise<this> {
    this.proxy.start();
    await this.proxy.ready;
    await this.settle();
    this.transactions.length = 0;
    return this;
  }

  /** Until nothing happens any more at this time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  }

  async metric(name: string): Promise<string | undefined> {
    let text = "";
    for await (const piece of this.#metrics.expose()) text += piece;
    return text
      .split("\n")
      .find((line) => line.startsWith(name))
      ?.split(" ")
      .at(-1);
  }
}

describe("the proxy of a node", () => {
  it("begins with one transaction that makes the tables, with everything in it", async () => {
    const world = new World();
    world.set("a", ["10.0.0.1"]);
    world.set("bb", ["10.0.0.2"]);
    await world.settle();
    expect(world.transactions).toEqual([]);
    world.proxy.start();
    await world.proxy.ready;
    expect(world.transactions).toHaveLength(2);
    expect(world.transactions[0]).toBe("flush chain ip plinth-proxy probe\n");
    expect(world.transactions[1]).toMatch(/^add table ip plinth-proxy\ndelete table ip plinth-proxy\n/);
    expect(world.transactions[1]).toContain(
      "10.96.0.1 . 80 . 0 : 10.0.0.1 . 8080, 10.96.0.2 . 80 . 0 : 10.0.0.2 . 8080",
    );
  });

  it("writes what comes during the first transaction soon after it", async () => {
    const world = new World();
    world.set("a", ["10.0.0.1"]);
    world.meanwhile = () => world.set("bb", ["10.0.0.2"]);
    world.proxy.start();
    await world.proxy.ready;
    await world.settle();
    await world.clock.advance(1_000);
    await world.settle();
    expect(world.transactions.at(-1)).toContain("10.96.0.2 . 80 . 0 : 10.0.0.2 . 8080");
  });

  it("takes the tables of an earlier life over, and makes them anew when they are others", async () => {
    for (const isOther of [false, true]) {
      const world = new World();
      world.hasTables = true;
      world.refused = isOther ? "flush table" : undefined;
      world.set("a", ["10.0.0.1"]);
      world.proxy.start();
      await world.proxy.ready;
      const words = world.transactions.map((text) => text.split(" ", 2).join(" "));
      expect(words).toEqual(["flush chain", "flush table", ...(isOther ? ["add table"] : [])]);
    }
  });

  it("writes a change as its own few elements", async () => {
    const world = new World();
    world.set("a", ["10.0.0.1"]);
    await world.started();
    await world.clock.advance(5_000);
    world.set("a", ["10.0.0.1", "10.0.0.2"]);
    await world.settle();
    expect(world.transactions).toEqual([
      [
        "add chain ip plinth-proxy cluster-tcp-2",
        "add rule ip plinth-proxy cluster-tcp-2 dnat ip to ip daddr . tcp dport . numgen random mod 2 map @endpoints-tcp",
        "delete element ip plinth-proxy service-ips { 10.96.0.1 . tcp . 80 : goto cluster-tcp-1 }",
        "add element ip plinth-proxy hairpin-ips { 10.0.0.2 . 10.0.0.2 }",
        "add element ip plinth-proxy endpoints-tcp { 10.96.0.1 . 80 . 1 : 10.0.0.2 . 8080 }",
        "add element ip plinth-proxy service-ips { 10.96.0.1 . tcp . 80 : goto cluster-tcp-2 }",
        "flush chain ip plinth-proxy cluster-tcp-1",
        "delete chain ip plinth-proxy cluster-tcp-1",
        "",
      ].join("\n"),
    ]);
  });

  it("writes nothing for what is of another family, and looks after the tables all the same", async () => {
    const world = await new World().started();
    const changeOfAnother = async (): Promise<void> => {
      world.proxy.changed("a");
      await world.settle();
    };
    await world.clock.advance(5_000);
    await changeOfAnother();
    expect(world.transactions).toEqual([]);
    await world.clock.advance(25_000);
    await changeOfAnother();
    expect(world.transactions).toEqual(["flush chain ip plinth-proxy probe\n"]);
  });

  it("joins what comes within the minimal period after a transaction", async () => {
    const world = await new World().started();
    await world.clock.advance(5_000);
    world.set("a", ["10.0.0.1"]);
    await world.settle();
    expect(world.transactions).toHaveLength(1);
    world.set("bb", ["10.0.0.1"]);
    world.set("ccc", ["10.0.0.1"]);
    await world.clock.advance(900);
    await world.settle();
    expect(world.transactions).toHaveLength(1);
    await world.clock.advance(100);
    await world.settle();
    expect(world.transactions).toHaveLength(2);
  });

  it("makes everything anew at once when a change is refused, and again later when that is refused too", async () => {
    const world = await new World().started();
    await world.clock.advance(5_000);
    world.refusals = 2;
    world.set("a", ["10.0.0.1"]);
    await world.settle();
    expect(world.transactions.map((text) => text.startsWith("add table"))).toEqual([false, true]);
    expect(await world.metric('kubeproxy_sync_proxy_rules_nftables_sync_failures_total{ip_family="IPv4"}')).toBe("2");
    await world.clock.advance(1_000);
    await world.settle();
    expect(world.transactions).toHaveLength(3);
    expect(world.transactions[2]).toContain("10.96.0.1 . 80 . 0 : 10.0.0.1 . 8080");
    expect(world.health.isHealthy).toBe(true);
  });

  it("looks after the tables every sync period, and says everything anew every hour", async () => {
    const world = new World();
    world.set("a", ["10.0.0.1"]);
    await world.started();
    await world.clock.advance(30_000);
    await world.settle();
    expect(world.transactions).toEqual(["flush chain ip plinth-proxy probe\n"]);
    world.refusals = 1;
    await world.clock.advance(30_000);
    await world.settle();
    expect(world.transactions.at(-1)).toMatch(/^add table/);
    await world.clock.advance(HOUR_MS);
    await world.settle();
    await world.clock.advance(30_000);
    await world.settle();
    expect(world.transactions.filter((text) => text.startsWith("flush table"))).toHaveLength(1);
  });

  it("is not healthy when a change waits for too long, whatever comes meanwhile", async () => {
    const world = await new World().started();
    world.refusals = Number.POSITIVE_INFINITY;
    await world.clock.advance(5_000);
    world.set("a", ["10.0.0.1"]);
    await world.settle();
    await world.clock.advance(59_000);
    expect(world.health.isHealthy).toBe(true);
    world.set("bb", ["10.0.0.1"]);
    await world.clock.advance(1_001);
    expect(world.health.isHealthy).toBe(false);
    world.refusals = 0;
    await world.clock.advance(30_000);
    await world.settle();
    expect(world.health.isHealthy).toBe(true);
  });

  it("is healthy while something is always on its way", async () => {
    const world = await new World().started();
    for (let second = 0; second < 120; second += 1) {
      world.set("a", [`10.0.0.${second}`]);
      await world.clock.advance(1_000);
      await world.settle();
    }
    expect(world.transactions.length).toBeGreaterThan(100);
    expect(world.health.isHealthy).toBe(true);
  });

  it("forgets UDP flows once the change is in the kernel", async () => {
    const world = new World();
    world.set("a", ["10.0.0.1"], "UDP");
    await world.started();
    const before = Number(await world.metric('kubeproxy_conntrack_reconciler_deleted_entries_total{ip_family="IPv4"}'));
    world.forgotten.length = 0;
    await world.clock.advance(5_000);
    world.refusals = 2;
    world.set("a", ["10.0.0.2"], "UDP");
    await world.settle();
    expect(world.forgotten).toEqual([]);
    await world.clock.advance(1_000);
    await world.settle();
    expect(world.forgotten).toEqual([
      { family: 4, ip: "10.96.0.1", port: 80, backends: { but: new Set(["10.0.0.2 8080"]) } },
    ]);
    expect(await world.metric('kubeproxy_conntrack_reconciler_deleted_entries_total{ip_family="IPv4"}')).toBe(
      String(before + 1),
    );
  });

  it.each([
    [1, 1],
    [2, 0],
  ])("tries once more to forget UDP flows: after %i failures %i are forgotten", async (failures, count) => {
    const world = new World();
    world.set("a", ["10.0.0.1"], "UDP");
    await world.started();
    world.forgotten.length = 0;
    world.failures = failures;
    world.set("a", ["10.0.0.2"], "UDP");
    for (let round = 0; round < 3; round += 1) {
      await world.clock.advance(30_000);
      await world.settle();
    }
    expect(world.forgotten).toHaveLength(count);
  });

  it("leaves the kernel alone after its end", async () => {
    const world = await new World().started();
    await world.proxy.stop();
    world.set("a", ["10.0.0.1"]);
    await world.clock.advance(HOUR_MS);
    await world.settle();
    expect(world.transactions).toEqual([]);
  });
});
