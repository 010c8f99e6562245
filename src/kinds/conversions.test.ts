// Where one object is served in several forms, going there and back changes nothing.

import { describe, expect, it } from "vitest";
import type { ApiObject } from "../meta/object.ts";
import type { HorizontalPodAutoscaler as AutoscalerV1 } from "./autoscaling/horizontal-pod-autoscaler/v1-schema.ts";
import { horizontalPodAutoscalerV1 } from "./autoscaling/horizontal-pod-autoscaler-v1.ts";
import { type HorizontalPodAutoscaler, horizontalPodAutoscalerV2 } from "./autoscaling/horizontal-pod-autoscaler-v2.ts";
import { completed, context, NOW, names } from "./complete.testing.ts";
import { event as coreEvent } from "./core/event.ts";
import type { Column } from "./define-kind.ts";
import { type Event, event } from "./events/event.ts";

const { toStored, fromStored } = horizontalPodAutoscalerV1.storedAs!;

const rich = completed(horizontalPodAutoscalerV2, {
  metadata: { name: "a", annotations: { mine: "1" } },
  spec: {
    maxReplicas: 3,
    scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" },
    metrics: [
      {
        type: "Pods",
        pods: {
          metric: { name: "rps", selector: { matchLabels: { a: "b" } } },
          target: { type: "AverageValue", averageValue: "1k" },
        },
      },
      {
        type: "Object",
        object: {
          metric: { name: "hits" },
          describedObject: { kind: "Ingress", name: "i" },
          target: { type: "Value", value: "10k" },
        },
      },
      { type: "External", external: { metric: { name: "q" }, target: { type: "AverageValue", averageValue: "30" } } },
      {
        type: "ContainerResource",
        containerResource: { name: "memory", container: "c", target: { type: "Utilization", averageUtilization: 50 } },
      },
      { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } } },
      { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } } },
    ],
    behavior: {
      scaleDown: { stabilizationWindowSeconds: 60, policies: [{ type: "Pods", value: 1, periodSeconds: 30 }] },
    },
  },
  status: {
    currentReplicas: 2,
    desiredReplicas: 3,
    currentMetrics: [
      { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 20, averageValue: "100m" } } },
    ],
    conditions: [{ type: "AbleToScale", status: "True", lastTransitionTime: NOW }],
  },
});

describe("autoscalers in version v1", () => {
  const v1 = fromStored(rich as unknown as ApiObject, names);

  it("carry what they have no fields for in annotations", () => {
    expect(v1.spec.targetCPUUtilizationPercentage).toBe(70);
    expect(v1.status.currentCPUUtilizationPercentage).toBe(20);
    expect(Object.keys(v1.metadata.annotations ?? {}).sort()).toEqual([
      "autoscaling.alpha.kubernetes.io/behavior",
      "autoscaling.alpha.kubernetes.io/conditions",
      "autoscaling.alpha.kubernetes.io/current-metrics",
      "autoscaling.alpha.kubernetes.io/metrics",
      "mine",
    ]);
    expect(JSON.parse(v1.metadata.annotations!["autoscaling.alpha.kubernetes.io/metrics"]!)[0]).toEqual({
      type: "Pods",
      pods: { metricName: "rps", targetAverageValue: "1k", selector: { matchLabels: { a: "b" } } },
    });
  });

  it("lose nothing on the way to version v2 and back", () => {
    const stored = toStored(v1, names) as unknown as HorizontalPodAutoscaler;
    expect(stored).toEqual(rich);
    expect(fromStored(stored as unknown as ApiObject, names)).toEqual(v1);
  });

  it("are shown as those of version v2 in tables, wherever the use of CPU stands among the metrics", () => {
    const utilization = (name: string, averageUtilization: number, now: number) => ({
      spec: { type: "Resource", resource: { name, target: { type: "Utilization", averageUtilization } } },
      status: { type: "Resource", resource: { name, current: { averageUtilization: now } } },
    });
    const both = [utilization("cpu", 70, 20), utilization("memory", 80, 50)];
    const stored = completed(horizontalPodAutoscalerV2, {
      spec: { ...rich.spec, metrics: both.map(({ spec }) => spec) },
      status: { ...rich.status, currentMetrics: both.map(({ status }) => status) },
    } as Partial<HorizontalPodAutoscaler>);
    const read = { ...fromStored(stored as unknown as ApiObject, names) };
    const cells = (columns: readonly Column<never>[] | undefined, object: unknown) =>
      columns?.map(({ cell }) => (typeof cell === "function" ? cell(object as never, context) : cell));
    const shown = cells(horizontalPodAutoscalerV1.columns, read);
    expect(shown).toEqual(cells(horizontalPodAutoscalerV2.columns, stored));
    expect(shown).toContain("cpu: 20%/70%, memory: 50%/80%");
  });

  it("get the default metric of version v2 when they have none", () => {
    const plain = completed(horizontalPodAutoscalerV1, { spec: { maxReplicas: 1 } });
    const read = fromStored(toStored(plain, names), names);
    expect(read.spec.targetCPUUtilizationPercentage).toBe(80);
  });

  it.each(["", "{", "null", "[1]", '{"a":1}'])("drop annotations that cannot be read: %j", (text) => {
    const annotations = {
      "autoscaling.alpha.kubernetes.io/metrics": text,
      "autoscaling.alpha.kubernetes.io/conditions": text,
      "autoscaling.alpha.kubernetes.io/current-metrics": text,
    };
    const broken: AutoscalerV1 = { ...completed(horizontalPodAutoscalerV1, {}), metadata: { annotations } };
    const stored = toStored(broken, names) as unknown as HorizontalPodAutoscaler;
    expect(stored.metadata.annotations).toBeUndefined();
    expect(stored.spec.metrics).toHaveLength(1);
  });
});

