// Controllers of kinds that a server need not serve: they ask at their start, and rest where there is nothing to do.

import type { GroupKey } from "../../meta/names.ts";
import { type Controller, type ControllerContext, done, type KeyQueue } from "./controller.ts";

/** One of `kinds` of the client. */
export interface OptionalKind {
  readonly group: GroupKey;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
}

/** `build` is called once the kind is known to be served; informers that it asks for begin then. */
export function whereServed(context: ControllerContext, kind: OptionalKind, build: () => Controller): Controller {
  let queue: KeyQueue | undefined;
  let controller: Controller | undefined;
  return {
    watch(given) {
      queue = given;
    },
    async start(signal) {
      if (!(await isServed(context, kind))) {
        context.log.info({ kind: kind.kind }, "a controller rests: the server does not serve its kind");
        return;
      }
      controller = build();
      controller.watch(queue!);
      await context.informers.whenServedSynced();
      await controller.start?.(signal);
    },
    reconcile: async (key, signal) => controller?.reconcile(key, signal) ?? done,
  };
}

/** A server that tells us nothing serves everything. */
async function isServed({ client, informers }: ControllerContext, kind: OptionalKind): Promise<boolean> {
  const wantedGroup = client.names.group(kind.group);
  const { resources } = (await informers.served()) ?? {};
  if (resources === undefined) return true;
  return resources.some(
    ({ group, version, resource }) => group === wantedGroup && version === kind.version && resource === kind.resource,
  );
}
