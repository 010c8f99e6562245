// StatefulSets as caches show them, for tests of rules.

import type { Stored } from "../../client/informer.ts";
import type { StatefulSet } from "../../kinds/apps/stateful-set.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { timeOfMs } from "../../meta/time.ts";
import { type TestPod, testPod } from "../pods-of-owner/pods.testing.ts";
import { REVISION_LABEL } from "../revisions/revision.ts";

export const NOW_MS = Date.parse("2030-01-01T12:00:00Z");

export function testSet(
  spec: Partial<StatefulSet["spec"]> = {},
  status: Partial<StatefulSet["status"]> = {},
): Stored<StatefulSet> {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: {
      name: "web",
      namespace: "default",
      uid: "set",
      resourceVersion: "1",
      creationTimestamp: timeOfMs(0),
      generation: 1,
    },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: "web" } },
      serviceName: "web",
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "c", image: "i", resources: {} }] },
      },
      podManagementPolicy: "OrderedReady",
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      ...spec,
    },
    status: { replicas: 0, availableReplicas: 0, ...status },
  };
}

type SetPod = Omit<TestPod, "name"> & { readonly ready?: boolean; readonly revision?: string };

/** Ready since long, of the revision "new". */
export function setPod(ordinal: number, { ready = true, revision = "new", ...parts }: SetPod = {}): Stored<Pod> {
  const name = `web-${ordinal}`;
  const labels = {
    app: "web",
    [REVISION_LABEL]: revision,
    "statefulset.kubernetes.io/pod-name": name,
    ...parts.labels,
  };
  return testPod({ name, ...(ready ? { readySinceMs: 0 } : {}), ...parts, labels });
}
