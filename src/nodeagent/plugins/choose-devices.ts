// Which devices a container gets. Pure.

export interface DeviceChoice {
  readonly wanted: number;
  readonly healthy: Iterable<string>;
  /** Of init containers of the same pod, which have ended before this container starts. */
  readonly inherited: ReadonlySet<string>;
  /** Of everybody else. */
  readonly taken: ReadonlySet<string>;
  /** Those that go well together, as the plug-in says. */
  readonly preferred?: readonly string[];
  /** How near each is to where the container shall be: the smaller the better. */
  readonly near?: ReadonlyMap<string, number>;
}

/** Those that the pod has already come first, then those that are near, of these what the plug-in prefers. Undefined when there are not enough. */
export function chooseDevices(choice: DeviceChoice): string[] | undefined {
  const { wanted, inherited, preferred = [], near } = choice;
  const free = freeDevices(choice);
  const liked = new Set(preferred);
  const own = free.filter((id) => inherited.has(id));
  const order = (id: string) => (near?.get(id) ?? 0) * 2 + (liked.has(id) ? 0 : 1);
  const others = free.filter((id) => !inherited.has(id)).sort((a, b) => order(a) - order(b));
  const chosen = [...own, ...others].slice(0, wanted);
  return chosen.length === wanted ? chosen : undefined;
}

/** In the order of their names. */
export function freeDevices({ healthy, taken }: Pick<DeviceChoice, "healthy" | "taken">): string[] {
  return [...healthy].filter((id) => !taken.has(id)).sort();
}
