import { afterEach, describe, expect, it } from "vitest";
import { jsonOf, startTestServer, type TestServer, textOf } from "./agent-server.testing.ts";

let server: TestServer;
afterEach(() => server.close());

describe("the agent", () => {
  it("is well while its parts are", async () => {
    let problem: string | undefined;
    server = await startTestServer({}, { problem: () => problem });
    expect([(await server.get("/healthz")).status, textOf(await server.get("/healthz"))]).toEqual([200, "ok"]);
    problem = "the loop is stuck";
    const sick = await server.get("/healthz");
    expect([sick.status, textOf(sick)]).toEqual([
      500,
      "[+]ping ok\n[-]syncloop failed: the loop is stuck\nhealthz check failed\n",
    ]);
    expect([(await server.get("/healthz/ping")).status, (await server.get("/healthz/syncloop")).status]).toEqual([
      200, 500,
    ]);
    expect((await server.get("/healthz/other")).status).toBe(404);
  });

  it("shows the merged configuration in the form of files", async () => {
    server = await startTestServer({ maxPods: 17, nodeStatusReportFrequency: "90s" });
    expect(jsonOf(await server.get("/configz"))).toMatchObject({
      nodeagentconfig: { maxPods: 17, nodeStatusReportFrequency: "1m30s", failSwapOn: true, port: 10250 },
    });
  });

  it("lists its pods, and what the runtime runs", async () => {
    server = await startTestServer();
    expect(jsonOf(await server.get("/pods"))).toMatchObject({
      kind: "PodList",
      apiVersion: "v1",
      items: [{ kind: "Pod", metadata: { name: "web", uid: "u-1" }, status: { phase: "Running" } }],
    });
    expect(jsonOf(await server.get("/runningpods/"))).toMatchObject({
      kind: "PodList",
      items: [
        {
          metadata: { name: "web", namespace: "team", uid: "u-1" },
          spec: { containers: [{ name: "main", image: "example.com/web:1" }] },
        },
      ],
    });
  });

  it("tells what came of its health checks", async () => {
    let problem: string | undefined;
    server = await startTestServer({}, { problem: () => problem });
    const outcomes = async () => textOf(await server.get("/metrics/slis"));
    await server.get("/healthz");
    expect(await outcomes()).toContain('platform_healthcheck{name="syncloop",type="healthz"} 1');
    problem = "stuck";
    await server.get("/healthz");
    expect(await outcomes()).toContain('platform_healthcheck{name="syncloop",type="healthz"} 0');
    expect(await outcomes()).toContain('platform_healthchecks_total{name="ping",status="success",type="healthz"} 2');
  });

  it("tells metrics in the text form", async () => {
    server = await startTestServer();
    await server.get("/pods");
    await server.get("/x".repeat(50));
    const answer = await server.get("/metrics");
    expect(answer.headers["content-type"]).toMatch(/^text\/plain/);
    expect(textOf(answer)).toContain(
      'kubelet_http_requests_total{method="GET",path="pods",server_type="readwrite",long_running="false"} 1',
    );
    expect(textOf(answer)).toContain(
      'kubelet_http_requests_total{method="GET",path="other",server_type="readwrite",long_running="false"} 1',
    );
  });

  it("tells what node and pods use", async () => {
    server = await startTestServer();
    const cpu = { timestamp: 1e18, usageCoreNanoSeconds: { value: 5e9 }, usageNanoCores: { value: 1e8 } };
    const memory = { timestamp: 1e18, workingSetBytes: { value: 2e6 } };
    const attributes = { id: "s", metadata: { name: "web", namespace: "team", uid: "u-1" } };
    const containers = [{ attributes: { id: "c", metadata: { name: 'ma"in' } }, cpu, memory }];
    server.runtime.overrides.listPodSandboxStats = () => ({
      stats: [{ attributes, linux: { cpu, memory, containers } }],
    });
    const summary = jsonOf(await server.get("/stats/summary")) as {
      node: { memory: Record<string, number> };
      pods: object[];
    };
    for (const field of ["rssBytes", "pageFaults"]) expect(summary.node.memory[field], field).toBeGreaterThan(0);
    expect(summary.node.memory["majorPageFaults"]).toBeGreaterThanOrEqual(0);
    expect(summary.node).toMatchObject({
      nodeName: "node-1",
      memory: { availableBytes: 6 * 2 ** 30 },
      rlimit: { maxpid: 32_768 },
    });
    expect(summary.pods).toMatchObject([
      {
        podRef: { name: "web", namespace: "team", uid: "u-1" },
        containers: [{ name: 'ma"in', cpu: { usageNanoCores: 1e8 }, memory: { workingSetBytes: 2e6 } }],
        volume: [{ name: "d", usedBytes: 600, capacityBytes: 1_000, pvcRef: { name: "data", namespace: "team" } }],
        "ephemeral-storage": { usedBytes: 0 },
      },
    ]);
    expect(textOf(await server.get("/metrics"))).toContain(
      'kubelet_volume_stats_available_bytes{namespace="team",persistentvolumeclaim="data"} 400\n',
    );
    const lines = textOf(await server.get("/metrics/resource"));
    expect(lines).toContain(
      'container_cpu_usage_seconds_total{container="ma\\"in",namespace="team",pod="web"} 5 1000000000000\n',
    );
    expect(lines).toContain('pod_memory_working_set_bytes{namespace="team",pod="web"} 2000000 1000000000000\n');
    expect(lines).toMatch(/^node_cpu_usage_seconds_total [0-9.]+ \d+$/m);
  });

  it.each([
    ["GET", "/nowhere", 404],
    ["DELETE", "/pods", 405],
    ["GET", "/containerLogs/team/web", 404],
    ["GET", "/exec/team/web/%E0%A4%A", 400],
  ])("answers %s %s with %d", async (method, url, status) => {
    server = await startTestServer();
    expect((await server.ask({ method, url, headers: { authorization: "Bearer admin-token" } })).status).toBe(status);
  });

  it.each([
    [{}, 404],
    [{ enableContentionProfiling: true }, 200],
    [{ enableContentionProfiling: true, enableProfilingHandler: false }, 405],
  ])("tells how long work waited, with %j: %d", async (config, status) => {
    server = await startTestServer(config);
    const answer = await server.get("/debug/pprof/block");
    expect(answer.status).toBe(status);
    if (status === 200) expect(textOf(answer)).toMatch(/^p99 [\d.]+$/m);
  });

  it("serves no debugging where that is switched off", async () => {
    server = await startTestServer({ enableDebuggingHandlers: false });
    const answer = await server.get("/containerLogs/team/web/main");
    expect([answer.status, textOf(answer)]).toEqual([405, "Debug endpoints are disabled.\n"]);
    expect((await server.get("/pods")).status).toBe(200);
  });

  it("runs a command and answers with what it wrote", async () => {
    server = await startTestServer();
    server.runtime.overrides.execSync = ({ cmd }) => ({
      stdout: Buffer.from(cmd.join("|")),
      exitCode: cmd.length > 2 ? 3 : 0,
    });
    const run = (cmd: string) =>
      server.ask({
        method: "POST",
        url: `/run/team/web/main?cmd=${encodeURIComponent(cmd)}`,
        headers: { authorization: "Bearer admin-token" },
      });
    const [good, bad] = [await run("ls /"), await run("a b c")];
    expect([good.status, textOf(good)]).toEqual([200, "ls|/"]);
    expect([bad.status, textOf(bad)]).toEqual([500, "exit code 3: a|b|c"]);
  });
});
