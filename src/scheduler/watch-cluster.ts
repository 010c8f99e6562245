// From changes in the API to what the scheduler knows: pods to place, pods that are placed, nodes, namespaces.

import { equalJson, equalMembers, type JsonObject } from "../base/json.ts";
import { kinds } from "../client/built-in-kinds.ts";
import type { InformerHandlers, Stored } from "../client/informer.ts";
import type { SharedInformers } from "../client/shared-informers.ts";
import type { Node } from "../kinds/core/node.ts";
import { asHeld } from "../kinds/core/pod/held-resources.ts";
import type { Pod } from "../kinds/core/pod.ts";
import { type EventMeter, timedHandlers } from "./metrics/timed-handlers.ts";
import type { SchedulingQueue } from "./queue/scheduling-queue.ts";
import { nodeChanges } from "./queue/wake-rules.ts";
import type { ClusterState } from "./state/cluster-state.ts";
import { podInfo } from "./state/pod-info.ts";

interface WatchedCluster extends EventMeter {
  readonly informers: SharedInformers;
  readonly state: ClusterState;
  readonly queue: SchedulingQueue;
  /** Whether pods of a scheduler name are ours. */
  readonly isOurs: (schedulerName: string) => boolean;
}

export function watchCluster({ informers, state, queue, isOurs, ...meter }: WatchedCluster): void {
  // Pods that have ended leave: they need no node any more.
  const pods: InformerHandlers<Pod> = {
    added: (pod) => (isPlaced(pod) ? placed(pod) : waits(pod, true)),
    updated(pod, old) {
      if (isPlaced(pod)) {
        if (isSameHere(pod, old) && (isPlaced(old) || isExpectedThere(pod))) arrived(pod);
        else placed(pod);
      } else {
        waits(pod, !isSameHere(pod, old), old);
      }
    },
    deleted: gone,
  };
  const podWord = (pod: Pod): string => (isPlaced(pod) ? "AssignedPod" : "UnschedulablePod");
  informers
    .of(kinds.core.v1.pods, { fieldSelector: "status.phase!=Succeeded,status.phase!=Failed" })
    .addHandlers(timedHandlers(podWord, pods, meter));
  const nodes: InformerHandlers<Node> = {
    added(node) {
      state.setNode(node);
      queue.changed("node added");
    },
    updated(node, old) {
      state.setNode(node);
      for (const change of nodeChanges(node, old)) queue.changed(change);
    },
    deleted({ metadata }) {
      state.removeNode(metadata.name);
      queue.changed("node removed");
    },
  };
  informers.of(kinds.core.v1.nodes).addHandlers(timedHandlers(() => "Node", nodes, meter));
  informers.of(kinds.core.v1.namespaces).addHandlers({
    added: ({ metadata }) => state.setNamespace(metadata.name, metadata.labels ?? {}),
    updated({ metadata }, old) {
      if (equalJson(metadata.labels, old.metadata.labels)) return;
      state.setNamespace(metadata.name, metadata.labels ?? {});
      queue.changed("namespace labels");
    },
    deleted: ({ metadata }) => state.setNamespace(metadata.name, undefined),
  });

  function placed(pod: Stored<Pod>): void {
    const { uid } = pod.metadata;
    const before = state.placeOf(uid);
    const info = podInfo(pod);
    state.place(info, pod.spec.nodeName ?? "");
    state.forgetNomination(uid);
    queue.remove(uid);
    if (before === undefined || !isPlaced(before.info.pod)) came(pod);
    else queue.changed(info.isTerminating && !before.info.isTerminating ? "pod gone" : "pod changed");
  }

  /** Whether it is where this scheduler has sent it. */
  function isExpectedThere({ metadata, spec }: Stored<Pod>): boolean {
    return state.placeOf(metadata.uid)?.node.name === spec.nodeName;
  }

  /** Nothing is new but its status, or that it is bound. */
  function arrived(pod: Stored<Pod>): void {
    const known = state.placeOf(pod.metadata.uid);
    if (known === undefined) return;
    const wasOnItsWay = !isPlaced(known.info.pod);
    known.info.pod = pod;
    if (!wasOnItsWay) return;
    queue.remove(pod.metadata.uid);
    came(pod);
  }

  function came({ spec, status: { nominatedNodeName } }: Stored<Pod>): void {
    queue.changed("pod placed");
    if (nominatedNodeName && nominatedNodeName !== spec.nodeName) queue.changed("pod gone");
  }

  function waits(pod: Stored<Pod>, isWorthATry: boolean, old?: Stored<Pod>): void {
    const { uid, deletionTimestamp } = pod.metadata;
    // On its way to a node: the next state of it that counts is the one that says so, unless it does not get there.
    if (state.placeOf(uid) !== undefined) {
      queue.refresh(podInfo(pod));
      return;
    }
    if (deletionTimestamp !== undefined || !isOurs(pod.spec.schedulerName ?? "")) {
      queue.remove(uid);
      if (state.nominationOf(uid) === undefined) return;
      state.forgetNomination(uid);
      queue.changed("pod gone");
      return;
    }
    const info = podInfo(pod);
    // What says nothing of it, before and now, may be older than the room that is being made for the pod.
    const said = pod.status.nominatedNodeName || undefined;
    const isNews = old === undefined || said !== (old.status.nominatedNodeName || undefined);
    state.nominate(info, isNews ? said : (said ?? state.nominationOf(uid)));
    // To others the room there was taken.
    if (isNews && old?.status.nominatedNodeName) queue.changed("pod gone");
    queue.put(info, isWorthATry);
  }

  function gone(pod: Stored<Pod>): void {
    const { uid } = pod.metadata;
    queue.remove(uid);
    const hadRoom = state.placeOf(uid) !== undefined || state.nominationOf(uid) !== undefined;
    state.forgetNomination(uid);
    state.remove(uid);
    if (hadRoom) queue.changed("pod gone");
  }
}

const isPlaced = ({ spec }: Pod): boolean => spec.nodeName !== undefined && spec.nodeName !== "";

/** Whether nothing has changed that scheduling looks at: of statuses only the resources that containers have. */
function isSameHere(pod: Stored<Pod>, old: Stored<Pod>): boolean {
  return (
    pod.metadata.deletionTimestamp === old.metadata.deletionTimestamp &&
    // What is equal to the version before is mostly the very same object.
    (pod.spec === old.spec || equalMembers(asMembers(pod.spec), asMembers(old.spec), "nodeName")) &&
    equalJson(pod.metadata.labels, old.metadata.labels) &&
    equalJson(pod.metadata.ownerReferences, old.metadata.ownerReferences) &&
    holdsTheSame(pod, old)
  );
}

/** Of two pods with the same spec. */
function holdsTheSame(pod: Stored<Pod>, old: Stored<Pod>): boolean {
  const [now, before] = [asHeld(pod), asHeld(old)];
  if (now === pod && before === old) return true;
  return (
    equalJson(now.spec.containers, before.spec.containers) &&
    equalJson(now.spec.initContainers, before.spec.initContainers)
  );
}

const asMembers = (spec: Pod["spec"]): JsonObject => spec as unknown as JsonObject;
