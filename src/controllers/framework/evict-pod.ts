// Lets a pod go that may not stay where it is: whoever waits for it sees why.

import { isApiError } from "../../client/api-error.ts";
import type { Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { timeOfMs } from "../../meta/time.ts";
import type { ControllerContext } from "./controller.ts";

interface Eviction {
  /** Of the condition DisruptionTarget. */
  readonly reason: string;
  readonly message: string;
  /** Called when the pod says so itself, before it is deleted. */
  marked(): void;
}

/** Nothing happens where the pod is gone already. Fails where another of its name is there. */
export async function evictPod(
  { client, clock }: Pick<ControllerContext, "client" | "clock">,
  pod: Stored<Pod>,
  { reason, message, marked }: Eviction,
): Promise<void> {
  const { namespace = "", name, uid, generation } = pod.metadata;
  const live = client.core.v1.pods(namespace);
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason,
    message,
    lastTransitionTime: timeOfMs(clock.nowMs()),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  try {
    await live.status.patch(name, { strategic: { metadata: { uid }, status: { conditions: [condition] } } });
    marked();
    await live.delete(name, { preconditions: { uid } });
  } catch (error) {
    if (!isApiError(error, "NotFound")) throw error;
  }
}
