// How far a workload has come with its newest template, in the words that people know from kubectl. Pure.

import type { JsonObject } from "../base/json.ts";
import { itemsAt, memberOf, numberAt } from "./json-members.ts";

export type Progress = { readonly type: "done" | "waiting" | "failed"; readonly message: string };

export function rolloutProgress(kind: string, object: JsonObject): Progress {
  const { name, generation } = memberOf(object, "metadata");
  const spec = memberOf(object, "spec");
  const status = memberOf(object, "status");
  const view: View = {
    name: String(name ?? ""),
    spec,
    status,
    isObserved: Number(status["observedGeneration"] ?? 0) >= Number(generation ?? 0),
  };
  switch (kind) {
    case "Deployment":
      return ofDeployment(view);
    case "DaemonSet":
      return ofDaemonSet(view);
    case "StatefulSet":
      return ofStatefulSet(view);
    default:
      return { type: "failed", message: `no status viewer has been implemented for ${kind}` };
  }
}

interface View {
  readonly name: string;
  readonly spec: JsonObject;
  readonly status: JsonObject;
  readonly isObserved: boolean;
}

const waiting = (message: string): Progress => ({ type: "waiting", message });

function ofDeployment({ name, spec, status, isObserved }: View): Progress {
  if (!isObserved) return waiting("Waiting for deployment spec update to be observed...");
  const late = itemsAt(status, "conditions").find(({ type }) => type === "Progressing");
  if (late?.["reason"] === "ProgressDeadlineExceeded")
    return { type: "failed", message: `deployment ${JSON.stringify(name)} exceeded its progress deadline` };
  const wanted = numberAt(spec, "replicas", 1);
  const updated = numberAt(status, "updatedReplicas");
  const all = numberAt(status, "replicas");
  const available = numberAt(status, "availableReplicas");
  const begin = `Waiting for deployment ${JSON.stringify(name)} rollout to finish:`;
  if (updated < wanted) return waiting(`${begin} ${updated} out of ${wanted} new replicas have been updated...`);
  if (all > updated) return waiting(`${begin} ${all - updated} old replicas are pending termination...`);
  if (available < updated) return waiting(`${begin} ${available} of ${updated} updated replicas are available...`);
  return { type: "done", message: `deployment ${JSON.stringify(name)} successfully rolled out` };
}

function ofDaemonSet({ name, spec, status, isObserved }: View): Progress {
  if (memberOf(spec, "updateStrategy")["type"] === "OnDelete")
    return { type: "failed", message: "rollout status is only available for RollingUpdate strategy type" };
  if (!isObserved) return waiting("Waiting for daemon set spec update to be observed...");
  const wanted = numberAt(status, "desiredNumberScheduled");
  const updated = numberAt(status, "updatedNumberScheduled");
  const available = numberAt(status, "numberAvailable");
  const begin = `Waiting for daemon set ${JSON.stringify(name)} rollout to finish:`;
  if (updated < wanted) return waiting(`${begin} ${updated} out of ${wanted} new pods have been updated...`);
  if (available < wanted) return waiting(`${begin} ${available} of ${wanted} updated pods are available...`);
  return { type: "done", message: `daemon set ${JSON.stringify(name)} successfully rolled out` };
}

function ofStatefulSet({ spec, status, isObserved }: View): Progress {
  const strategy = memberOf(spec, "updateStrategy");
  if (strategy["type"] === "OnDelete")
    return { type: "failed", message: "rollout status is only available for RollingUpdate strategy type" };
  if (!isObserved) return waiting("Waiting for statefulset spec update to be observed...");
  const wanted = numberAt(spec, "replicas", 1);
  const ready = numberAt(status, "readyReplicas");
  const updated = numberAt(status, "updatedReplicas");
  if (ready < wanted) return waiting(`Waiting for ${wanted - ready} pods to be ready...`);
  const partition = numberAt(memberOf(strategy, "rollingUpdate"), "partition");
  if (partition > 0) {
    const fresh = wanted - partition;
    return updated < fresh
      ? waiting(`Waiting for partitioned roll out to finish: ${updated} out of ${fresh} new pods have been updated...`)
      : { type: "done", message: `partitioned roll out complete: ${updated} new pods have been updated...` };
  }
  const [current, update] = [status["currentRevision"], status["updateRevision"]].map(String);
  if (current !== update)
    return waiting(`waiting for statefulset rolling update to complete ${updated} pods at revision ${update}...`);
  return {
    type: "done",
    message: `statefulset rolling update complete ${numberAt(status, "currentReplicas")} pods at revision ${current}...`,
  };
}
