// One look at a HorizontalPodAutoscaler: reads the scale of its target and its metrics, scales, and says what it saw.

import { cloneJson, equalJson } from "../../base/json.ts";
import type { Stored } from "../../client/informer.ts";
import type { MetricSpec } from "../../kinds/autoscaling/horizontal-pod-autoscaler/metric-source-schema.ts";
import type { MetricStatus } from "../../kinds/autoscaling/horizontal-pod-autoscaler/v2-status.ts";
import type { HorizontalPodAutoscaler } from "../../kinds/autoscaling/horizontal-pod-autoscaler-v2.ts";
import type { Scale } from "../../kinds/autoscaling/scale.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { type LabelSelector, parseLabelSelector } from "../../meta/label-selector.ts";
import { parseApiVersion } from "../../meta/object.ts";
import { timeOfMs } from "../../meta/time.ts";
import type { ControllerContext } from "../framework/controller.ts";
import type { ScalingAction, ScalingError } from "../framework/controller-metrics.ts";
import { errorWords } from "../pods-of-owner/error-words.ts";
import type { ScaleTargets } from "../scale-target/scale-targets.ts";
import { limitScaling } from "./limit-scaling.ts";
import type { MetricsApis } from "./metrics-apis.ts";
import { milliValue } from "./milli-value.ts";
import { type MetricContext, MetricError, type MetricProposal, readMetric } from "./read-metric.ts";
import type { ScalingHistory } from "./scaling-history.ts";

interface AutoscaleParts {
  readonly context: ControllerContext;
  readonly autoscaler: Stored<HorizontalPodAutoscaler>;
  readonly targets: ScaleTargets;
  readonly apis: MetricsApis;
  readonly history: ScalingHistory;
  readonly podsIn: (namespace: string) => readonly Stored<Pod>[];
  /** Other autoscalers whose pods are among these. */
  readonly othersOf: (pods: readonly Stored<Pod>[], selector: LabelSelector) => readonly string[];
}

type Status = HorizontalPodAutoscaler["status"];
type Condition = NonNullable<Status["conditions"]>[number];
type Outcome = { readonly replicas: number; readonly metrics: MetricStatus[]; readonly reason: string };

/** What an autoscaler says cannot be followed, whatever the metrics. */
class SpecError extends Error {}

export class Autoscale {
  readonly #parts: AutoscaleParts;
  #conditions: Condition[];
  #action: ScalingAction = "none";

  constructor(parts: AutoscaleParts) {
    this.#parts = parts;
    this.#conditions = cloneJson(parts.autoscaler.status.conditions ?? []);
  }

