// Which devices a container gets. Pure.

interface DeviceChoice {
  readonly wanted: number;
  readonly healthy: Iterable<string>;
  /** Of init containers of the same pod, which have ended before this container starts. */
  readonly inherited: ReadonlySet<string>;
  /** Of everybody else. */
  readonly taken: ReadonlySet<string>;
}

/** Those that the pod has already come first. Undefined when there are not enough. */
export function chooseDevices({ wanted, healthy, inherited, taken }: DeviceChoice): string[] | undefined {
  const free = [...healthy].filter((id) => !taken.has(id)).sort();
  const own = free.filter((id) => inherited.has(id));
  const others = free.filter((id) => !inherited.has(id));
  const chosen = [...own, ...others].slice(0, wanted);
  return chosen.length === wanted ? chosen : undefined;
}
