// Controller: the volumes of the pods of a node are attached to it, as far as the API shows it: VolumeAttachments for the
// drivers to act on, and what nodes are told of them.

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import type { Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { VolumeAttachment } from "../../kinds/storage/volume-attachment.ts";
import { againAfterMs, type ControllerDefinition, done } from "../framework/controller.ts";
import { PodsByNode } from "../framework/pods-by-node.ts";
import { isPodFinished } from "../service-backends/backend-pod.ts";
import { claimNamesOf } from "../storage-protection/judge-protection.ts";
import { type AttachableVolume, attachableVolume, isManaged, planAttachments } from "./attachments.ts";

const BY_CLAIM = "attached-claim";
const BY_NODE = "node";
const BY_VOLUME = "volume";

export const attachDetachController: ControllerDefinition = {
  name: "persistentvolume-attach-detach-controller",
  aliases: ["attachdetach"],
  account: "attachdetach-controller",
  workers: () => 5,
  build({ client, informers, events, names, clock }) {
    const nodes = informers.of(kinds.core.v1.nodes);
    const pods = new PodsByNode(informers);
    pods.informer.addIndexes({ [BY_CLAIM]: (pod) => claimKeys(pod) });
    const claims = informers.of(kinds.core.v1.persistentVolumeClaims);
    const volumes = informers.of(kinds.core.v1.persistentVolumes);
    const drivers = informers.of(kinds.storage.v1.csiDrivers);
    const attachments = informers.of(kinds.storage.v1.volumeAttachments, {
      indexes: {
        [BY_NODE]: ({ spec }) => [spec.nodeName],
        [BY_VOLUME]: ({ spec }) =>
          spec.source.persistentVolumeName === undefined ? [] : [spec.source.persistentVolumeName],
      },
    });
    const live = client.storage.v1.volumeAttachments();
    /** Since when nobody wants an attachment, by its name. */
    const unwanted = new Map<string, number>();
    /** Nodes that wait for a volume of another one. */
    const waiting = new Map<string, Set<string>>();

    const volumeNamed = (name: string | undefined, node: string): AttachableVolume | undefined => {
      const volume = name === undefined ? undefined : volumes.cache.get(name);
      const found = volume === undefined ? undefined : attachableVolume(volume, node, names);
      return found !== undefined && drivers.cache.get(found.driver)?.spec.attachRequired !== false ? found : undefined;
    };
    const volumesOf = (pod: Stored<Pod>, node: string): AttachableVolume[] =>
      claimKeys(pod).flatMap((key) => {
        const claim = claims.cache.get(key);
        const bound = volumes.cache.get(claim?.spec?.volumeName ?? "")?.spec?.claimRef;
        if (claim === undefined || bound?.uid !== claim.metadata.uid) return [];
        return volumeNamed(claim.spec?.volumeName, node) ?? [];
      });
    const wantedOn = (node: string): Map<string, AttachableVolume> => {
      const wanted = new Map<string, AttachableVolume>();
      for (const pod of pods.on(node)) {
        if (isPodFinished(pod)) continue;
        for (const volume of volumesOf(pod, node)) wanted.set(volume.attachment, volume);
      }
      return wanted;
    };
    const users = (node: string, { attachment }: Pick<AttachableVolume, "attachment">): Stored<Pod>[] =>
      pods.on(node).filter((pod) => volumesOf(pod, node).some((volume) => volume.attachment === attachment));

    /** Pods hear what becomes of their volumes. */
    const report = (now: Stored<VolumeAttachment>, before: Stored<VolumeAttachment>): void => {
      const { attached, attachError } = now.status ?? {};
      const failed = attachError?.message !== undefined && attachError.message !== before.status?.attachError?.message;
      const done = attached === true && before.status?.attached !== true;
      if (!failed && !done) return;
      const volume = now.spec.source.persistentVolumeName ?? "";
      for (const pod of users(now.spec.nodeName, { attachment: now.metadata.name })) {
        if (done) events.normal(pod, "SuccessfulAttachVolume", `AttachVolume.Attach succeeded for volume "${volume}" `);
        else
          events.warning(
            pod,
            "FailedAttachVolume",
            `AttachVolume.Attach failed for volume "${volume}" : ${attachError?.message}`,
          );
      }
    };
    const reportBlocked = (node: string, volume: AttachableVolume): void => {
      const nodesOfVolume = waiting.get(volume.persistentVolume) ?? new Set();
      if (nodesOfVolume.has(node)) return;
      waiting.set(volume.persistentVolume, nodesOfVolume.add(node));
      const text = "Volume is already exclusively attached to one node and can't be attached to another";
      for (const pod of users(node, volume))
        events.warning(pod, "FailedAttachVolume", `Multi-Attach error for volume "${volume.persistentVolume}" ${text}`);
    };

    return {
      watch(queue) {
        const addNode = ({ metadata }: { metadata: { name: string } }): void => queue.add(metadata.name);
        nodes.addHandlers({ added: addNode, updated: addNode, deleted: addNode });
        const addPod = (pod: Stored<Pod>): void => {
          if (pods.informer.synced && claimKeys(pod).length > 0) queue.add(pod.spec.nodeName ?? "");
        };
        pods.informer.addHandlers({
          added: addPod,
          deleted: addPod,
          updated(now, before) {
            if (now.spec.nodeName !== before.spec.nodeName || isPodFinished(now) !== isPodFinished(before)) addPod(now);
          },
        });
        const addUsers = ({
          metadata: { namespace = "", name },
        }: {
          metadata: { namespace?: string; name: string };
        }) => {
          for (const pod of pods.informer.cache.byIndex(BY_CLAIM, `${namespace}/${name}`)) addPod(pod);
        };
        claims.addHandlers({ added: addUsers, updated: addUsers });
        const addAttachment = ({ spec }: Stored<VolumeAttachment>): void => queue.add(spec.nodeName);
        attachments.addHandlers({
          added: addAttachment,
          updated(now, before) {
            addAttachment(now);
            report(now, before);
          },
          deleted(attachment) {
            addAttachment(attachment);
            const volume = attachment.spec.source.persistentVolumeName ?? "";
            for (const node of waiting.get(volume) ?? []) queue.add(node);
            waiting.delete(volume);
          },
        });
        volumes.addHandlers({
          updated: ({ spec: { claimRef } = {} }) => {
            if (claimRef?.name !== undefined)
              addUsers({ metadata: { namespace: claimRef.namespace ?? "", name: claimRef.name } });
          },
        });
      },
      async reconcile(name) {
        const node = nodes.cache.get(name);
        if (node !== undefined && !isManaged(node, names)) return done;
        const nowMs = clock.monotonicMs();
        const existing = attachments.cache.byIndex(BY_NODE, name);
        const wanted = node === undefined ? new Map<string, AttachableVolume>() : wantedOn(name);
        for (const { metadata } of existing) {
          if (wanted.has(metadata.name)) unwanted.delete(metadata.name);
          else if (!unwanted.has(metadata.name)) unwanted.set(metadata.name, nowMs);
        }
        const plan = planAttachments({
          node,
          wanted,
          existing,
          volumeOf: ({ spec }) => volumeNamed(spec.source.persistentVolumeName, name),
          holdersOf: (volume) => attachments.cache.byIndex(BY_VOLUME, volume).map(({ spec }) => spec.nodeName),
          unwantedMs: (attachment) => nowMs - (unwanted.get(attachment) ?? nowMs),
          names,
        });
        for (const volume of plan.blocked) reportBlocked(name, volume);
        for (const { attachment, driver, persistentVolume } of plan.attach) {
          const spec = { attacher: driver, nodeName: name, source: { persistentVolumeName: persistentVolume } };
          try {
            await live.create({ metadata: { name: attachment }, spec });
          } catch (error) {
            if (!isApiError(error, "AlreadyExists")) throw error;
          }
        }
        for (const { metadata } of plan.detach) {
          try {
            await live.delete(metadata.name, { preconditions: { uid: metadata.uid } });
          } catch (error) {
            if (!isApiError(error, "NotFound", "Conflict")) throw error;
          }
          unwanted.delete(metadata.name);
        }
        if (plan.volumesAttached !== undefined) {
          const { volumesAttached } = plan;
          await client.core.v1.nodes().status.patch(name, { merge: { status: { volumesAttached } } });
        }
        return plan.nextMs === undefined ? done : againAfterMs(plan.nextMs);
      },
    };
  },
};

function claimKeys(pod: Stored<Pod>): string[] {
  return claimNamesOf(pod).map((name) => `${pod.metadata.namespace ?? ""}/${name}`);
}
