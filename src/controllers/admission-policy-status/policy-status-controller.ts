// Controller: writes into the status of admission policies where their expressions do not fit the kinds that they match.

import { inTurns } from "../../base/steps.ts";
import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import type { ValidatingAdmissionPolicy } from "../../kinds/admissionregistration/validating-admission-policy.ts";
import { type CheckedKinds, typeWarnings } from "../../schema/policy-type-checking.ts";
import { type ControllerDefinition, done } from "../framework/controller.ts";
import { knownKinds } from "./known-kinds.ts";

/** Definitions that a policy matches may be installed together with it. */
const SETTLE_MS = 200;
/** As upstream's controller calls itself. */
const FIELD_MANAGER = "validatingadmissionpolicy-status";

export const policyStatusController: ControllerDefinition = {
  name: "validatingadmissionpolicy-status-controller",
  account: "validatingadmissionpolicy-status-controller",
  workers: ({ concurrentValidatingAdmissionPolicyStatusSyncs }) => concurrentValidatingAdmissionPolicyStatusSyncs,
  build({ client, informers, names }) {
    const policies = informers.of(kinds.admissionregistration.v1.validatingAdmissionPolicies);
    const definitions = informers.of(kinds.apiextensions.v1.customResourceDefinitions);
    let known: Promise<CheckedKinds> | undefined;
    return {
      watch(queue) {
        const look = (policy: ValidatingAdmissionPolicy): void => {
          if (!isObserved(policy)) queue.addAfter(policy.metadata.name ?? "", SETTLE_MS);
        };
        policies.addHandlers({ added: look, updated: look });
      },
      async reconcile(name) {
        const policy = policies.cache.get(name);
        if (policy === undefined || isObserved(policy)) return done;
        known ??= knownKinds(names, definitions.cache);
        const found = await inTurns(typeWarnings(names.dialect, await known, policy.spec));
        const typeChecking = found.length === 0 ? {} : { expressionWarnings: found };
        const status = { ...policy.status, observedGeneration: policy.metadata.generation ?? 0, typeChecking };
        try {
          // With its version: a newer policy is checked by itself.
          await client.admissionregistration.v1
            .validatingAdmissionPolicies()
            .status.update({ ...policy, status }, { fieldManager: FIELD_MANAGER });
        } catch (error) {
          if (!isApiError(error, "NotFound")) throw error;
        }
        return done;
      },
    };
  },
};

function isObserved({ metadata, status }: ValidatingAdmissionPolicy): boolean {
  return (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
}
