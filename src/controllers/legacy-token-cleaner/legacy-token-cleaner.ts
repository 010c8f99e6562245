// Controller: once a day, tokens in Secrets that were made by the system and that nobody has used for long are marked invalid;
// those that have been so for long are deleted. Requirements: document 2, "Service account tokens".

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import type { Stored } from "../../client/informer.ts";
import { podReferences } from "../../kinds/core/pod/references.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Secret } from "../../kinds/core/secret.ts";
import { dayOf, TRACKED_SINCE_KEY, TRACKING_CONFIG_MAP } from "../../meta/legacy-token-days.ts";
import type { ApiObject } from "../../meta/object.ts";
import { againAfterMs, type ControllerDefinition } from "../framework/controller.ts";
import { inParallel } from "../framework/in-parallel.ts";
import { isTrackedLongEnough, judgeToken } from "./unused-token.ts";

const ALL = "all";
const EVERY_MS = 24 * 3_600_000;

const mentionsSecret = (pod: Pod, name: string): boolean =>
  podReferences(pod as unknown as ApiObject).some(
    (reference) => reference.kind === "secret" && reference.name === name,
  );

export const legacyTokenCleaner: ControllerDefinition = {
  name: "legacy-serviceaccount-token-cleaner-controller",
  aliases: ["legacy-serviceaccount-token-cleaner"],
  account: "legacy-service-account-token-cleaner",
  build({ client, informers, names, clock, options }) {
    const periodMs = options.legacyServiceAccountTokenCleanUpPeriodMs;
    const secrets = informers.of(kinds.core.v1.secrets, { fieldSelector: `type=${names.serviceAccountTokenType}` });
    const accounts = informers.of(kinds.core.v1.serviceAccounts);
    const pods = informers.of(kinds.core.v1.pods);
    const isMounted = (namespace: string, name: string): boolean =>
      pods.cache.list(namespace).some((pod) => mentionsSecret(pod, name));

    const clean = async (secret: Stored<Secret>): Promise<void> => {
      const { namespace = "", name, uid, resourceVersion, annotations } = secret.metadata;
      const accountName = annotations?.[names.serviceAccountNameAnnotation] ?? "";
      const judged = {
        secret,
        account: accounts.cache.get({ namespace, name: accountName }),
        isMounted: () => isMounted(namespace, name),
      };
      const live = client.core.v1.secrets(namespace);
      switch (judgeToken(names, judged, periodMs, clock.nowMs())) {
        case "keep":
          return;
        case "invalidate": {
          const labels = { [names.legacyTokenInvalidSinceLabel]: dayOf(clock.nowMs()) };
          await live.patch(name, { merge: { metadata: { uid, resourceVersion, labels } } });
          return;
        }
        case "delete":
          await live.delete(name, { preconditions: { uid, resourceVersion } });
      }
    };

    return {
      watch: (queue) => queue.add(ALL),
      async reconcile() {
        const tracking = await client.core.v1.configMaps(names.systemNamespace).find(TRACKING_CONFIG_MAP);
        if (!isTrackedLongEnough(tracking?.data?.[TRACKED_SINCE_KEY], periodMs, clock.nowMs()))
          return againAfterMs(EVERY_MS);
        await inParallel(1, secrets.cache.list(), async (secret) => {
          try {
            await clean(secret);
          } catch (error) {
            // Used, changed or gone meanwhile: it is looked at again tomorrow.
            if (!isApiError(error, "NotFound", "Conflict")) throw error;
          }
        });
        return againAfterMs(EVERY_MS);
      },
    };
  },
};
