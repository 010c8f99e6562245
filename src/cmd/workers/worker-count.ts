// How many processes serve: what --workers means on this machine.

import { UsageError } from "../../base/start-error.ts";
import type { ApiServerOptions } from "../../options/api-server-options.ts";

interface WorkerFacts {
  readonly cores: number;
  /** The store is in the memory of one process. */
  readonly inMemory: boolean;
}

/** At least 1: the process itself. Fails with UsageError when more are asked for than can be. */
export function workerCount(
  { workers, auditLogPath }: Pick<ApiServerOptions, "workers" | "auditLogPath">,
  { cores, inMemory }: WorkerFacts,
): number {
  const onlyOne = inMemory
    ? "a store in memory belongs to one process"
    : auditLogPath !== undefined && auditLogPath !== "-"
      ? "the file of --audit-log-path has one writer"
      : undefined;
  if (workers === undefined) return onlyOne === undefined && cores >= 4 ? cores - 1 : 1;
  const count = workers === 0 ? cores : workers;
  if (count > 1 && onlyOne !== undefined && workers !== 0) throw new UsageError(`flag --workers: ${onlyOne}: use 1`);
  return onlyOne === undefined ? count : 1;
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
