import { afterEach, describe, expect, it } from "vitest";
import { FakeClock, systemClock } from "../../base/clock.ts";
import { Metrics } from "../../base/metrics.ts";
import { healthMetrics } from "../../meta/health-metrics.ts";
import { namesFor } from "../../meta/names.ts";
import { RELEASE } from "../../meta/version.ts";
import { proxyMetrics } from "../proxy-metrics.ts";
import { type HttpPort, parseHostPort, serveHttp, textAnswer } from "./http-port.ts";
import { healthAnswer, metricsAnswer } from "./proxy-answers.ts";
import { ProxyHealth } from "./proxy-health.ts";
import { ServiceHealthPorts } from "./service-health-ports.ts";

const clock = new FakeClock();
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

describe("/healthz and /livez", () => {
  const ask = (path: string, prepare: (health: ProxyHealth) => void) => {
    const health = new ProxyHealth(clock, 60_000);
    prepare(health);
    return healthAnswer({ health, measured: proxyMetrics(new Metrics({ release: RELEASE }), clock), clock }, path);
  };

  it.each<[string, (health: ProxyHealth) => void, number, number]>([
    ["all is well", () => undefined, 200, 200],
    ["the node is on its way out", (health) => health.setEligible(false), 503, 200],
  ])("say whether %s", (_, prepare, healthz, livez) => {
    expect([ask("/healthz", prepare).status, ask("/livez", prepare).status]).toEqual([healthz, livez]);
  });

  it("say when the rules were brought up to date, and whether traffic should come here", () => {
    const time = "2030-01-01T00:00:00.000Z";
    const { body } = ask("/healthz", () => undefined);
    expect(JSON.parse(body as string)).toEqual({ lastUpdated: time, currentTime: time, nodeEligible: true });
    expect(ask("/other", () => undefined).status).toBe(404);
  });
});

describe("the port of metrics", () => {
  it("serves them, the mode and whether it is there", async () => {
    const metrics = new Metrics({ release: RELEASE });
    proxyMetrics(metrics, clock).of(6).synced(true, 0.5);
    const outcomes = healthMetrics(namesFor("platform"));
    const port = await serveHttp({ address: "127.0.0.1", port: 0 }, (path, question) =>
      metricsAnswer({ metrics, outcomes, shown: { mode: "" }, profiling: undefined }, path, question),
    );
    opened.push(port);
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${port.port}${path}`)).text();
    expect(await get("/metrics")).toContain(
      'kubeproxy_sync_full_proxy_rules_duration_seconds_count{ip_family="IPv6"} 1',
    );
    expect(await get("/proxyMode")).toBe("nftables");
    expect(await get("/configz")).toBe('{"mode":""}\n');
    expect(await get("/healthz")).toBe("ok");
    expect(await get("/metrics/slis")).toContain('platform_healthcheck{name="ping",type="healthz"} 1');
    const post = await fetch(`http://127.0.0.1:${port.port}/metrics`, { method: "POST" });
    expect(post.status).toBe(405);
    expect((await fetch(`http://127.0.0.1:${port.port}/debug/pprof/profile`)).status).toBe(404);
  });

  it("serves profiles where that is switched on", async () => {
    const metrics = new Metrics({ release: RELEASE });
    const parts = { metrics, outcomes: healthMetrics(namesFor("platform")), shown: {}, profiling: systemClock };
    const port = await serveHttp({ address: "127.0.0.1", port: 0 }, (path, question) =>
      metricsAnswer(parts, path, question),
    );
    opened.push(port);
    const get = (query: string) => fetch(`http://127.0.0.1:${port.port}/debug/pprof/profile${query}`);
    expect(await (await get("?seconds=0.05")).json()).toMatchObject({ nodes: expect.any(Array) });
    expect((await get("?seconds=3600")).status).toBe(400);
  });

  it.each([
    ["0.0.0.0:10256", { address: "0.0.0.0", port: 10_256 }],
    ["[::1]:80", { address: "::1", port: 80 }],
    [":80", { address: undefined, port: 80 }],
    ["80", undefined],
    ["1.2.3.4:70000", undefined],
    ["::1:80", undefined],
  ])("is read from %j", (text, expected) => {
    expect(parseHostPort(text)).toEqual(expected);
  });
});

describe("the health check port of a Service", () => {
  it("says how many local endpoints there are, and fails without any or when the proxy is not well", async () => {
    const free: HttpPort = await serveHttp({ port: 0 }, () => ({ status: 200, headers: {}, body: "" }));
    await free.close();
    const health = new ProxyHealth(clock, 60_000);
    const ports = new ServiceHealthPorts("all", { health, onFailure: () => undefined });
    opened.push(ports);
    const ask = async () => {
      const response = await fetch(`http://127.0.0.1:${free.port}/`);
      return {
        status: response.status,
        weight: response.headers.get("x-load-balancing-endpoint-weight"),
        body: (await response.json()) as { service: { name: string } },
      };
    };
    const up = () =>
      ask().then(
        () => true,
        () => false,
      );
    const body = { service: { namespace: "ns", name: "web" }, serviceProxyHealthy: true };
    ports.set("ns/web", { port: free.port, localEndpoints: 2 });
    await expect.poll(up).toBe(true);
    expect(await ask()).toEqual({ status: 200, weight: "2", body: { ...body, localEndpoints: 2 } });
    ports.set("ns/web", { port: free.port, localEndpoints: 0 });
    expect(await ask()).toEqual({ status: 503, weight: "0", body: { ...body, localEndpoints: 0 } });
    ports.set("ns/web", { port: free.port, localEndpoints: 1 });
    health.of(6).changed();
    await clock.advance(60_000);
    expect(await ask()).toMatchObject({ status: 503, body: { serviceProxyHealthy: false } });
    // Another Service may have the port at once.
    ports.set("ns/web", undefined);
    ports.set("ns/other", { port: free.port, localEndpoints: 1 });
    await expect.poll(async () => (await up()) && (await ask()).body.service.name).toBe("other");
    await ports.close();
    expect(await up()).toBe(false);
  });

  it("is served where node ports are, follows the addresses of the node, and is tried again when another one had it", async () => {
    const other: HttpPort = await serveHttp({ address: "127.0.0.2", port: 0 }, () => textAnswer(200, "other"));
    const failures: string[] = [];
    const ports = new ServiceHealthPorts(["127.0.0.2"], {
      health: new ProxyHealth(clock, 60_000),
      onFailure: (service, port, error) => failures.push(`${service} ${port} ${error.message}`),
    });
    opened.push(ports);
    const statusAt = (address: string) =>
      fetch(`http://${address}:${other.port}/`).then(
        ({ status }) => status,
        () => "refused",
      );
    ports.set("ns/web", { port: other.port, localEndpoints: 0 });
    await expect.poll(() => failures).toEqual([expect.stringMatching(/^ns\/web \d+ .*EADDRINUSE/)]);
    await other.close();
    ports.retry();
    await expect.poll(() => statusAt("127.0.0.2")).toBe(503);
    expect(await statusAt("127.0.0.1")).toBe("refused");
    ports.setAddresses(["127.0.0.3"]);
    await expect.poll(() => statusAt("127.0.0.3")).toBe(503);
    expect(await statusAt("127.0.0.2")).toBe("refused");
    expect(failures).toHaveLength(1);
  });
});
