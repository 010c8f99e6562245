import { expect, it } from "vitest";
import { Metrics } from "../../base/metrics.ts";
import { RELEASE } from "../../meta/version.ts";
import { criMetrics } from "./cri-metrics.ts";

it("counts calls of the runtime by operation, how long they took, and failures", async () => {
  const metrics = new Metrics({ release: RELEASE });
  const told = criMetrics(metrics);
  told("runPodSandbox", 0.01, false);
  told("runPodSandbox", 2, true);
  told("updateContainerResources", 0.001, false);
  let text = "";
  for await (const piece of metrics.expose()) text += piece;
  expect(text).toContain('kubelet_runtime_operations_total{operation_type="run_podsandbox"} 2');
  expect(text).toContain('kubelet_runtime_operations_total{operation_type="update_container"} 1');
  expect(text).toContain('kubelet_runtime_operations_errors_total{operation_type="run_podsandbox"} 1');
  expect(text).toContain(
    'kubelet_runtime_operations_duration_seconds_bucket{operation_type="run_podsandbox",le="0.0125"} 1',
  );
});
