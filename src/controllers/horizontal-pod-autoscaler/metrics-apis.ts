// Reads metrics where others serve them: use of resources by pods, metrics of pods and objects, metrics from outside.
// What they answer is not ours: only what has the right shape is taken.

import { isObject, type JsonObject } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import type { Client } from "../../client/client.ts";
import { durationMs } from "../../meta/duration.ts";
import { errorWords } from "../pods-of-owner/error-words.ts";
import { milliValue } from "./milli-value.ts";
import type { PodMetric, PodMetrics } from "./pod-groups.ts";

export interface MetricQuery {
  readonly namespace: string;
  readonly metric: string;
  /** As text; empty for all. */
  readonly metricSelector: string;
}

const DEFAULT_WINDOW_MS = 60_000;
const CUSTOM_VERSIONS = ["v1beta2", "v1beta1"] as const;

export class MetricsApis {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Use of a resource by pods, or by the container of each that is named. */
  async resource(
    namespace: string,
    selector: string,
    { resource, container }: { readonly resource: string; readonly container: string | undefined },
  ): Promise<PodMetrics> {
    const group = this.#client.names.metricsGroup;
    const path = `/apis/${group}/v1beta1/namespaces/${namespace}/pods?${query({ labelSelector: selector })}`;
    const items = await this.#items("resource", path, `pods.${group}`);
    if (items.length === 0) throw new Error("no metrics returned from resource metrics API");
    const metrics = new Map<string, PodMetric>();
    for (const item of items) {
      const name = nameOf(item["metadata"]);
      const containers = Array.isArray(item["containers"]) ? item["containers"].filter(isObject) : [];
      const counted = container === undefined ? containers : containers.filter((each) => each["name"] === container);
      const values = counted.map(({ usage }) => (isObject(usage) ? milliValue(usage[resource]) : undefined));
      // A pod of which a part is unknown is unknown.
      if (name === undefined || values.length === 0 || values.includes(undefined)) continue;
      const value = values.reduce<number>((sum, each) => sum + (each ?? 0), 0);
      metrics.set(name, {
        value,
        atMs: timeOf(item),
        windowMs: durationMs(String(item["window"])) ?? DEFAULT_WINDOW_MS,
      });
    }
    return metrics;
  }

  /** A metric that every pod reports. */
  async pods({ namespace, metric, metricSelector }: MetricQuery, selector: string): Promise<PodMetrics> {
    const tail = `namespaces/${namespace}/pods/*/${encodeURIComponent(metric)}`;
    const items = await this.#custom(tail, { labelSelector: selector, metricLabelSelector: metricSelector });
    if (items.length === 0) throw new Error("no metrics returned from custom metrics API");
    const metrics = new Map<string, PodMetric>();
    for (const item of items) {
      const name = nameOf(item["describedObject"]);
      const value = milliValue(item["value"]);
      if (name === undefined || value === undefined) continue;
      const { windowSeconds } = item;
      const windowMs = typeof windowSeconds === "number" ? windowSeconds * 1_000 : DEFAULT_WINDOW_MS;
      metrics.set(name, { value, atMs: timeOf(item), windowMs });
    }
    return metrics;
  }

  /** A metric of one object; `resource` is its plural with its group, undefined for the namespace itself. In thousandths. */
  async object({ namespace, metric, metricSelector }: MetricQuery, resource: string | undefined, name: string) {
    const object = resource === undefined ? "metrics" : `${resource}/${encodeURIComponent(name)}`;
    const tail = `namespaces/${namespace}/${object}/${encodeURIComponent(metric)}`;
    const [item] = await this.#custom(tail, { metricLabelSelector: metricSelector });
    const value = milliValue(item?.["value"]);
    if (value === undefined) throw new Error("the custom metrics API server returned no value");
    return value;
  }

  /** The sum over all series of a metric from outside, in thousandths. */
  async external({ namespace, metric, metricSelector }: MetricQuery): Promise<number> {
    const group = this.#client.names.externalMetricsGroup;
    const path = `/apis/${group}/v1beta1/namespaces/${namespace}/${encodeURIComponent(metric)}`;
    const items = await this.#items(
      "external",
      `${path}?${query({ labelSelector: metricSelector })}`,
      `${metric}.${group}`,
    );
    if (items.length === 0) throw new Error("no metrics returned from external metrics API");
    return items.reduce((sum, item) => sum + (milliValue(item["value"]) ?? 0), 0);
  }

  /** Of the versions that there may be, the first that knows the metric. */
  async #custom(tail: string, parameters: Readonly<Record<string, string>>): Promise<JsonObject[]> {
    const group = this.#client.names.customMetricsGroup;
    const paths = CUSTOM_VERSIONS.map((version) => `/apis/${group}/${version}/${tail}?${query(parameters)}`);
    try {
      return await this.#items("custom", paths[0]!);
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      if (!isApiError(cause, "NotFound")) throw error;
      return this.#items("custom", paths[1]!);
    }
  }

  async #items(what: string, path: string, resource?: string): Promise<JsonObject[]> {
    let answer: unknown;
    try {
      answer = await this.#client.request("GET", path);
    } catch (error) {
      // An API that nobody serves is told by the path that was asked for.
      const words = errorWords(error);
      const asked = words === NOT_SERVED && resource !== undefined ? ` (get ${resource})` : "";
      const message = `unable to fetch metrics from ${what} metrics API: ${words}${asked}`;
      throw new Error(message, { cause: error });
    }
    const items = isObject(answer) ? answer["items"] : undefined;
    return Array.isArray(items) ? items.filter(isObject) : [];
  }
}

const NOT_SERVED = "the server could not find the requested resource";

function query(parameters: Readonly<Record<string, string>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== "");
  return given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
}

function nameOf(reference: unknown): string | undefined {
  const name = isObject(reference) ? reference["name"] : undefined;
  return typeof name === "string" ? name : undefined;
}

function timeOf({ timestamp }: JsonObject): number {
  const ms = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(ms) ? 0 : ms;
}
