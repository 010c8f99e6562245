// Pods as caches show them, for tests of rules; and what nodes would say of pods, for tests against a server.

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import type { Client } from "../../client/client.ts";
import type { Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { OwnerReference } from "../../meta/object.ts";
import { timeOfMs } from "../../meta/time.ts";
import { type ControllerDefinition, done } from "../framework/controller.ts";
import { enqueueItself } from "../framework/enqueue.ts";
import { isReady } from "./pod-state.ts";

export interface TestPod {
  readonly name?: string;
  readonly uid?: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly owner?: OwnerReference;
  readonly nodeName?: string;
  readonly phase?: NonNullable<Pod["status"]["phase"]>;
  /** Since when it is ready; not ready when not given. */
  readonly readySinceMs?: number;
  readonly createdMs?: number;
  readonly restarts?: number;
  readonly sidecarRestarts?: number;
  readonly ending?: boolean;
}

export function testPod(parts: TestPod = {}): Stored<Pod> {
  const { name = "p", uid = `uid-${name}`, createdMs = 0, nodeName, phase = "Running", readySinceMs } = parts;
  return {
    metadata: {
      name,
      namespace: "default",
      uid,
      resourceVersion: "1",
      creationTimestamp: timeOfMs(createdMs),
      ...(parts.labels === undefined ? {} : { labels: parts.labels }),
      ...(parts.annotations === undefined ? {} : { annotations: parts.annotations }),
      ...(parts.owner === undefined ? {} : { ownerReferences: [parts.owner] }),
      ...(parts.ending === true ? { deletionTimestamp: timeOfMs(0) } : {}),
    },
    spec: {
      containers: [{ name: "c", image: "i", resources: {} }],
      ...(parts.sidecarRestarts === undefined
        ? {}
        : { initContainers: [{ name: "s", image: "i", resources: {}, restartPolicy: "Always" }] }),
      ...(nodeName === undefined ? {} : { nodeName }),
    },
    status: {
      phase,
      ...(readySinceMs === undefined
        ? {}
        : {
            conditions: [
              { type: "Ready", status: "True", lastProbeTime: null, lastTransitionTime: timeOfMs(readySinceMs) },
            ],
          }),
      ...(parts.restarts === undefined ? {} : { containerStatuses: [containerStatus("c", parts.restarts)] }),
      ...(parts.sidecarRestarts === undefined
        ? {}
        : { initContainerStatuses: [containerStatus("s", parts.sidecarRestarts)] }),
    },
  };
}

function containerStatus(name: string, restartCount: number) {
  return { name, restartCount, ready: true, image: "i", imageID: "", state: {}, lastState: {} };
}

/** What a node agent would say of a pod that runs: its containers are ready since now. */
export async function makeReady(client: Client, pod: Stored<Pod>, nowMs: number): Promise<void> {
  const { namespace, name } = pod.metadata;
  const condition = { type: "Ready", status: "True", lastTransitionTime: timeOfMs(nowMs) };
  await client.core.v1.pods(namespace).status.patch(name, {
    merge: { status: { phase: "Running", conditions: [condition] } },
  });
}

/** Stands in for the nodes: every pod that `runs` is ready at once. Pods without a node go as soon as they are deleted. */
export function nodesWhere(runs: (pod: Stored<Pod>) => boolean): ControllerDefinition {
  return {
    name: "test-nodes",
    build({ client, informers, clock }) {
      const pods = informers.of(kinds.core.v1.pods);
      return {
        watch: (queue) => void pods.addHandlers(enqueueItself(queue)),
        async reconcile(key) {
          const pod = pods.cache.get(key);
          if (pod === undefined || !runs(pod) || isReady(pod)) return done;
          await makeReady(client, pod, clock.nowMs()).catch((error: unknown) => {
            if (!isApiError(error, "NotFound")) throw error;
          });
          return done;
        },
      };
    },
  };
}