  /** Fails with what kept it from scaling, once that is said. */
  async run(): Promise<void> {
    const { clock, metrics } = this.#parts.context;
    const startMs = clock.monotonicMs();
    let error: ScalingError = "internal";
    try {
      await this.#look();
      error = "none";
    } catch (failure) {
      if (failure instanceof SpecError) error = "spec";
      throw failure;
    } finally {
      metrics.autoscalerLooked(this.#action, error, (clock.monotonicMs() - startMs) / 1000);
    }
  }

  async #look(): Promise<void> {
    const { context, autoscaler, history } = this.#parts;
    const { spec, status } = autoscaler;
    const nowMs = context.clock.nowMs();
    const monotonicMs = context.clock.monotonicMs();
    const scale = await this.#readScale();
    const current = scale.spec.replicas ?? 0;
    if (history.recommendations.length === 0) history.recommend(current, monotonicMs);
    const before = { currentReplicas: current, desiredReplicas: status.desiredReplicas };
    let outcome: Outcome;
    let failure: Error | undefined;
    const min = spec.minReplicas ?? 1;
    if (current === 0 && min !== 0) {
      const message = "scaling is disabled since the replica count of the target is zero";
      this.#say("ScalingActive", false, "ScalingDisabled", message);
      outcome = { replicas: current, metrics: [], reason: "" };
    } else if (current > spec.maxReplicas) {
      outcome = {
        replicas: spec.maxReplicas,
        metrics: [],
        reason: "Current number of replicas above Spec.MaxReplicas",
      };
    } else if (current < min) {
      outcome = { replicas: min, metrics: [], reason: "Current number of replicas below Spec.MinReplicas" };
    } else {
      const asked = await this.#ask(scale);
      failure = asked.failure;
      if (asked.proposal === undefined) {
        await this.#write({ ...before, currentMetrics: asked.metrics });
        const error = failure ?? new Error("there is no metric to scale by");
        context.events.warning(autoscaler, "FailedComputeMetricsReplicas", error.message);
        throw error;
      }
      outcome = this.#limit(current, asked.proposal, asked.metrics);
    }
    const { replicas, metrics, reason } = outcome;
    const rescales = replicas !== current;
    if (rescales) {
      await this.#rescale(replicas, reason).catch(async (error: unknown) => {
        await this.#write({ ...before, currentMetrics: metrics });
        throw error;
      });
      this.#action = actionOf(replicas, current);
      history.scaled(replicas - current, monotonicMs);
    }
    await this.#write({
      currentReplicas: current,
      desiredReplicas: replicas,
      currentMetrics: metrics,
      ...(rescales ? { lastScaleTime: timeOfMs(nowMs) } : {}),
    });
    if (failure !== undefined) throw failure;
  }

  async #readScale(): Promise<Stored<Scale>> {
    const { context, autoscaler, targets } = this.#parts;
    const { namespace = "" } = autoscaler.metadata;
    const { apiVersion = "v1", kind, name } = autoscaler.spec.scaleTargetRef;
    try {
      const resource = await targets.find({ apiVersion, kind });
      if (resource === undefined) throw new SpecError(noSuchKind(apiVersion, kind));
      const scale = await targets.scaleOf(resource, namespace).get(name);
      this.#say(
        "AbleToScale",
        true,
        "SucceededGetScale",
        "the HPA controller was able to get the target's current scale",
      );
      return scale;
    } catch (error) {
      const words = errorWords(error);
      context.events.warning(autoscaler, "FailedGetScale", words);
      const message = `the HPA controller was unable to get the target's current scale: ${words}`;
      this.#say("AbleToScale", false, "FailedGetScale", message);
      const { conditions: _conditions, ...seen } = autoscaler.status;
      await this.#write(seen);
      throw error;
    }
  }

  /** What all metrics ask for together: the most. No proposal when none can be read, or when a doubt speaks for fewer. */
  async #ask(scale: Stored<Scale>): Promise<{ proposal?: MetricProposal; metrics: MetricStatus[]; failure?: Error }> {
    const { context, autoscaler } = this.#parts;
    const specs = autoscaler.spec.metrics ?? [];
    const selected = this.#select(scale);
    if (selected instanceof Error) return { metrics: [], failure: selected };
    const metrics: MetricStatus[] = [];
    const failures: MetricError[] = [];
    let proposal: MetricProposal | undefined;
    for (const spec of specs) {
      try {
        const read = await this.#readMetric(spec, selected);
        metrics.push(read.status);
        if (proposal === undefined || read.replicas > proposal.replicas) proposal = read;
      } catch (error) {
        if (!(error instanceof MetricError)) throw error;
        context.events.warning(autoscaler, error.reason, error.detail);
        failures.push(error);
        // Every metric keeps its place in the list.
        metrics.push({ type: "" });
      }
    }
    const [first] = failures;
    if (first === undefined && proposal !== undefined) {
      this.#sayActive(proposal);
      return { proposal, metrics };
    }
    const words = `invalid metrics (${failures.length} invalid out of ${specs.length}), first error is: ${first?.message}`;
    const failure = new Error(words);
    if (proposal === undefined || proposal.replicas < (scale.spec.replicas ?? 0)) {
      const message = `the HPA was unable to compute the replica count: ${first?.detail}`;
      this.#say("ScalingActive", false, first?.reason ?? "InvalidMetricSourceType", message);
      return { metrics, failure };
    }
    this.#sayActive(proposal);
    return { proposal, metrics, failure };
  }

  async #readMetric(spec: MetricSpec, selected: MetricContext): Promise<MetricProposal> {
    const { clock, metrics } = this.#parts.context;
    const startMs = clock.monotonicMs();
    let read: MetricProposal | undefined;
    try {
      read = await readMetric(spec, selected);
      return read;
    } finally {
      const action = read === undefined ? "none" : actionOf(read.replicas, selected.specReplicas);
      const seconds = (clock.monotonicMs() - startMs) / 1000;
      metrics.autoscalerMetricRead(action, read === undefined ? "internal" : "none", spec.type, seconds);
    }
  }

  #sayActive({ name }: MetricProposal): void {
    const message = `the HPA was able to successfully calculate a replica count from ${name}`;
    this.#say("ScalingActive", true, "ValidMetricFound", message);
  }

  /** The pods of the target, which must be this autoscaler's alone. */
  #select(scale: Stored<Scale>): MetricContext | Error {
    const { context, autoscaler, podsIn, othersOf, apis, targets } = this.#parts;
    const { events, clock, options } = context;
    const { namespace = "" } = autoscaler.metadata;
    const text = scale.status.selector ?? "";
    const refuse = (event: string, reason: string, words: string, message = words): Error => {
      events.warning(autoscaler, event, words);
      this.#say("ScalingActive", false, reason, message);
      return new SpecError(words);
    };
    if (text === "") {
      const message = "the HPA target's scale is missing a selector";
      return refuse("SelectorRequired", "InvalidSelector", "selector is required", message);
    }
    let selector: LabelSelector;
    try {
      selector = parseLabelSelector(text);
    } catch (error) {
      const words = `couldn't convert selector into a corresponding internal selector object: ${errorWords(error)}`;
      return refuse("InvalidSelector", "InvalidSelector", words);
    }
    const pods = podsIn(namespace).filter(({ metadata }) => selector.matches(metadata.labels));
    const others = othersOf(pods, selector);
    if (others.length > 0) {
      const all = [`${namespace}/${autoscaler.metadata.name}`, ...others].join(" ");
      const words = `pods by selector ${text} are controlled by multiple HPAs: [${all}]`;
      return refuse("AmbiguousSelector", "AmbiguousSelector", words);
    }
    const { behavior } = autoscaler.spec;
    const toleranceOf = (own: string | undefined) =>
      own === undefined ? options.horizontalPodAutoscalerTolerance : (milliValue(own) ?? 0) / 1_000;
    return {
      apis,
      targets,
      namespace,
      selector: text,
      pods,
      specReplicas: scale.spec.replicas ?? 0,
      statusReplicas: scale.status.replicas,
      tolerances: {
        up: toleranceOf(behavior?.scaleUp?.tolerance),
        down: toleranceOf(behavior?.scaleDown?.tolerance),
      },
      startTimes: {
        cpuInitializationMs: options.horizontalPodAutoscalerCpuInitializationPeriodMs,
        initialReadinessMs: options.horizontalPodAutoscalerInitialReadinessDelayMs,
      },
      nowMs: clock.nowMs(),
    };
  }

  #limit(current: number, proposal: MetricProposal, metrics: MetricStatus[]): Outcome {
    const { context, autoscaler, history } = this.#parts;
    const { minReplicas: min = 1, maxReplicas: max, behavior } = autoscaler.spec;
    const downWindowSeconds = context.options.horizontalPodAutoscalerDownscaleStabilizationMs / 1_000;
    const request = { current, desired: proposal.replicas, min, max, behavior, downWindowSeconds };
    const { replicas, steadied, limited, limit } = limitScaling(request, history, context.clock.monotonicMs());
    this.#say("AbleToScale", true, steadied.reason, steadied.message);
    this.#say("ScalingLimited", limited, limit.reason, limit.message);
    const above = proposal.replicas > current;
    return { replicas, metrics, reason: above ? `${proposal.name} above target` : "All metrics below target" };
  }

  async #rescale(replicas: number, reason: string): Promise<void> {
    const { context, autoscaler, targets } = this.#parts;
    const { namespace = "" } = autoscaler.metadata;
    const { apiVersion = "v1", kind, name } = autoscaler.spec.scaleTargetRef;
    try {
      const resource = await targets.find({ apiVersion, kind });
      if (resource === undefined) throw new Error(noSuchKind(apiVersion, kind));
      // What else changed of the target meanwhile is no reason to wait for the next look.
      await targets.scaleOf(resource, namespace).modify(name, (scale) => {
        scale.spec.replicas = replicas;
      });
    } catch (error) {
      const words = errorWords(error);
      const message = `New size: ${replicas}; reason: ${reason}; error: ${words}`;
      context.events.warning(autoscaler, "FailedRescale", message);
      const said = `the HPA controller was unable to update the target scale: ${words}`;
      this.#say("AbleToScale", false, "FailedUpdateScale", said);
      throw error;
    }
    const said = `the HPA controller was able to update the target scale to ${replicas}`;
    this.#say("AbleToScale", true, "SucceededRescale", said);
    context.events.normal(autoscaler, "SuccessfulRescale", `New size: ${replicas}; reason: ${reason}`);
  }

  #say(type: string, holds: boolean, reason: string, message: string): void {
    const status = holds ? "True" : "False";
    const known = this.#conditions.find((each) => each.type === type);
    const now = timeOfMs(this.#parts.context.clock.nowMs());
    const lastTransitionTime = known?.status === status ? known.lastTransitionTime : now;
    const said = { type, status, lastTransitionTime, reason, message };
    this.#conditions =
      known === undefined
        ? [...this.#conditions, said]
        : this.#conditions.map((each) => (each === known ? said : each));
  }

  async #write(seen: Omit<Status, "conditions">): Promise<void> {
    const { context, autoscaler } = this.#parts;
    const { lastScaleTime } = autoscaler.status;
    const status: Status = {
      ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
      ...seen,
      conditions: this.#conditions,
    };
    if (sameStatus(status, autoscaler.status)) return;
    const autoscalers = context.client.autoscaling.v2.horizontalPodAutoscalers(autoscaler.metadata.namespace);
    await autoscalers.status.update({ ...cloneJson(autoscaler), status });
  }
}

function noSuchKind(apiVersion: string, kind: string): string {
  return `no matches for kind "${kind}" in group "${parseApiVersion(apiVersion)?.group ?? ""}"`;
}

function actionOf(replicas: number, current: number): ScalingAction {
  if (replicas === current) return "none";
  return replicas > current ? "scale_up" : "scale_down";
}

/** A list that is not there is empty, a count 0. */
function sameStatus(a: Status, b: Status): boolean {
  const whole = (status: Status) => ({
    ...status,
    currentReplicas: status.currentReplicas ?? 0,
    currentMetrics: status.currentMetrics ?? [],
    conditions: status.conditions ?? [],
  });
  return equalJson(whole(a), whole(b));
}
