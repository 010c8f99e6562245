// Controller: an annotation of every node says how long its agent may keep what it has read.

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { type ControllerDefinition, done } from "../framework/controller.ts";
import { ttlSecondsOf, ttlStep } from "./node-ttl.ts";

export const nodeTtlController: ControllerDefinition = {
  name: "ttl-controller",
  aliases: ["ttl"],
  account: "ttl-controller",
  workers: () => 5,
  build({ client, informers, names }) {
    const nodes = informers.of(kinds.core.v1.nodes);
    let step = 0;
    return {
      watch(queue) {
        const count = (): void => {
          const next = ttlStep(step, nodes.cache.size);
          if (next === step) return;
          step = next;
          for (const { metadata } of nodes.cache.values()) queue.add(metadata.name);
        };
        nodes.addHandlers({
          added({ metadata }) {
            queue.add(metadata.name);
            count();
          },
          updated: ({ metadata }) => queue.add(metadata.name),
          deleted: count,
        });
      },
      async reconcile(name) {
        const node = nodes.cache.get(name);
        const ttl = String(ttlSecondsOf(step));
        if (node === undefined || node.metadata.annotations?.[names.nodeTtlAnnotation] === ttl) return done;
        try {
          const annotations = { [names.nodeTtlAnnotation]: ttl };
          await client.core.v1.nodes().patch(name, { merge: { metadata: { annotations } } });
        } catch (error) {
          if (!isApiError(error, "NotFound")) throw error;
        }
        return done;
      },
    };
  },
};
