// Controller: the Endpoints of every Service with a selector hold the pods that it selects, for clients that do not read
// slices yet. Requirements: document 3, "Endpoints".

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { keyOf, keyText, parseKeyText, type Stored } from "../../client/informer.ts";
import type { Endpoints } from "../../kinds/core/endpoints.ts";
import { againAfterMs, type ControllerDefinition, done, type KeyQueue } from "../framework/controller.ts";
import { OwnWrites } from "../framework/own-writes.ts";
import { followsSelector } from "../service-backends/backend-pod.ts";
import { ServicePods } from "../service-backends/service-pods.ts";
import { TriggerTimes } from "../service-backends/trigger-times.ts";
import { isNamespaceEnding } from "../slices/slice-writer.ts";
import { endpointsToWrite } from "./desired-endpoints.ts";

/** The change that is waited for brings the key back at once; this is for one that was missed. */
const STALE_WAIT_MS = 1_000;

export const endpointsController: ControllerDefinition = {
  name: "endpoints-controller",
  reportsAs: "endpoint-controller",
  aliases: ["endpoint"],
  account: "endpoint-controller",
  workers: ({ concurrentEndpointSyncs }) => concurrentEndpointSyncs,
  build({ client, informers, events, names, clock }) {
    const backends = new ServicePods(informers);
    const endpoints = informers.of(kinds.core.v1.endpoints);
    const triggers = new TriggerTimes();
    const writes = new OwnWrites(clock, endpoints);
    let queue: KeyQueue | undefined;

    /** What a Service leaves behind goes with it; what others elect their leaders with stays. */
    const deleteLeftover = async (key: string): Promise<void> => {
      triggers.forget(key);
      writes.forget(key);
      const left = endpoints.cache.get(key);
      if (left === undefined || Object.hasOwn(left.metadata.annotations ?? {}, names.leaderAnnotation)) return;
      const { namespace = "", name } = parseKeyText(key);
      // The cache may be behind: nothing is deleted under a Service that has just been made.
      if ((await client.core.v1.services(namespace).find(name)) !== undefined) return;
      try {
        await client.core.v1.endpoints(namespace).delete(name, { preconditions: { uid: left.metadata.uid } });
      } catch (error) {
        if (!isApiError(error, "NotFound", "Conflict")) throw error;
      }
    };

    return {
      watch(given) {
        queue = given;
        backends.watch(given);
        const look = (object: Stored<Endpoints>, isDeletion = false): void => {
          const key = keyText(keyOf(object));
          const isNews = endpoints.synced && writes.isNews(key, object, isDeletion);
          if (isNews && backends.services.cache.get(key) !== undefined) given.add(key);
        };
        endpoints.addHandlers({
          added: (object) => look(object),
          updated: (object) => look(object),
          deleted: (object) => look(object, true),
        });
      },
      start() {
        // Services that went while nobody looked.
        for (const object of endpoints.cache.values()) queue?.add(keyText(keyOf(object)));
      },
      async reconcile(key, signal) {
        const service = backends.services.cache.get(key);
        if (service === undefined) {
          await deleteLeftover(key);
          return done;
        }
        if (!followsSelector(service)) return done;
        const current = endpoints.cache.get(key);
        if (!writes.areShown(key, current === undefined ? [] : [current])) return againAfterMs(STALE_WAIT_MS);
        const pods = backends.podsOf(service);
        const triggerTime = triggers.next(key, service, pods);
        const wanted = endpointsToWrite({ service, pods, current, triggerTime, names });
        if (wanted === undefined) return done;
        const { namespace = "", name } = service.metadata;
        const live = client.core.v1.endpoints(namespace);
        try {
          writes.wrote(key, await (current === undefined ? live.create(wanted) : live.update(wanted)));
        } catch (error) {
          if (isNamespaceEnding(error)) return done;
          if (!signal.aborted && !isApiError(error, "Conflict", "AlreadyExists")) {
            const [verb, text] =
              current === undefined ? ["Create", "create endpoint for service"] : ["Update", "update endpoint"];
            const regarding = current ?? { apiVersion: "v1", kind: "Endpoints", metadata: { namespace, name } };
            events.warning(
              regarding,
              `FailedTo${verb}Endpoint`,
              `Failed to ${text} ${key}: ${(error as Error).message}`,
            );
          }
          throw error;
        }
        return done;
      },
    };
  },
};
