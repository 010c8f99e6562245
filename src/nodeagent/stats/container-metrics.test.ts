import { expect, it } from "vitest";
import { machineFacts } from "../node/machine.testing.ts";
import { ProbeTotals } from "../probes/probe-totals.ts";
import { containerMetrics } from "./container-metrics.ts";

it("what containers, pods and the machine have is shown as monitors know it", () => {
  const cpu = { timestamp: 2e15, usageCoreNanoSeconds: { value: 5e9 } };
  const memory = { timestamp: 2e15, workingSetBytes: { value: 7 }, usageBytes: { value: 8 } };
  const network = { timestamp: 2e15, defaultInterface: { name: "eth0", rxBytes: { value: 9 } }, interfaces: [] };
  const sandbox = {
    attributes: { id: "s-1", metadata: { name: "web", namespace: "team", uid: "u", attempt: 0 } },
    linux: {
      cpu,
      memory,
      network,
      containers: [{ attributes: { id: "c-1", metadata: { name: "main" } }, cpu, memory }],
    },
  };
  const text = containerMetrics({
    machine: machineFacts(),
    sandboxes: [sandbox as never],
    nowMs: 1_000,
  });
  for (const line of [
    'container_cpu_usage_seconds_total{container="main",id="c-1",name="c-1",namespace="team",pod="web"} 5 2000000000',
    'container_memory_working_set_bytes{container="",id="s-1",name="",namespace="team",pod="web"} 7 2000000000',
    'container_network_receive_bytes_total{container="",id="s-1",interface="eth0",name="",namespace="team",pod="web"} 9 2000000000',
    "machine_memory_bytes 8589934592 1000",
  ])
    expect(text.split("\n")).toContain(line);
  expect(text).not.toContain("container_memory_rss");
});

it("checks are counted by container and outcome until the pod is gone", () => {
  const totals = new ProbeTotals();
  const check = {
    uid: "u",
    pod: "web",
    namespace: "team",
    container: "main",
    sort: "liveness",
    result: "failed",
  } as const;
  totals.count(check);
  totals.count(check);
  totals.count({ ...check, result: "successful" });
  const labels = 'container="main",namespace="team",pod="web",pod_uid="u",probe_type="Liveness"';
  expect(totals.text()).toContain(`prober_probe_total{${labels},result="failed"} 2\n`);
  expect(totals.text()).toContain(`prober_probe_total{${labels},result="successful"} 1\n`);
  totals.forget("u");
  expect(totals.text()).toBe("");
});
