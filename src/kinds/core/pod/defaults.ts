// Defaults of pods and of everything inside a pod template.

import { Pace, type Steps } from "../../../base/steps.ts";
import type { HookContext, Work } from "../../define-kind.ts";
import { roundResourceList } from "../resource-list.ts";
import { defaultVolume } from "../volumes/volume-defaults.ts";
import type { Container } from "./container.ts";
import type { EnvVar } from "./env.ts";
import type { EphemeralContainer } from "./ephemeral-container.ts";
import { defaultPullPolicy } from "./image-tag.ts";
import type { Lifecycle, Probe } from "./probe.ts";
import { defaultPodLimits, defaultPodRequests, requestsFromLimits } from "./resources.ts";
import type { Pod } from "./schema.ts";
import type { PodSpec } from "./spec.ts";
import type { PodTemplateSpec } from "./template-schema.ts";

/** Of the whole Pod: what a template leaves open until it becomes one. */
export function defaultPod(pod: Pod, context: HookContext): Work {
  const filling = defaultPodSpec(pod.spec, context);
  return filling === undefined ? completePod(pod, context) : completeLongPod(filling, pod, context);
}

function* completeLongPod(filling: Steps<void>, pod: Pod, context: HookContext): Steps<void> {
  yield* filling;
  yield;
  completePod(pod, context);
}

function completePod(pod: Pod, context: HookContext): void {
  const containers = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])];
  for (const container of containers) requestsFromLimits(container.resources);
  if (context.gateEnabled("PodLevelResources")) {
    defaultPodLimits(pod.spec);
    defaultPodRequests(pod.spec);
  }
  pod.spec.enableServiceLinks ??= true;
  if ((pod.spec.terminationGracePeriodSeconds ?? 0) < 0) pod.spec.terminationGracePeriodSeconds = 1;
  if (pod.spec.hostNetwork) {
    for (const port of containers.flatMap(({ ports = [] }) => ports)) port.hostPort ||= port.containerPort;
  }
  defaultPodStatus(pod.status);
}

/** To be done last: of very many containers it is not done yet. */
export function defaultPodTemplate(template: PodTemplateSpec, context: HookContext): Work {
  return defaultPodSpec(template.spec, context);
}

/** So many containers get their defaults in one step. */
const CONTAINERS_PER_STEP = 500;

function defaultPodSpec(spec: PodSpec, context: HookContext): Steps<void> | undefined {
  spec.dnsPolicy ||= "ClusterFirst";
  spec.restartPolicy ||= "Always";
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ||= "default-scheduler";
  mirrorServiceAccount(spec);
  roundResourceList(spec.overhead);
  roundResourceList(spec.resources?.limits);
  roundResourceList(spec.resources?.requests);
  for (const volume of spec.volumes ?? []) defaultVolume(volume, context);
  for (const container of spec.initContainers ?? []) defaultContainer(container);
  for (const container of spec.ephemeralContainers ?? []) defaultContainer(container);
  const containers = spec.containers ?? [];
  if (containers.length > CONTAINERS_PER_STEP) return defaultManyContainers(containers);
  for (const container of containers) defaultContainer(container);
  return undefined;
}

function* defaultManyContainers(containers: readonly Container[]): Steps<void> {
  const pace = new Pace(CONTAINERS_PER_STEP);
  for (const container of containers) {
    if (pace.due()) yield;
    defaultContainer(container);
  }
}

// Two names for one field: the old one is kept for old clients.
function mirrorServiceAccount(spec: PodSpec): void {
  const account = spec.serviceAccountName || spec.serviceAccount;
  if (!account) return;
  spec.serviceAccountName = account;
  spec.serviceAccount = account;
}

function defaultContainer(container: Container | EphemeralContainer): void {
  container.imagePullPolicy ||= defaultPullPolicy(container.image);
  container.terminationMessagePath ||= "/dev/termination-log";
  container.terminationMessagePolicy ||= "File";
  roundResourceList(container.resources.limits);
  roundResourceList(container.resources.requests);
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) defaultProbe(probe);
  defaultLifecycle(container.lifecycle);
  for (const variable of container.env ?? []) defaultVariable(variable);
}

function defaultProbe(probe: Probe | undefined): void {
  if (!probe) return;
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  defaultHttpGet(probe.httpGet);
}

function defaultLifecycle(lifecycle: Lifecycle | undefined): void {
  defaultHttpGet(lifecycle?.postStart?.httpGet);
  defaultHttpGet(lifecycle?.preStop?.httpGet);
}

function defaultHttpGet(action: Probe["httpGet"]): void {
  if (!action) return;
  action.path ||= "/";
  action.scheme ||= "HTTP";
}

function defaultVariable(variable: EnvVar): void {
  const field = variable.valueFrom?.fieldRef;
  if (field) field.apiVersion ||= "v1";
}

// The first of several addresses also stands alone, for old clients.
function defaultPodStatus(status: Pod["status"]): void {
  const first = status.podIPs?.[0]?.ip;
  if (status.podIP && status.podIP !== first) status.podIPs = [{ ip: status.podIP }];
  else if (!status.podIP && first) status.podIP = first;
}
