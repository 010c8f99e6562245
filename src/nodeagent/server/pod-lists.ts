// GET /pods: the pods of the node as the agent has them. GET /runningpods: what the runtime runs, whether wanted or not.

import { groupBy } from "../../base/index-by.ts";
import { timeOfMs } from "../../meta/time.ts";
import type { PodRunner } from "../context.ts";
import type { CriClient } from "../cri/cri-client.ts";
import { jsonAnswer } from "./answers.ts";
import type { Endpoint } from "./routes.ts";

export function podsEndpoint(runner: Pick<PodRunner, "pods">): Endpoint {
  return () => jsonAnswer(podList(runner.pods().map((pod): unknown => ({ ...pod, apiVersion: "v1", kind: "Pod" }))));
}

export function runningPodsEndpoint(cri: CriClient): Endpoint {
  return async ({ signal }) => {
    const [{ items }, { containers }] = await Promise.all([
      cri.listPodSandbox({ filter: { state: { state: "SANDBOX_READY" } } }, { signal }),
      cri.listContainers({ filter: { state: { state: "CONTAINER_RUNNING" } } }, { signal }),
    ]);
    const bySandbox = groupBy(containers, ({ podSandboxId }) => podSandboxId);
    return jsonAnswer(
      podList(
        items.map(({ id, metadata, createdAt, labels }) => ({
          metadata: {
            name: metadata?.name,
            namespace: metadata?.namespace,
            uid: metadata?.uid,
            creationTimestamp: timeOfMs(createdAt / 1e6),
            labels,
          },
          spec: {
            containers: (bySandbox.get(id) ?? []).map(({ metadata: container, image }) => ({
              name: container?.name,
              image: image?.image,
              resources: {},
            })),
          },
          status: {},
        })),
      ),
    );
  };
}

function podList(items: readonly unknown[]): object {
  return { kind: "PodList", apiVersion: "v1", metadata: {}, items };
}
