// What the server measures, put together.

import { expect, it } from "vitest";
import { Metrics } from "../../base/metrics.ts";
import { namesFor } from "../../meta/names.ts";
import type { Catalog } from "../../registry/catalog.ts";
import { buildRequestMetrics } from "./build-metrics.ts";

it("the metrics of the server are those of its requests and those of itself, in one exposition", async () => {
  const metrics = new Metrics({ release: "1.34" });
  const catalog = {
    builtIn: () => [],
    definitions: () => [],
    stores: () => [],
    find: () => undefined,
  } as unknown as Catalog;
  const gates = [{ name: "New", stage: "alpha", enabled: true }] as const;
  const requests = buildRequestMetrics(metrics, { names: namesFor("kubernetes"), catalog, gates });
  requests.inFlight("GET").set(3);
  let text = "";
  for await (const piece of metrics.expose()) text += piece;
  expect(text).toContain('kubernetes_feature_enabled{name="New",stage="ALPHA"} 1');
  expect(text).toMatch(/^apiserver_current_inflight_requests\{.*\} 3$/m);
});
