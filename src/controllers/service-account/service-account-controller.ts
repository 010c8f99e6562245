// Controller: every namespace has a service account `default`, so that pods can run in it.

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { type ControllerDefinition, done } from "../framework/controller.ts";
import { enqueueItself } from "../framework/enqueue.ts";

const NAME = "default";

export const serviceAccountController: ControllerDefinition = {
  name: "serviceaccount-controller",
  aliases: ["serviceaccount"],
  account: "service-account-controller",
  build({ client, informers }) {
    const namespaces = informers.of(kinds.core.v1.namespaces);
    const accounts = informers.of(kinds.core.v1.serviceAccounts);
    return {
      watch(queue) {
        namespaces.addHandlers(enqueueItself(queue));
        accounts.addHandlers({
          deleted({ metadata: { namespace, name } }) {
            if (name === NAME) queue.add(namespace ?? "");
          },
        });
      },
      async reconcile(name) {
        const namespace = namespaces.cache.get(name);
        if (namespace?.status?.phase !== "Active" || namespace.metadata.deletionTimestamp !== undefined) return done;
        if (accounts.cache.get({ namespace: name, name: NAME }) !== undefined) return done;
        try {
          await client.core.v1.serviceAccounts(name).create({ metadata: { name: NAME } });
        } catch (error) {
          // There is one, or the namespace ends meanwhile.
          if (!isApiError(error, "AlreadyExists", "NotFound", "Forbidden")) throw error;
          if (isApiError(error, "Forbidden") && namespaces.cache.get(name)?.metadata.deletionTimestamp === undefined)
            throw error;
        }
        return done;
      },
    };
  },
};
