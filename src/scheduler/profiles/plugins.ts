// Which plug-ins of a profile are on, and where: those that are on by default, changed by what the profile says of all points
// together (multiPoint) and then of each. Pure.

import { ConfigError } from "../../options/read-config.ts";
import type { PluginsConfiguration } from "./configuration.ts";

type Point = Exclude<keyof PluginsConfiguration, "multiPoint">;
type PluginSet = PluginsConfiguration["multiPoint"];

/** By the point, the plug-ins that are on there with their weights, which only scores have. */
export type ActivePlugins = ReadonlyMap<Point, ReadonlyMap<string, number>>;

interface Plugin {
  readonly points: readonly Point[];
  /** Of its score. */
  readonly weight?: number;
}

const FILTER = ["preFilter", "filter"] as const;
const SCORE = ["preScore", "score"] as const;

/** In upstream's order. */
const PLUGINS: ReadonlyMap<string, Plugin> = new Map<string, Plugin>([
  ["SchedulingGates", { points: ["preEnqueue"] }],
  ["PrioritySort", { points: ["queueSort"] }],
  ["NodeUnschedulable", { points: ["filter"] }],
  ["NodeName", { points: ["filter"] }],
  ["TaintToleration", { points: ["filter", ...SCORE], weight: 3 }],
  ["NodeAffinity", { points: [...FILTER, ...SCORE], weight: 2 }],
  ["NodePorts", { points: FILTER }],
  ["NodeResourcesFit", { points: [...FILTER, ...SCORE], weight: 1 }],
  ["VolumeRestrictions", { points: FILTER }],
  ["NodeVolumeLimits", { points: FILTER }],
  ["VolumeBinding", { points: [...FILTER, "reserve", "preBind"] }],
  ["VolumeZone", { points: FILTER }],
  ["PodTopologySpread", { points: [...FILTER, ...SCORE], weight: 2 }],
  ["InterPodAffinity", { points: [...FILTER, ...SCORE], weight: 2 }],
  ["DynamicResources", { points: ["preEnqueue", ...FILTER, "postFilter", "reserve", "preBind"] }],
  ["DefaultPreemption", { points: ["postFilter"] }],
  ["NodeResourcesBalancedAllocation", { points: SCORE, weight: 1 }],
  ["ImageLocality", { points: ["score"], weight: 1 }],
  ["DefaultBinder", { points: ["bind"] }],
]);

const POINTS: readonly Point[] = [
  "preEnqueue",
  "queueSort",
  "preFilter",
  "filter",
  "postFilter",
  "preScore",
  "score",
  "reserve",
  "permit",
  "preBind",
  "bind",
  "postBind",
];

/** What nothing works without, here as upstream. */
const NEEDED: readonly (readonly [Point, string])[] = [
  ["preEnqueue", "SchedulingGates"],
  ["queueSort", "PrioritySort"],
  ["bind", "DefaultBinder"],
];

const ALL = "*";

/** Fails with ConfigError, which names the field: `path` is that of the plug-ins. */
export function activePlugins(plugins: PluginsConfiguration, path: string): ActivePlugins {
  const byDefault = new Map(Array.from(PLUGINS, ([name, { weight }]) => [name, weight ?? 0]));
  const everywhere = changed(byDefault, plugins.multiPoint, `${path}.multiPoint`);
  const active = new Map<Point, ReadonlyMap<string, number>>();
  for (const point of POINTS) {
    const there = new Map([...everywhere].filter(([name]) => hasPoint(name, point)));
    active.set(point, changed(there, plugins[point], `${path}.${point}`, point));
  }
  refuseHalves(active, path);
  return active;
}

function changed(
  before: ReadonlyMap<string, number>,
  { enabled, disabled }: PluginSet,
  path: string,
  point?: Point,
): ReadonlyMap<string, number> {
  for (const [list, entries] of Object.entries({ enabled, disabled }))
    for (const [index, { name }] of entries.entries()) {
      const at = `${path}.${list}[${index}].name`;
      if (name === ALL && list === "disabled") continue;
      if (!PLUGINS.has(name))
        throw new ConfigError(
          at,
          `${JSON.stringify(name)} is not a plugin of this scheduler: ${[...PLUGINS.keys()].join(", ")}`,
        );
      if (point !== undefined && !hasPoint(name, point))
        throw new ConfigError(at, `the plugin ${name} has nothing to do at ${point}`);
      if (list === "enabled" && entries.findIndex((each) => each.name === name) < index)
        throw new ConfigError(at, `the plugin ${name} is enabled twice`);
    }
  const off = new Set(disabled.map(({ name }) => name));
  const after = new Map([...before].filter(([name]) => !off.has(ALL) && !off.has(name)));
  // As upstream: who enables a score without a weight means 1.
  for (const { name, weight } of enabled) after.set(name, weight === 0 ? 1 : weight);
  return after;
}

const hasPoint = (name: string, point: Point): boolean => PLUGINS.get(name)?.points.includes(point) === true;

/** Plug-ins here are whole where upstream's have parts. */
function refuseHalves(active: ActivePlugins, path: string): void {
  const isOn = (name: string, point: Point): boolean => active.get(point)?.has(name) === true;
  for (const [point, name] of NEEDED)
    if (!isOn(name, point))
      throw new ConfigError(`${path}.${point}`, `the plugin ${name} is needed and cannot be disabled`);
  for (const [name, { points }] of PLUGINS) {
    for (const [first, second] of [FILTER, SCORE])
      if (points.includes(first) && isOn(name, second) && !isOn(name, first))
        throw new ConfigError(
          `${path}.${first}`,
          `the plugin ${name} is needed at ${first} while it is enabled at ${second}`,
        );
    const others = points.filter((point) => point !== "preFilter" && !SCORE.includes(point as "score"));
    const isWhole = name === "VolumeBinding" || name === "DynamicResources";
    if (isWhole && new Set(others.map((point) => isOn(name, point))).size > 1)
      throw new ConfigError(path, `the plugin ${name} can only be switched at all its points together: by multiPoint`);
  }
}