describe("writes of autoscalers in version v1", () => {
  const status = {
    "autoscaling.alpha.kubernetes.io/conditions":
      '[{"type":"AbleToScale","status":"True","lastTransitionTime":"2026-01-02T03:04:05Z"}]',
  };
  const metrics = {
    "autoscaling.alpha.kubernetes.io/metrics":
      '[{"type":"Pods","pods":{"metricName":"rps","targetAverageValue":"1k"}}]',
  };
  const autoscaler = (annotations: Record<string, string>) =>
    completed(horizontalPodAutoscalerV1, { metadata: { annotations } });

  it("cannot set the parts of the status that are in annotations", () => {
    const fresh = autoscaler(status);
    horizontalPodAutoscalerV1.hooks?.prepareForCreate?.(fresh, context);
    expect(fresh.metadata.annotations).toBeUndefined();
    const updated = autoscaler({ ...metrics });
    horizontalPodAutoscalerV1.hooks?.prepareForUpdate?.(updated, autoscaler(status), context);
    expect(updated.metadata.annotations).toEqual({ ...metrics, ...status });
  });

  it("through the status endpoint cannot set the metrics", () => {
    const endpoint = horizontalPodAutoscalerV1.subresources!["status"]!;
    const written = autoscaler({ ...status, ...metrics });
    if (endpoint.type === "object") endpoint.prepareForUpdate(written, autoscaler({}), context);
    expect(written.metadata.annotations).toEqual(status);
  });
});

describe("events in their own group", () => {
  const conversion = event.storedAs!;
  const object: Event = completed(event, {
    metadata: { name: "e" },
    eventTime: "2026-01-02T03:04:05.000006Z",
    reportingController: "c",
    reportingInstance: "i",
    regarding: { kind: "Pod", name: "p" },
    note: "n",
    deprecatedCount: 2,
    deprecatedSource: { component: "x" },
    series: { count: 2, lastObservedTime: "2026-01-02T03:04:05.000006Z" },
  });

  it("are stored under the names of the core group", () => {
    expect(conversion.toStored(object, names)).toMatchObject({
      involvedObject: { kind: "Pod", name: "p" },
      message: "n",
      reportingComponent: "c",
      count: 2,
      source: { component: "x" },
    });
  });

  it("lose nothing on the way there and back", () => {
    expect(conversion.fromStored(conversion.toStored(object, names), names)).toEqual(object);
    const empty = completed(event, { metadata: { name: "e" } });
    expect(conversion.fromStored(conversion.toStored(empty, names), names)).toEqual(empty);
  });

  it("are complete objects of the core group", () => {
    const stored = conversion.toStored(object, names);
    expect(completed(coreEvent, structuredClone(stored) as never)).toEqual(stored);
  });
});
