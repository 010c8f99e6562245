// DaemonSets and nodes as caches show them, for tests of rules.

import type { Stored } from "../../client/informer.ts";
import type { DaemonSet } from "../../kinds/apps/daemon-set.ts";
import type { Node } from "../../kinds/core/node.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { timeOfMs } from "../../meta/time.ts";
import { type TestPod, testPod } from "../pods-of-owner/pods.testing.ts";
import { REVISION_LABEL } from "../revisions/revision.ts";

export const NOW_MS = Date.parse("2030-01-01T12:00:00Z");

const meta = (name: string) => ({ name, uid: `uid-${name}`, resourceVersion: "1", creationTimestamp: timeOfMs(0) });

export function testSet(
  spec: Partial<DaemonSet["spec"]> = {},
  podSpec: Partial<DaemonSet["spec"]["template"]["spec"]> = {},
): Stored<DaemonSet> {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { ...meta("ds"), namespace: "default", generation: 1 },
    spec: {
      selector: { matchLabels: { app: "ds" } },
      template: {
        metadata: { labels: { app: "ds" } },
        spec: { containers: [{ name: "c", image: "i", resources: {} }], ...podSpec },
      },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      ...spec,
    },
    status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
  };
}

export function testNode(
  name: string,
  labels: Record<string, string> = {},
  taints: NonNullable<NonNullable<Node["spec"]>["taints"]> = [],
): Stored<Node> {
  return { metadata: { ...meta(name), labels }, spec: { taints }, status: {} } as Stored<Node>;
}

type DaemonPod = Omit<TestPod, "name"> & { readonly ready?: boolean; readonly hash?: string };

/** Ready since long, of the present template. */
export function daemonPod(name: string, { ready = true, hash = "new", ...parts }: DaemonPod = {}): Stored<Pod> {
  const labels = { app: "ds", [REVISION_LABEL]: hash };
  return testPod({ name, nodeName: "n", ...(ready ? { readySinceMs: 0 } : {}), ...parts, labels });
}
