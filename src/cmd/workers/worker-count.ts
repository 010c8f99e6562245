// How many processes serve: what --workers means on this machine.

import { UsageError } from "../../base/start-error.ts";
import type { ApiServerOptions } from "../../options/api-server-options.ts";

interface WorkerFacts {
  readonly cores: number;
  /** The store is in the memory of one process. */
  readonly inMemory: boolean;
}

/** At least 1: the process itself. Fails with UsageError when more are asked for than can be. */
export function workerCount({ workers }: Pick<ApiServerOptions, "workers">, { cores, inMemory }: WorkerFacts): number {
  if (inMemory) {
    if ((workers ?? 0) > 1) throw new UsageError("flag --workers: a store in memory belongs to one process: use 1");
    return 1;
  }
  if (workers === undefined) return cores >= 4 ? cores - 1 : 1;
  return workers === 0 ? cores : workers;
}

/** Each of several processes allows its part of what all may do at once. */
export function shareOfLimits<
  Options extends Pick<ApiServerOptions, "maxRequestsInflight" | "maxMutatingRequestsInflight">,
>(options: Options, count: number): Options {
  return {
    ...options,
    maxRequestsInflight: Math.ceil(options.maxRequestsInflight / count),
    maxMutatingRequestsInflight: Math.ceil(options.maxMutatingRequestsInflight / count),
  };
}
