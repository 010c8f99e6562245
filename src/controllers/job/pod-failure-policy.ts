// What the failure of a pod means for its Job, by the rules of its podFailurePolicy. Pure.

import type { PodFailurePolicyOnExitCodesRequirement, PodFailurePolicyRule } from "../../kinds/batch/job/spec.ts";
import type { Job } from "../../kinds/batch/job.ts";
import type { Pod } from "../../kinds/core/pod.ts";

interface FailureAction {
  readonly action: PodFailurePolicyRule["action"];
  /** Why, in words for the job's condition. */
  readonly message: string;
}

/** What the first rule that matches says; undefined when none does: the failure counts as usual. */
export function failurePolicyAction(policy: Job["spec"]["podFailurePolicy"], pod: Pod): FailureAction | undefined {
  for (const [at, rule] of (policy?.rules ?? []).entries()) {
    const why = matchedBy(rule, pod);
    if (why !== undefined)
      return { action: rule.action, message: `${why} matching ${rule.action} rule at index ${at}` };
  }
  return undefined;
}

function matchedBy({ onExitCodes, onPodConditions }: PodFailurePolicyRule, { metadata, status }: Pod) {
  const pod = `${metadata.namespace}/${metadata.name}`;
  if (onExitCodes !== undefined) {
    const statuses = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
    for (const { name, state } of statuses) {
      const exitCode = state?.terminated?.exitCode;
      if (exitCode !== undefined && codeMatches(onExitCodes, name, exitCode))
        return `Container ${name} for pod ${pod} failed with exit code ${exitCode}`;
    }
    return undefined;
  }
  for (const { type, status: is } of status.conditions ?? []) {
    if ((onPodConditions ?? []).some((pattern) => pattern.type === type && pattern.status === is))
      return `Pod ${pod} has condition ${type}`;
  }
  return undefined;
}

function codeMatches(
  { containerName, operator, values }: PodFailurePolicyOnExitCodesRequirement,
  name: string,
  exitCode: number,
): boolean {
  if (exitCode === 0 || (containerName !== undefined && containerName !== name)) return false;
  return (values ?? []).includes(exitCode) === (operator === "In");
}
