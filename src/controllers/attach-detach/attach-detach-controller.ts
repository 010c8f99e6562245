// Controller: the volumes of the pods of a node are attached to it, as far as the API shows it: VolumeAttachments for the
// drivers to act on, and what nodes are told of them.

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import type { Stored } from "../../client/informer.ts";
import type { Node } from "../../kinds/core/node.ts";
import type { VolumeAttachment } from "../../kinds/storage/volume-attachment.ts";
import type { Names } from "../../meta/names.ts";
import { againAfterMs, type ControllerDefinition, done } from "../framework/controller.ts";
import { type AttachableVolume, type AttachmentPlan, isInUse, isManaged, planAttachments } from "./attachments.ts";
import { PodVolumes } from "./pod-volumes.ts";

const BY_NODE = "node";
const BY_VOLUME = "volume";

export const attachDetachController: ControllerDefinition = {
  name: "persistentvolume-attach-detach-controller",
  reportsAs: "attachdetach-controller",
  aliases: ["attachdetach"],
  account: "attachdetach-controller",
  workers: () => 5,
  build({ client, informers, events, names, clock, metrics }) {
    const nodes = informers.of(kinds.core.v1.nodes);
    const volumes = new PodVolumes(informers, names);
    const attachments = informers.of(kinds.storage.v1.volumeAttachments, {
      indexes: {
        [BY_NODE]: ({ spec }) => [spec.nodeName],
        [BY_VOLUME]: ({ spec }) => [spec.source.persistentVolumeName ?? ""],
      },
    });
    const live = client.storage.v1.volumeAttachments();
    /** Since when nobody wants an attachment, by its name. */
    const unwanted = new Map<string, number>();
    /** By node, the drivers of the volumes that its pods need. */
    const driversOn = new Map<string, readonly string[]>();
    metrics.setVolumeCounts(() => ({
      desired: countByPlugin([...driversOn.values()].flat(), names),
      actual: countByPlugin(
        attachments.cache.list().flatMap(({ spec, status }) => (status?.attached === true ? [spec.attacher] : [])),
        names,
      ),
    }));
    /** Nodes that wait for a volume of another one, by the volume. */
    const waiting = new Map<string, Set<string>>();

    /** Pods hear what becomes of their volumes. */
    const report = (now: Stored<VolumeAttachment>, before: Stored<VolumeAttachment>): void => {
      const { attached, attachError } = now.status ?? {};
      const isAttached = attached === true && before.status?.attached !== true;
      const error = attachError?.message === before.status?.attachError?.message ? undefined : attachError?.message;
      if (!isAttached && error === undefined) return;
      const volume = now.spec.source.persistentVolumeName ?? "";
      for (const pod of volumes.usersOf(now.metadata.name, now.spec.nodeName)) {
        if (isAttached)
          events.normal(pod, "SuccessfulAttachVolume", `AttachVolume.Attach succeeded for volume "${volume}" `);
        else events.warning(pod, "FailedAttachVolume", `AttachVolume.Attach failed for volume "${volume}" : ${error}`);
      }
    };
    const waitFor = ({ persistentVolume, attachment }: AttachableVolume, node: string): void => {
      const known = waiting.get(persistentVolume) ?? new Set();
      if (known.has(node)) return;
      waiting.set(persistentVolume, known.add(node));
      const text = "Volume is already exclusively attached to one node and can't be attached to another";
      for (const pod of volumes.usersOf(attachment, node))
        events.warning(pod, "FailedAttachVolume", `Multi-Attach error for volume "${persistentVolume}" ${text}`);
    };

    /**
     * First the node is told what it may no longer begin to use, then what it uses is read: so one of both hears of the other.
     * The node as it is then, where something is to be detached from it.
     */
    const tell = async (name: string, { volumesAttached, detach }: AttachmentPlan): Promise<Node | undefined> => {
      const live = client.core.v1.nodes();
      if (volumesAttached !== undefined) return live.status.patch(name, { merge: { status: { volumesAttached } } });
      return detach.length === 0 ? undefined : live.find(name);
    };

    return {
      watch(queue) {
        const addNode = ({ metadata }: { metadata: { name: string } }): void => queue.add(metadata.name);
        nodes.addHandlers({ added: addNode, updated: addNode, deleted: addNode });
        volumes.watch((node) => queue.add(node));
        const addAttachment = ({ spec }: Stored<VolumeAttachment>): void => queue.add(spec.nodeName);
        attachments.addHandlers({
          added: addAttachment,
          updated(now, before) {
            addAttachment(now);
            report(now, before);
          },
          deleted(attachment) {
            addAttachment(attachment);
            unwanted.delete(attachment.metadata.name);
            const volume = attachment.spec.source.persistentVolumeName ?? "";
            for (const node of waiting.get(volume) ?? []) queue.add(node);
            waiting.delete(volume);
          },
        });
      },
      async reconcile(name) {
        const node = nodes.cache.get(name);
        if (node !== undefined && !isManaged(node, names)) return done;
        const nowMs = clock.monotonicMs();
        const existing = attachments.cache.byIndex(BY_NODE, name);
        // Also where the object of the node is gone: while its pods are there, the machine may well use their volumes.
        const wanted = volumes.wantedOn(name);
        if (wanted.size === 0) driversOn.delete(name);
        else
          driversOn.set(
            name,
            [...wanted.values()].map(({ driver }) => driver),
          );
        for (const { metadata } of existing) {
          if (wanted.has(metadata.name)) unwanted.delete(metadata.name);
          else if (!unwanted.has(metadata.name)) unwanted.set(metadata.name, nowMs);
        }
        const plan = planAttachments({
          node,
          wanted,
          existing,
          volumeOf: ({ spec }) => volumes.named(spec.source.persistentVolumeName, name),
          holdersOf: (volume) => attachments.cache.byIndex(BY_VOLUME, volume).map(({ spec }) => spec.nodeName),
          unwantedMs: (attachment) => nowMs - (unwanted.get(attachment) ?? nowMs),
          names,
        });
        for (const volume of plan.blocked) waitFor(volume, name);
        for (const { attachment, driver, persistentVolume } of plan.attach) {
          const spec = { attacher: driver, nodeName: name, source: { persistentVolumeName: persistentVolume } };
          try {
            await live.create({ metadata: { name: attachment }, spec });
          } catch (error) {
            if (!isApiError(error, "AlreadyExists")) throw error;
          }
        }
        const newest = await tell(name, plan);
        for (const attachment of plan.detach) {
          const { metadata, spec } = attachment;
          const forcedBy = plan.forced.get(metadata.name);
          const volume = volumes.named(spec.source.persistentVolumeName, name);
          // It has begun to use it since the cache was written: that is on its way, and brings the node back.
          if (forcedBy === undefined && newest !== undefined && isInUse(newest, volume?.uniqueName)) continue;
          try {
            await live.delete(metadata.name, { preconditions: { uid: metadata.uid } });
          } catch (error) {
            if (!isApiError(error, "NotFound", "Conflict")) throw error;
          }
          if (forcedBy !== undefined) metrics.forciblyDetached(forcedBy);
          unwanted.delete(metadata.name);
        }
        return plan.nextMs === undefined ? done : againAfterMs(plan.nextMs);
      },
    };
  },
};

/** Under the name that upstream gives the plug-in of a driver. */
function countByPlugin(drivers: readonly string[], { csiVolumePrefix }: Names): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const driver of drivers) {
    const plugin = `${csiVolumePrefix.slice(0, -1)}:${driver}`;
    counts.set(plugin, (counts.get(plugin) ?? 0) + 1);
  }
  return counts;
}
