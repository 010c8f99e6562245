// Controller: deletes candidates for leases that have not shown themselves for so long that they count no more.

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { againAfterMs, type ControllerDefinition } from "../framework/controller.ts";
import { inParallel } from "../framework/in-parallel.ts";
import { isExpired } from "./election-step.ts";

/** Not each at its time: who has just been made may not have said anything yet. Upstream's number. */
const SWEEP_EVERY_MS = 1_800_000;
const DELETIONS_AT_ONCE = 10;

export const candidateCleaner: ControllerDefinition = {
  name: "lease-candidate-cleaner-controller",
  build({ client, informers, clock }) {
    const candidates = informers.of(kinds.coordination.v1beta1.leaseCandidates);
    return {
      watch: (queue) => queue.add("sweep"),
      async reconcile() {
        const timeMs = clock.nowMs();
        const expired = candidates.cache.list().filter((candidate) => isExpired(candidate, timeMs));
        await inParallel(DELETIONS_AT_ONCE, expired, async ({ metadata }) => {
          const { namespace, name, uid, resourceVersion } = metadata;
          try {
            // Who shows itself at the last moment is another version.
            const preconditions = { uid, resourceVersion };
            await client.coordination.v1beta1.leaseCandidates(namespace).delete(name, { preconditions });
          } catch (error) {
            if (!isApiError(error, "NotFound", "Conflict")) throw error;
          }
        });
        return againAfterMs(SWEEP_EVERY_MS);
      },
    };
  },
};
