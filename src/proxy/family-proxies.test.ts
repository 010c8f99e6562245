import { expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { Metrics } from "../base/metrics.ts";
import { nextTurn } from "../base/next-turn.ts";
import { RELEASE } from "../meta/version.ts";
import { FamilyProxies } from "./family-proxies.ts";
import { ProxyHealth } from "./health/proxy-health.ts";
import { HERE, service, settings, slice } from "./objects.testing.ts";
import { proxyMetrics } from "./proxy-metrics.ts";
import { planService, type ServicePlan } from "./rules/service-plan.ts";

it("what is refused of one family keeps nothing of the other from the kernel", async () => {
  const clock = new FakeClock();
  const health = new ProxyHealth(clock, 60_000);
  const metrics = new Metrics({ release: RELEASE });
  const taken: string[] = [];
  const checks: string[] = [];
  let refuses = false;
  let plan: ServicePlan = { ports: [], healthCheck: undefined, since: "" };
  const proxies = new FamilyProxies({
    machine: {
      async nft(text) {
        if (refuses && / ip6 /.test(text)) throw new Error("no such thing in IPv6");
        taken.push(text);
      },
      forgetFlows: async () => 0,
      setHealthCheck: (name) => checks.push(name),
    },
    plan: () => plan,
    settings: settings(),
    health,
    metrics: proxyMetrics(metrics, clock),
    clock,
    log: silentLog,
    minSyncPeriodMs: 1_000,
    syncPeriodMs: 30_000,
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  };
  const change = (ips: readonly string[]): void => {
    const spec = { clusterIP: "10.96.0.1", clusterIPs: ["10.96.0.1", "fd00:96::1"] };
    const slices = ips.map((ip, index) =>
      slice([{ ip }], { metadata: { namespace: "default", name: `web-${index}` } }),
    );
    plan = planService(service({ ...spec, ports: [{ protocol: "TCP", port: 80, targetPort: 8080 }] }), slices, HERE);
    proxies.changed("default/web");
  };
  proxies.start();
  await proxies.ready;
  taken.length = 0;

  refuses = true;
  await clock.advance(5_000);
  change(["10.0.0.1", "fd00::1"]);
  await settle();
  expect(taken.join("")).toContain("10.0.0.1 . 8080");
  for (const host of [2, 3]) {
    taken.length = 0;
    await clock.advance(1_000);
    change([`10.0.0.${host}`, `fd00::${host}`]);
    await settle();
    // As few as ever, and clients keep their backends.
    expect(taken).toHaveLength(1);
    expect(taken[0]).toContain(
      `add element ip plinth-proxy endpoints-tcp { 10.96.0.1 . 80 . 0 : 10.0.0.${host} . 8080 }`,
    );
  }
  expect(checks).toHaveLength(3);
  await clock.advance(60_000);
  expect([health.of(4).isHealthy, health.of(6).isHealthy, health.isHealthy]).toEqual([true, false, false]);

  refuses = false;
  taken.length = 0;
  await clock.advance(30_000);
  await settle();
  expect(taken.find((text) => text.startsWith("add table ip6"))).toContain("fd00::3 . 8080");
  expect(taken.join("")).not.toContain("table ip ");
  expect(health.isHealthy).toBe(true);
  await proxies.stop();
});
