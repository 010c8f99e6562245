// One metric of an autoscaler: reads it, and says how many replicas it asks for and how it stands.

import type { Stored } from "../../client/informer.ts";
import type {
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
} from "../../kinds/autoscaling/horizontal-pod-autoscaler/metric-source-schema.ts";
import type { MetricStatus, MetricValueStatus } from "../../kinds/autoscaling/horizontal-pod-autoscaler/v2-status.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { type LabelSelectorObject, selectorFromObject } from "../../meta/label-selector.ts";
import { parseApiVersion } from "../../meta/object.ts";
import { selectorStruct } from "../../meta/selector-struct.ts";
import { errorWords } from "../pods-of-owner/error-words.ts";
import { isReady } from "../pods-of-owner/pod-state.ts";
import type { ScaleTargets } from "../scale-target/scale-targets.ts";
import type { MetricQuery, MetricsApis } from "./metrics-apis.ts";
import { milliQuantity, milliValue } from "./milli-value.ts";
import { groupPods, type StartTimes } from "./pod-groups.ts";
import { podRequests } from "./pod-requests.ts";
import {
  averageRule,
  proposeByPods,
  proposeByRatio,
  proposeByShare,
  type Tolerances,
  utilizationRule,
} from "./propose-replicas.ts";

export interface MetricContext {
  readonly apis: MetricsApis;
  readonly targets: ScaleTargets;
  readonly namespace: string;
  /** Of the pods, as the target states it. */
  readonly selector: string;
  /** The pods that it selects. */
  readonly pods: readonly Stored<Pod>[];
  /** As many as the target is asked to have, and as it has. */
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly tolerances: Tolerances;
  readonly startTimes: StartTimes;
  readonly nowMs: number;
}

export interface MetricProposal {
  readonly replicas: number;
  /** As events and conditions name it. */
  readonly name: string;
  readonly status: MetricStatus;
}

/** Why a metric could not be read. */
export class MetricError extends Error {
  /** Of the condition ScalingActive. */
  readonly reason: string;
  /** What the condition says. */
  readonly detail: string;

  constructor(reason: string, attempt: string, cause: unknown) {
    const detail = errorWords(cause);
    super(`${attempt}: ${detail}`, { cause });
    this.reason = reason;
    this.detail = detail;
  }
}

/** Fails with MetricError. */
export async function readMetric(metric: MetricSpec, context: MetricContext): Promise<MetricProposal> {
  const { resource, containerResource, pods, object, external } = metric;
  if (metric.type === "Resource" && resource) {
    return failing("FailedGetResourceMetric", `failed to get ${resource.name} resource metric value`, async () => {
      const { replicas, name, current } = await byResource(resource, undefined, context);
      return { replicas, name, status: { type: metric.type, resource: { name: resource.name, current } } };
    });
  }
  if (metric.type === "ContainerResource" && containerResource) {
    const { container } = containerResource;
    return failing(
      "FailedGetContainerResourceMetric",
      `failed to get ${container} container metric value`,
      async () => {
        const { replicas, name, current } = await byResource(containerResource, container, context);
        const status = { name: containerResource.name, container, current };
        return { replicas, name, status: { type: metric.type, containerResource: status } };
      },
    );
  }
  if (metric.type === "Pods" && pods) {
    return failing("FailedGetPodsMetric", "failed to get pods metric value", async () => {
      const measured = await saying(`unable to get metric ${pods.metric.name}: `, () =>
        context.apis.pods(queryOf(pods.metric, context), context.selector),
      );
      const rule = averageRule(targetOf(pods.target.averageValue));
      const { replicas, usage } = proposeByPods(
        groupsOf(measured, undefined, context),
        rule,
        context.specReplicas,
        context.tolerances,
      );
      const current = { averageValue: milliQuantity(usage.average) };
      const name = `pods metric ${pods.metric.name}`;
      return { replicas, name, status: { type: metric.type, pods: { metric: pods.metric, current } } };
    });
  }
  if (metric.type === "Object" && object) {
    const { describedObject, metric: named, target } = object;
    const shared = target.averageValue !== undefined;
    const attempt = `failed to get object metric value${shared ? `: failed to get ${named.name} object metric` : ""}`;
    return failing("FailedGetObjectMetric", attempt, async () => {
      // Users know these words in this order.
      const asked = `unable to get metric ${named.name}: ${describedObject.kind} on ${context.namespace} ${describedObject.name}/`;
      const value = await saying(asked, async () => {
        const resource = await resourceOf(describedObject, context);
        return context.apis.object(queryOf(named, context), resource, describedObject.name);
      });
      const { replicas, current } = byWhole(value, target, context);
      const name = shared ? outsideName(named) : `${describedObject.kind} metric ${named.name}`;
      return {
        replicas,
        name,
        status: { type: metric.type, object: { describedObject, metric: named, current } },
      };
    });
  }
  if (metric.type === "External" && external) {
    const { metric: named, target } = external;
    const what = target.averageValue === undefined ? `external metric ${named.name}` : `${named.name} external metric`;
    const attempt = `failed to get ${named.name} external metric value: failed to get ${what}`;
    return failing("FailedGetExternalMetric", attempt, async () => {
      const asked = `unable to get external metric ${context.namespace}/${named.name}/${selectorStruct(named.selector)}: `;
      const value = await saying(asked, () => context.apis.external(queryOf(named, context)));
      const { replicas, current } = byWhole(value, target, context);
      const name = outsideName(named);
      return { replicas, name, status: { type: metric.type, external: { metric: named, current } } };
    });
  }
  throw new MetricError(
    "InvalidMetricSourceType",
    "failed to get metric value",
    new Error(`unknown metric source type "${metric.type}"`),
  );
}

