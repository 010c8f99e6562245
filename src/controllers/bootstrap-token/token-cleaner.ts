// Controller: deletes bootstrap tokens that have expired. Requirements: document 2, "Bootstrap tokens".

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { againAfterMs, type ControllerDefinition, done } from "../framework/controller.ts";
import { enqueueItself } from "../framework/enqueue.ts";
import { msUntilExpiry } from "./bootstrap-token.ts";

export const tokenCleaner: ControllerDefinition = {
  name: "token-cleaner-controller",
  aliases: ["tokencleaner"],
  account: "token-cleaner",
  offByDefault: true,
  build({ client, informers, names, clock }) {
    const { systemNamespace: namespace, bootstrapTokenType } = names;
    const secrets = informers.of(kinds.core.v1.secrets, { namespace, fieldSelector: `type=${bootstrapTokenType}` });
    return {
      watch: (queue) => void secrets.addHandlers(enqueueItself(queue)),
      async reconcile(key) {
        const token = secrets.cache.get(key);
        if (token === undefined) return done;
        const leftMs = msUntilExpiry(token, clock.nowMs());
        if (leftMs === undefined) return done;
        if (leftMs > 0) return againAfterMs(leftMs);
        const { name, uid } = token.metadata;
        try {
          // The uid keeps us from deleting a token made anew under the same name.
          await client.core.v1.secrets(namespace).delete(name, { preconditions: { uid } });
        } catch (error) {
          if (!isApiError(error, "NotFound", "Conflict")) throw error;
        }
        return done;
      },
    };
  },
};
