// Controller: writes every object of a resource again, so that all of them are stored in the current version.

import { cloneJson } from "../../base/json.ts";
import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { discover } from "../../client/discovery.ts";
import type { Stored } from "../../client/informer.ts";
import type { StorageVersionMigration } from "../../kinds/storagemigration/storage-version-migration.ts";
import type { ApiObject } from "../../meta/object.ts";
import { compareResourceVersions } from "../../meta/resource-version.ts";
import { type Controller, type ControllerContext, type ControllerDefinition, done } from "../framework/controller.ts";
import { enqueueItself } from "../framework/enqueue.ts";
import { whereServed } from "../framework/where-served.ts";
import { isAt, isOver, type MigrationStage, statusAt } from "./migration-status.ts";

/** Acts as the manager itself: it needs rights to every resource. */
export const storageVersionMigrator: ControllerDefinition = {
  name: "storage-version-migrator-controller",
  build: (context) =>
    whereServed(context, kinds.storagemigration.v1alpha1.storageVersionMigrations, () => build(context)),
};

function build(context: ControllerContext): Controller {
  const { client, informers, clock } = context;
  const migrations = informers.of(kinds.storagemigration.v1alpha1.storageVersionMigrations);
  const live = client.storagemigration.v1alpha1.storageVersionMigrations();

  const reach = (migration: Stored<StorageVersionMigration>, stage: MigrationStage, message = "") => {
    const status = statusAt(migration.status, stage, message, clock.nowMs());
    return live.status.update({ ...cloneJson(migration), status });
  };

  /** Where the objects are; undefined when there are none that could be rewritten. */
  const find = async ({ spec: { resource: wanted } }: Stored<StorageVersionMigration>, signal: AbortSignal) => {
    const { resources } = await discover(client.transport, { signal });
    const { group = "", version = "", resource = "" } = wanted;
    const found = resources.find(
      (each) => each.group === group && each.version === version && each.resource === resource,
    );
    return found?.verbs.includes("list") && found.verbs.includes("patch") ? found : undefined;
  };

  return {
    watch: (queue) => void migrations.addHandlers(enqueueItself(queue)),

    async reconcile(name, signal) {
      const cached = migrations.cache.get(name);
      if (cached === undefined || isOver(cached)) return done;
      const type = await find(cached, signal);
      if (type === undefined) {
        await reach(cached, "Failed", "resource does not exist in discovery");
        return done;
      }
      let migration = cached;
      if (!isAt(migration, "Running") || !migration.status.resourceVersion) {
        const { metadata } = await client.named(type).list({ limit: 1 });
        const status = { ...migration.status, resourceVersion: metadata.resourceVersion ?? "" };
        migration = await reach({ ...migration, status }, "Running");
      }
      try {
        for await (const { items } of client.named(type).pages({ onExpired: "restart" })) {
          for (const object of items) {
            signal.throwIfAborted();
            if (isWrittenSince(object, migration)) continue;
            await rewrite(client.named(type, object.metadata.namespace), object);
          }
        }
      } catch (error) {
        // What the server refuses it will refuse again; what it could not do now is tried again.
        if (!isApiError(error) || error.code >= 500 || error.code === 429 || error.code === 409) throw error;
        await reach(migration, "Failed", "migration encountered unhandled error");
        return done;
      }
      await reach(migration, "Succeeded");
      return done;
    },
  };
}

/** Such an object is in the current version already. */
function isWrittenSince({ metadata }: Stored<ApiObject>, { status }: StorageVersionMigration): boolean {
  return (compareResourceVersions(metadata.resourceVersion, status.resourceVersion ?? "") ?? 0) > 0;
}

/** Changes nothing: the server stores what it would have to store now. */
async function rewrite(
  resource: ReturnType<ControllerContext["client"]["named"]>,
  { metadata: { name, uid, resourceVersion } }: Stored<ApiObject>,
): Promise<void> {
  try {
    await resource.patch(name, { merge: { metadata: { uid, resourceVersion } } });
  } catch (error) {
    // Gone, or written meanwhile: it needs nothing.
    if (!isApiError(error, "NotFound", "Conflict")) throw error;
  }
}
