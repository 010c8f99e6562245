// Controller: deletes requests for certificates that nobody needs any more.

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { againAfterMs, type ControllerDefinition, done } from "../framework/controller.ts";
import { enqueueItself } from "../framework/enqueue.ts";
import { msUntilStale } from "./request-state.ts";

export const certificateCleanerController: ControllerDefinition = {
  name: "certificatesigningrequest-cleaner-controller",
  aliases: ["csrcleaner"],
  account: "certificate-controller",
  build({ client, informers, clock }) {
    const requests = informers.of(kinds.certificates.v1.certificateSigningRequests);
    return {
      watch: (queue) => void requests.addHandlers(enqueueItself(queue)),
      async reconcile(name) {
        const request = requests.cache.get(name);
        if (request === undefined) return done;
        const leftMs = msUntilStale(request, clock.nowMs());
        if (leftMs === undefined) return done;
        if (leftMs > 0) return againAfterMs(leftMs);
        const { uid, resourceVersion } = request.metadata;
        try {
          const preconditions = { uid, resourceVersion };
          await client.certificates.v1.certificateSigningRequests().delete(name, { preconditions });
        } catch (error) {
          if (!isApiError(error, "NotFound")) throw error;
        }
        return done;
      },
    };
  },
};
