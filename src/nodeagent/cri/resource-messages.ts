// Messages of the container runtime interface, v1: what a container or sandbox may use.

import { message, p } from "../grpc/message.ts";

const hugepageLimit = message({ pageSize: p.string(1), limit: p.uint64(2) });

export const linuxContainerResources = message({
  /** In microseconds. */
  cpuPeriod: p.int64(1),
  cpuQuota: p.int64(2),
  cpuShares: p.int64(3),
  memoryLimitInBytes: p.int64(4),
  oomScoreAdj: p.int64(5),
  cpusetCpus: p.string(6),
  cpusetMems: p.string(7),
  hugepageLimits: p.many(p.message(8, hugepageLimit)),
  /** Files of the cgroup (version 2) and what they shall hold. */
  unified: p.map(9),
  memorySwapLimitInBytes: p.int64(10),
});
