// Controller: what lives in a namespace goes with it. Empties namespaces that end, says what still keeps them, and lets
// them go. Requirements: document 1, "Terminology": instances live in a namespace and are deleted with it.

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import type { Stored } from "../../client/informer.ts";
import type { Namespace } from "../../kinds/core/namespace.ts";
import { timeOfMs } from "../../meta/time.ts";
import { againAfterMs, type ControllerDefinition, done } from "../framework/controller.ts";
import { enqueueItself } from "../framework/enqueue.ts";
import { emptyNamespace } from "./empty-namespace.ts";
import { namespaceConditions } from "./namespace-conditions.ts";

/** While something remains, the namespace is looked at again after a time that grows. */
const FIRST_WAIT_MS = 200;
const MAX_WAIT_MS = 15_000;

export const namespaceController: ControllerDefinition = {
  name: "namespace-controller",
  aliases: ["namespace"],
  account: "namespace-controller",
  workers: ({ concurrentNamespaceSyncs }) => concurrentNamespaceSyncs,
  build({ client, informers, names, clock }) {
    const namespaces = informers.of(kinds.core.v1.namespaces);
    const waits = new Map<string, number>();
    const mustEmpty = (namespace: Stored<Namespace> | undefined): namespace is Stored<Namespace> =>
      namespace?.metadata.deletionTimestamp !== undefined &&
      (namespace.spec?.finalizers ?? []).includes(names.namespaceFinalizer);
    return {
      watch: (queue) =>
        void namespaces.addHandlers(enqueueItself(queue, ({ metadata }) => metadata.deletionTimestamp !== undefined)),
      async reconcile(name, signal) {
        const cached = namespaces.cache.get(name);
        if (!mustEmpty(cached)) {
          waits.delete(name);
          return done;
        }
        const { uid } = cached.metadata;
        const live = client.core.v1.namespaces();
        // The cache may be behind: a namespace that bears the name by now, and does not end, is not emptied in its place.
        const namespace = await live.find(name);
        if (!mustEmpty(namespace) || namespace.metadata.uid !== uid) return done;
        const report = await emptyNamespace(client, name, signal);
        const current = namespace.status?.conditions ?? [];
        const conditions = namespaceConditions(current, report, timeOfMs(clock.nowMs()));
        try {
          if (conditions !== undefined) {
            await live.status.modify(name, (object) => {
              object.status = { ...object.status, conditions };
            });
          }
          const left = report.remaining.size + report.failures.length + report.undiscovered.length;
          if (left > 0) {
            const waitMs = waits.get(name) ?? FIRST_WAIT_MS;
            waits.set(name, Math.min(waitMs * 2, MAX_WAIT_MS));
            return againAfterMs(waitMs);
          }
          const newest = await live.get(name);
          if (newest.metadata.uid !== uid) return done;
          const finalizers = (newest.spec?.finalizers ?? []).filter((each) => each !== names.namespaceFinalizer);
          // With its version: whoever came between has its say first.
          await live.subresource<Namespace>("finalize").update({ ...newest, spec: { ...newest.spec, finalizers } });
        } catch (error) {
          if (!isApiError(error, "NotFound")) throw error;
        }
        waits.delete(name);
        return done;
      },
    };
  },
};
