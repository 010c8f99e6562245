// Claims and volumes for tests of the rules.

import type { Claim, Volume } from "./match-volume.ts";

interface Parts {
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
}

export function testClaim(name: string, { metadata, spec, status }: Parts = {}): Claim {
  return {
    metadata: { name, namespace: "ns", uid: `uid-${name}`, resourceVersion: "1", ...metadata },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "man",
      resources: { requests: { storage: "1Gi" } },
      ...spec,
    },
    status: { phase: "Pending", ...status },
  } as unknown as Claim;
}

export function testVolume(name: string, { metadata, spec, status }: Parts = {}): Volume {
  return {
    metadata: { name, uid: `uid-${name}`, resourceVersion: "1", ...metadata },
    spec: { capacity: { storage: "5Gi" }, accessModes: ["ReadWriteOnce"], storageClassName: "man", ...spec },
    status: { phase: "Available", ...status },
  } as unknown as Volume;
}

export const reference = (name: string, uid?: string) => ({
  namespace: "ns",
  name,
  ...(uid === undefined ? {} : { uid }),
});
