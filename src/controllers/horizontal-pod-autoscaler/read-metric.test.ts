import { describe, expect, it } from "vitest";
import { Client } from "../../client/client.ts";
import { failure, type ScriptedAnswer, ScriptedTransport } from "../../client/scripted-transport.testing.ts";
import type { MetricSpec } from "../../kinds/autoscaling/horizontal-pod-autoscaler/metric-source-schema.ts";
import type { ScaleTargets } from "../scale-target/scale-targets.ts";
import { MetricsApis } from "./metrics-apis.ts";
import { type MetricContext, MetricError, readMetric } from "./read-metric.ts";

const queue = { name: "queue", selector: { matchLabels: { q: "a" } } };
const QUEUE =
  "queue(&LabelSelector{MatchLabels:map[string]string{q: a,},MatchExpressions:[]LabelSelectorRequirement{},})";
const EMPTY = { json: { items: [] } };

const external = (target: object, metric: object = queue) => ({ type: "External", external: { metric, target } });
const object = (target: object, described: object = {}) => ({
  type: "Object",
  object: {
    metric: { name: "hits" },
    target,
    describedObject: { apiVersion: "v1", kind: "Service", name: "web", ...described },
  },
});
const VALUE = { type: "Value", value: "10" };
const AVERAGE = { type: "AverageValue", averageValue: "10" };

const targets = {
  find: async ({ kind }: { kind: string }) => (kind === "Service" ? { group: "", resource: "services" } : undefined),
} as unknown as ScaleTargets;

function read(metric: object, ...answers: ScriptedAnswer[]) {
  const client = new Client({ transport: new ScriptedTransport(answers), dialect: "kubernetes" });
  const context: MetricContext = {
    apis: new MetricsApis(client),
    targets,
    namespace: "shop",
    selector: "app=web",
    pods: [],
    specReplicas: 2,
    statusReplicas: 2,
    tolerances: { up: 0.1, down: 0.1 },
    startTimes: { cpuInitializationMs: 0, initialReadinessMs: 0 },
    nowMs: 0,
  };
  return readMetric(metric as unknown as MetricSpec, context);
}

async function failureOf(metric: object, ...answers: ScriptedAnswer[]) {
  const error = await read(metric, ...answers).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof MetricError)) throw error;
  return [error.message, error.detail];
}

describe("a metric is named", () => {
  it.each([
    ["from outside, with its selector", external(AVERAGE), `external metric ${QUEUE}`],
    ["from outside, without one", external(AVERAGE, { name: "queue" }), "external metric queue(nil)"],
    ["of an object, shared among replicas", object(AVERAGE), "external metric hits(nil)"],
  ])("%s", async (_case, metric, name) => {
    const proposal = await read(metric, { json: { items: [{ value: "50" }] } });
    expect(proposal).toMatchObject({ name, replicas: 5 });
  });
});

describe("a metric that cannot be read says what was asked for", () => {
  const NONE = "no metrics returned from external metrics API";
  const asked = `unable to get external metric shop/${QUEUE.replace("(", "/").slice(0, -1)}: ${NONE}`;
  const noValue = "unable to get metric hits: Service on shop web/the custom metrics API server returned no value";
  const noKind =
    "unable to get metric hits: Part on shop web/unable to fetch metrics from custom metrics API: " +
    'unable to map kind Part.example.com to resource: no matches for kind "Part" in group "example.com"';
  it.each([
    [
      external(VALUE),
      `failed to get queue external metric value: failed to get external metric queue: ${asked}`,
      asked,
    ],
    [
      external(AVERAGE),
      `failed to get queue external metric value: failed to get queue external metric: ${asked}`,
      asked,
    ],
    [object(VALUE), `failed to get object metric value: ${noValue}`, noValue],
    [object(AVERAGE), `failed to get object metric value: failed to get hits object metric: ${noValue}`, noValue],
    [
      object(VALUE, { apiVersion: "example.com/v1", kind: "Part" }),
      `failed to get object metric value: ${noKind}`,
      noKind,
    ],
  ])("%j", async (metric, message, detail) => {
    expect(await failureOf(metric, EMPTY)).toEqual([message, detail]);
  });

  it("and what the server answered", async () => {
    const [, detail] = await failureOf(external(VALUE, { name: "queue" }), failure(403, "Forbidden"));
    expect(detail).toMatch(/^unable to get external metric shop\/queue\/nil: unable to fetch metrics from external /);
  });
});
