// Whether a container that does not run shall be started, by the restart policies of its pod and its own.

import type { Container } from "../../kinds/core/pod/container.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { RuntimeContainer } from "./runtime-pod.ts";

type WithPolicy = Pick<Container, "restartPolicy" | "restartPolicyRules">;

/** An init container that runs beside the others. */
export const isSidecar = ({ restartPolicy }: WithPolicy): boolean => restartPolicy === "Always";

/** `run` is the newest run of the container, undefined when there was none. */
export function shouldStart(pod: Pod, container: WithPolicy, run: RuntimeContainer | undefined): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  if (run === undefined || run.state === "created" || run.state === "unknown") return true;
  return run.state === "exited" && restartsAfter(pod, container, run.exitCode);
}

/** Whether a container starts again after it has ended with this code. */
export function restartsAfter(
  { spec }: Pod,
  { restartPolicy, restartPolicyRules }: WithPolicy,
  exitCode: number,
): boolean {
  for (const { action, exitCodes } of restartPolicyRules ?? []) {
    const isListed = (exitCodes?.values ?? []).includes(exitCode);
    if (action === "Restart" && exitCodes !== undefined && isListed === (exitCodes.operator === "In")) return true;
  }
  switch (restartPolicy ?? spec.restartPolicy) {
    case "Never":
      return false;
    case "OnFailure":
      return exitCode !== 0;
    default:
      return true;
  }
}

/** Whether any end of the container is followed by another start. */
export function mayRestart(pod: Pod, container: WithPolicy): boolean {
  return (
    (container.restartPolicyRules ?? []).length > 0 || (container.restartPolicy ?? pod.spec.restartPolicy) !== "Never"
  );
}
