// How much of a resource pods ask for: what their use is a percentage of.

import type { Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { milliValue } from "./milli-value.ts";

/** By name, in thousandths; of one container where it is named. Fails when a container does not say. */
export function podRequests(
  pods: readonly Stored<Pod>[],
  resource: string,
  container: string | undefined,
): Map<string, number> {
  return new Map(pods.map((pod) => [pod.metadata.name, requestOf(pod, resource, container)]));
}

function requestOf({ metadata, spec }: Stored<Pod>, resource: string, only: string | undefined): number {
  // What is asked for the whole pod counts for all of it.
  const whole = only === undefined ? spec.resources?.requests : undefined;
  if (whole !== undefined && Object.keys(whole).length > 0) {
    const request = milliValue(own(whole, resource));
    if (request !== undefined) return request;
    throw new Error(`missing pod-level request for ${resource} in Pod ${metadata.name}`);
  }
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  let sum = 0;
  for (const { name, resources } of [...(spec.containers ?? []), ...sidecars]) {
    if (only !== undefined && name !== only) continue;
    const request = milliValue(own(resources.requests ?? {}, resource));
    if (request === undefined) {
      throw new Error(`missing request for ${resource} in container ${name} of Pod ${metadata.name}`);
    }
    sum += request;
  }
  return sum;
}

const own = (amounts: Readonly<Record<string, unknown>>, resource: string): unknown =>
  Object.hasOwn(amounts, resource) ? amounts[resource] : undefined;
