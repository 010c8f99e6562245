// Claims and pods that use them, as caches show them, for tests of rules.

import type { Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { ResourceClaim } from "../../kinds/resource/resource-claim.ts";
import { namesFor } from "../../meta/names.ts";
import { timeOfMs } from "../../meta/time.ts";
import { testPod } from "../pods-of-owner/pods.testing.ts";

export const names = namesFor("kubernetes");

export interface TestClaim {
  readonly reservedFor?: NonNullable<ResourceClaim["status"]["reservedFor"]>;
  readonly allocated?: boolean;
  readonly held?: boolean;
  readonly ending?: boolean;
  readonly owner?: Stored<Pod>;
}

export function testClaim({ reservedFor, allocated, held, ending, owner }: TestClaim = {}): Stored<ResourceClaim> {
  const reference = owner && {
    apiVersion: "v1",
    kind: "Pod",
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
  };
  return {
    metadata: {
      name: "c",
      namespace: "default",
      uid: "claim",
      resourceVersion: "1",
      creationTimestamp: timeOfMs(0),
      ...(held === true ? { finalizers: ["x", names.claimProtectionFinalizer] } : {}),
      ...(ending === true ? { deletionTimestamp: timeOfMs(0) } : {}),
      ...(reference === undefined ? {} : { ownerReferences: [reference] }),
    },
    spec: { devices: { requests: [] } },
    status: {
      ...(reservedFor === undefined ? {} : { reservedFor }),
      ...(allocated === true ? { allocation: {} } : {}),
    },
  } as unknown as Stored<ResourceClaim>;
}

export function claimingPod(
  parts: Parameters<typeof testPod>[0] = {},
  status: Partial<Pod["status"]> = {},
): Stored<Pod> {
  const pod = testPod(parts);
  return {
    ...pod,
    spec: {
      ...pod.spec,
      resourceClaims: [
        { name: "gpu", resourceClaimTemplateName: "t" },
        { name: "shared", resourceClaimName: "s" },
      ],
    },
    status: { ...pod.status, ...status },
  };
}

export const reservedFor = ({ metadata: { name, uid } }: Stored<Pod>) => ({ resource: "pods", name, uid });
