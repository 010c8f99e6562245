// Whether an object is ready, by what it tells of itself, whatever its kind.

import { getKey, isObject, type JsonObject } from "../base/json.ts";

interface Readiness {
  /** True, False or Unknown; undefined when the object says nothing about it. */
  readonly ready: string | undefined;
  /** Why it is not; empty where nothing tells. */
  readonly reason: string;
}

/** The first that is there counts. */
const CONDITIONS = ["Ready", "Available", "Complete"] as const;

/** Sets of pods without such a condition tell how many there are to be, and how many are ready. */
export function readinessOf(object: object | undefined): Readiness {
  const status = memberOf(object, "status");
  const list = status["conditions"];
  const conditions = Array.isArray(list) ? list.filter(isObject) : [];
  const found = CONDITIONS.map((type) => conditions.find((each) => each["type"] === type)).find(Boolean);
  if (found !== undefined) {
    const ready = String(found["status"] ?? "");
    return { ready, reason: ready === "True" ? "" : String(found["reason"] ?? "") };
  }
  const wanted = status["desiredNumberScheduled"] ?? wantedReplicas(object, status);
  if (typeof wanted !== "number") return { ready: undefined, reason: "" };
  if (numberAt(status, "observedGeneration") < numberAt(memberOf(object, "metadata"), "generation"))
    return { ready: "False", reason: "NotObserved" };
  const count = numberAt(status, "numberReady") || numberAt(status, "readyReplicas");
  return count >= wanted ? { ready: "True", reason: "" } : { ready: "False", reason: `${count} of ${wanted}` };
}

function wantedReplicas(object: object | undefined, status: JsonObject): unknown {
  if (typeof status["replicas"] !== "number") return undefined;
  return memberOf(object, "spec")["replicas"] ?? 1;
}

function memberOf(value: object | undefined, name: string): JsonObject {
  const member = isObject(value) ? getKey(value, name) : undefined;
  return isObject(member) ? member : {};
}

const numberAt = (value: JsonObject, name: string): number => {
  const number = value[name];
  return typeof number === "number" ? number : 0;
};
