// Deployments and ReplicaSets as caches show them, for tests of rules.

import type { Stored } from "../../client/informer.ts";
import type { Deployment } from "../../kinds/apps/deployment.ts";
import { timeOfMs } from "../../meta/time.ts";
import type { OwnedSet } from "./replica-sets.ts";

export interface TestSet {
  readonly replicas?: number;
  readonly available?: number;
  readonly statusReplicas?: number;
  readonly annotations?: Record<string, string>;
  readonly createdMs?: number;
  readonly image?: string;
  readonly observed?: boolean;
  readonly ending?: boolean;
}

export function testSet(name: string, parts: TestSet = {}): OwnedSet {
  const { replicas = 0, available = 0, statusReplicas = replicas, createdMs = 0, image = "i", observed = true } = parts;
  return {
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      resourceVersion: "1",
      generation: 1,
      creationTimestamp: timeOfMs(createdMs),
      ...(parts.annotations === undefined ? {} : { annotations: parts.annotations }),
      ...(parts.ending === true ? { deletionTimestamp: timeOfMs(0) } : {}),
    },
    spec: { replicas, selector: {}, template: template(image) },
    status: { replicas: statusReplicas, availableReplicas: available, observedGeneration: observed ? 1 : 0 },
  };
}

export function testDeployment(
  spec: Partial<Deployment["spec"]> = {},
  status: Deployment["status"] = {},
): Stored<Deployment> {
  return {
    metadata: {
      name: "web",
      namespace: "default",
      uid: "uid-web",
      resourceVersion: "1",
      generation: 2,
      creationTimestamp: timeOfMs(0),
    },
    spec: {
      replicas: 10,
      selector: { matchLabels: { app: "web" } },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      template: template("i"),
      ...spec,
    },
    status,
  };
}

const template = (image: string) => ({
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "c", image, resources: {} }] },
});