async function failing(reason: string, attempt: string, read: () => Promise<MetricProposal>): Promise<MetricProposal> {
  try {
    return await read();
  } catch (error) {
    throw new MetricError(reason, attempt, error);
  }
}

interface Proposal {
  readonly replicas: number;
  readonly current: MetricValueStatus;
}

/** By share of what pods request, or by average use; a failure says by which. */
async function byResource(
  metric: { readonly name: string; readonly target: MetricTarget },
  container: string | undefined,
  context: MetricContext,
): Promise<Proposal & { readonly name: string }> {
  const what = metric.target.averageValue === undefined ? "utilization" : "usage";
  return saying(`failed to get ${metric.name} ${what}: `, () => byResourceOf(metric, container, context));
}

/** Says what was tried when it fails. */
async function saying<T>(what: string, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    throw new Error(`${what}${errorWords(error)}`, { cause: error });
  }
}

async function byResourceOf(
  { name: resource, target }: { readonly name: string; readonly target: MetricTarget },
  container: string | undefined,
  context: MetricContext,
): Promise<Proposal & { readonly name: string }> {
  const { apis, namespace, selector, specReplicas, tolerances } = context;
  const measured = await saying(`unable to get metrics for resource ${resource}: `, () =>
    apis.resource(namespace, selector, { resource, container }),
  );
  const groups = groupsOf(measured, resource, context);
  const byPercent = target.averageValue === undefined;
  if (byPercent && target.averageUtilization === undefined) throw new Error(NO_RESOURCE_TARGET);
  const rule = byPercent
    ? utilizationRule(podRequests(context.pods, resource, container), target.averageUtilization ?? 0)
    : averageRule(targetOf(target.averageValue));
  const { replicas, usage } = proposeByPods(groups, rule, specReplicas, tolerances);
  const { utilization, average } = usage;
  const what = container === undefined ? "resource" : "container resource";
  return {
    replicas,
    name: byPercent ? `${resource} ${what} utilization (percentage of request)` : `${resource} resource`,
    current: {
      ...(utilization === undefined ? {} : { averageUtilization: utilization }),
      averageValue: milliQuantity(average, resource === "memory" ? "BinarySI" : "DecimalSI"),
    },
  };
}

const NO_RESOURCE_TARGET =
  "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set";

/** One value for all replicas: as it is, or shared among them. */
function byWhole(value: number, target: MetricTarget, context: MetricContext): Proposal {
  const { specReplicas, statusReplicas, tolerances, pods } = context;
  if (target.averageValue !== undefined) {
    const replicas = proposeByShare(value, targetOf(target.averageValue), statusReplicas, tolerances);
    return { replicas, current: { averageValue: milliQuantity(Math.ceil(value / Math.max(1, statusReplicas))) } };
  }
  if (target.value === undefined) throw new Error("neither a value target nor an average value target was set");
  const readyPods = () => {
    if (pods.length === 0) throw new Error(`unable to calculate ready pods: ${NO_PODS}`);
    return pods.filter((pod) => pod.status.phase === "Running" && isReady(pod)).length;
  };
  const replicas = proposeByRatio(value / targetOf(target.value), specReplicas, readyPods, tolerances);
  return { replicas, current: { value: milliQuantity(value) } };
}

function groupsOf(measured: Parameters<typeof groupPods>[1], resource: string | undefined, context: MetricContext) {
  if (context.pods.length === 0) throw new Error(NO_PODS);
  return groupPods(context.pods, measured, resource, context.nowMs, context.startTimes);
}

const NO_PODS = "no pods returned by selector while calculating replica count";

/** Above 0: nothing can be divided by another. */
function targetOf(quantity: unknown): number {
  const target = milliValue(quantity);
  if (target === undefined || target <= 0) throw new Error("the target is not a quantity above 0");
  return target;
}

/** A metric whose whole value is shared, as it is named. */
const outsideName = ({ name, selector }: MetricIdentifier) => `external metric ${name}(${selectorStruct(selector)})`;

const selectorOf = ({ selector }: MetricIdentifier) => selectorFromObject((selector ?? {}) as LabelSelectorObject);

function queryOf(metric: MetricIdentifier, { namespace }: MetricContext): MetricQuery {
  return { namespace, metric: metric.name, metricSelector: selectorOf(metric).text };
}

/** As the metrics API names it: the plural with its group. Undefined for the namespace itself. */
async function resourceOf(
  { apiVersion = "v1", kind }: { readonly apiVersion?: string; readonly kind: string },
  { targets }: MetricContext,
): Promise<string | undefined> {
  const found = await targets.find({ apiVersion, kind });
  if (found === undefined) {
    const group = parseApiVersion(apiVersion)?.group ?? "";
    const kindAndGroup = group === "" ? kind : `${kind}.${group}`;
    throw new Error(
      `unable to fetch metrics from custom metrics API: unable to map kind ${kindAndGroup} to resource: ` +
        `no matches for kind "${kind}" in group "${group}"`,
    );
  }
  if (found.group === "" && found.resource === "namespaces") return undefined;
  return found.group === "" ? found.resource : `${found.resource}.${found.group}`;
}
