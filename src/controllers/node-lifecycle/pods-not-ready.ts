// Pods on a node that nothing is heard of are not ready: nobody can tell that they are.

import { isApiError } from "../../client/api-error.ts";
import type { Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { timeOfMs } from "../../meta/time.ts";
import type { ControllerContext } from "../framework/controller.ts";

export async function markPodNotReady(
  { client, clock, events }: Pick<ControllerContext, "client" | "clock" | "events">,
  pod: Stored<Pod>,
): Promise<void> {
  const ready = (pod.status?.conditions ?? []).find(({ type }) => type === "Ready");
  if (ready === undefined || ready.status === "False") return;
  const { namespace = "", name, uid } = pod.metadata;
  const conditions = [{ type: "Ready", status: "False", lastTransitionTime: timeOfMs(clock.nowMs()) }];
  try {
    await client.core.v1
      .pods(namespace)
      .status.patch(name, { strategic: { metadata: { uid }, status: { conditions } } });
  } catch (error) {
    // It is gone, or another one has its name.
    if (isApiError(error, "NotFound", "Conflict")) return;
    throw error;
  }
  events.warning(pod, "NodeNotReady", "Node is not ready");
}
