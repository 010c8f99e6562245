// The revisions of the objects of one kind: which ones an object has, the one of its present template, and clearing old
// ones away.

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import type { Client } from "../../client/client.ts";
import { ownerReferenceTo } from "../../client/controller.ts";
import type { Informer, Stored } from "../../client/informer.ts";
import type { SharedInformers } from "../../client/shared-informers.ts";
import type { ControllerRevision } from "../../kinds/apps/controller-revision.ts";
import type { PodTemplateSpec } from "../../kinds/core/pod/template-schema.ts";
import type { LabelSelector } from "../../meta/label-selector.ts";
import { templateHash } from "../deployment/template-hash.ts";
import type { KeyQueue } from "../framework/controller.ts";
import { type ControlledBy, controllerOf, type Owner } from "../pods-of-owner/claim-objects.ts";
import { OwnedObjects } from "../pods-of-owner/owned-objects.ts";
import { beyondLimit, type HistoryLimit, holdsTemplate, inOrder, revisionData, revisionName } from "./revision.ts";

interface RevisionHistoryParts<O extends Owner> {
  readonly client: Client;
  readonly informers: SharedInformers;
  readonly owners: Informer<O>;
  readonly selectorOf: (owner: Stored<O>) => LabelSelector | undefined;
  readonly findOwner: (namespace: string, name: string) => Promise<ControlledBy | undefined>;
  /** Under which label a revision says its hash. */
  readonly hashLabel: string;
  /** Whether the newest revision will do for a template that it does not hold word by word; never when not given. */
  readonly isAsGood?: ((newest: ControllerRevision, template: PodTemplateSpec) => boolean) | undefined;
}

interface PresentRevision {
  readonly revision: Stored<ControllerRevision>;
  /** All of them, the present one last. */
  readonly all: readonly Stored<ControllerRevision>[];
  /** How many names were taken already; belongs into the owner's status. */
  readonly collisionCount: number | undefined;
}

/** So many names in a row are never taken by chance. */
const MAX_NAMES = 20;

export class RevisionHistory<O extends Owner> {
  readonly #parts: RevisionHistoryParts<O>;
  readonly #owned: OwnedObjects<ControllerRevision, O>;

  constructor(parts: RevisionHistoryParts<O>) {
    const { client, informers } = parts;
    this.#parts = parts;
    this.#owned = new OwnedObjects<ControllerRevision, O>({
      ...parts,
      owned: informers.of(kinds.apps.v1.controllerRevisions),
      patch: ({ metadata: { namespace, name } }, metadata) =>
        client.apps.v1.controllerRevisions(namespace).patch(name, { strategic: { metadata } }),
    });
  }

  /** Fills the queue with owners whose revisions change. */
  watch(queue: KeyQueue): void {
    this.#owned.watch(queue);
  }

  /** The revision of this template: the newest when that holds it, else an older one made the newest, else a new one. */
  async present(
    owner: Stored<O>,
    selector: LabelSelector,
    template: PodTemplateSpec,
    collisionCount: number | undefined,
  ): Promise<PresentRevision> {
    const all = inOrder(await this.#owned.claim(owner, selector));
    const newest = all.at(-1);
    if (newest !== undefined && holdsTemplate(newest, template)) return { revision: newest, all, collisionCount };
    const number = Number(newest?.revision ?? 0) + 1;
    const older = all.findLast((revision) => holdsTemplate(revision, template));
    if (older !== undefined) {
      const { namespace, name } = older.metadata;
      const revisions = this.#parts.client.apps.v1.controllerRevisions(namespace);
      const revision = await revisions.modify(name, (object) => {
        object.revision = number;
      });
      return { revision, all: [...all.filter((each) => each !== older), revision], collisionCount };
    }
    if (newest !== undefined && this.#parts.isAsGood?.(newest, template))
      return { revision: newest, all, collisionCount };
    const created = await this.#create(owner, template, number, collisionCount);
    return { ...created, all: [...all, created.revision] };
  }

  /** Deletes those that are too many; none that is used. */
  async truncate(
    old: readonly Stored<ControllerRevision>[],
    isUsed: (revision: Stored<ControllerRevision>) => boolean,
    limit: HistoryLimit,
  ): Promise<void> {
    for (const { metadata } of beyondLimit(old, isUsed, limit)) {
      const { namespace, name, uid } = metadata;
      try {
        await this.#parts.client.apps.v1.controllerRevisions(namespace).delete(name, { preconditions: { uid } });
      } catch (error) {
        if (!isApiError(error, "NotFound", "Conflict")) throw error;
      }
    }
  }

  async #create(owner: Stored<O>, template: PodTemplateSpec, number: number, collisionCount: number | undefined) {
    const { namespace, name, uid, annotations } = owner.metadata;
    const revisions = this.#parts.client.apps.v1.controllerRevisions(namespace);
    for (let attempt = 0, count = collisionCount; attempt < MAX_NAMES; attempt += 1, count = (count ?? 0) + 1) {
      const hash = templateHash(template, count);
      const metadata = {
        name: revisionName(name, hash),
        labels: { ...template.metadata.labels, [this.#parts.hashLabel]: hash },
        ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
        ownerReferences: [ownerReferenceTo(owner)],
      };
      try {
        const data = revisionData(template);
        return { revision: await revisions.create({ metadata, data, revision: number }), collisionCount: count };
      } catch (error) {
        if (!isApiError(error, "AlreadyExists")) throw error;
        // Created before, and not to be seen in the cache yet.
        const taken = await revisions.get(metadata.name);
        if (controllerOf(taken)?.uid === uid && holdsTemplate(taken, template))
          return { revision: taken, collisionCount: count };
      }
    }
    throw new Error(`no free name for a revision of ${name}`);
  }
}
