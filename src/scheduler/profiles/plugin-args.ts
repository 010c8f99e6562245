// What plug-ins can be told in a profile (pluginConfig): upstream's fields, defaults and limits. Pure.

import { isObject, type Json } from "../../base/json.ts";
import { type NodeMatcher, nodeSelectorMatcher, nodeTermMatcher } from "../../kinds/core/node-matcher.ts";
import type { NodeSelectorTerm } from "../../kinds/core/node-selector.ts";
import { completeStruct, usableStruct } from "../../options/complete-config.ts";
import { type FieldTable, f, type StructOf } from "../../options/config-fields.ts";
import { ConfigError, readStruct } from "../../options/read-config.ts";
import type { ProfileConfiguration } from "./configuration.ts";

const resource = f.struct({ name: f.string(""), weight: f.filled(f.int(1)) });
const CPU_AND_MEMORY = [
  { name: "cpu", weight: 1 },
  { name: "memory", weight: 1 },
];
const point = f.struct({ utilization: f.int(0), score: f.int(0) });
const constraint = f.struct({
  maxSkew: f.int(0),
  topologyKey: f.string(""),
  whenUnsatisfiable: f.string(""),
});

const ARGS = {
  InterPodAffinity: {
    hardPodAffinityWeight: f.int(1),
    ignorePreferredTermsOfExistingPods: f.bool(false),
  },
  NodeAffinity: { addedAffinity: f.json() },
  NodeResourcesFit: {
    ignoredResources: f.list(f.string("")),
    ignoredResourceGroups: f.list(f.string("")),
    scoringStrategy: f.struct({
      type: f.filled(f.choice(["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"], "LeastAllocated")),
      resources: f.filled(f.list(resource, CPU_AND_MEMORY)),
      requestedToCapacityRatio: f.struct({ shape: f.list(point) }),
    }),
  },
  NodeResourcesBalancedAllocation: { resources: f.filled(f.list(resource, CPU_AND_MEMORY)) },
  PodTopologySpread: {
    defaultConstraints: f.list(constraint),
    defaultingType: f.filled(f.choice(["System", "List"], "System")),
  },
  VolumeBinding: { bindTimeoutSeconds: f.int(600), shape: f.list(point) },
  DefaultPreemption: {
    minCandidateNodesPercentage: f.int(10),
    minCandidateNodesAbsolute: f.int(100),
  },
  DynamicResources: { filterTimeout: f.duration("10s") },
} as const;

type Args = { readonly [Name in keyof typeof ARGS]: StructOf<(typeof ARGS)[Name]> };

/** Read and checked, defaults filled in; the affinity that is added as what nodes are asked. */
export type PluginArgs = Omit<Args, "NodeAffinity"> & {
  readonly NodeAffinity: {
    readonly required: NodeMatcher | undefined;
    readonly preferred: readonly { readonly weight: number; readonly matcher: NodeMatcher }[];
  };
};

/** Fails with ConfigError, which names the field: `path` is that of the list. */
export function readPluginArgs(configs: ProfileConfiguration["pluginConfig"], path: string): PluginArgs {
  const given = new Map<string, { readonly args: Json; readonly at: string }>();
  for (const [index, { name, args }] of configs.entries()) {
    const at = `${path}[${index}]`;
    if (!Object.hasOwn(ARGS, name))
      throw new ConfigError(
        `${at}.name`,
        `${JSON.stringify(name)} is not a plugin that can be configured: ${Object.keys(ARGS).join(", ")}`,
      );
    if (given.has(name)) throw new ConfigError(`${at}.name`, `the plugin ${name} is configured twice`);
    given.set(name, { args: args ?? {}, at: `${at}.args` });
  }
  const read = <Fields extends FieldTable>(name: string, fields: Fields): StructOf<Fields> => {
    const { args = {}, at = "" } = given.get(name) ?? {};
    return usableStruct(
      fields,
      completeStruct(fields, readStruct(fields, withoutKind(args, name, at), at)),
    ) as StructOf<Fields>;
  };
  const pathOf = (name: string): string => given.get(name)?.at ?? "";
  const { NodeAffinity: affinityFields, ...others } = ARGS;
  const args = Object.fromEntries(Object.entries(others).map(([name, fields]) => [name, read(name, fields)]));
  const { addedAffinity } = read("NodeAffinity", affinityFields);
  const result = {
    ...(args as Omit<Args, "NodeAffinity">),
    NodeAffinity: affinityOf(addedAffinity, `${pathOf("NodeAffinity")}.addedAffinity`),
  };
  check(result, pathOf);
  return result;
}

/** Arguments may say what they are. */
function withoutKind(args: Json, name: string, at: string): Json {
  if (!isObject(args)) return args;
  const { apiVersion: _version, kind, ...fields } = args;
  if (kind !== undefined && kind !== `${name}Args`)
    throw new ConfigError(`${at}.kind`, `${JSON.stringify(kind)} is not ${name}Args`);
  return fields;
}

function check(args: PluginArgs, pathOf: (name: string) => string): void {
  const within = (name: keyof typeof ARGS, field: string, value: number, min: number, max: number): void => {
    if (value < min || value > max)
      throw new ConfigError(`${pathOf(name)}.${field}`, `${value} is not between ${min} and ${max}`);
  };
  within("InterPodAffinity", "hardPodAffinityWeight", args.InterPodAffinity.hardPodAffinityWeight, 0, 100);
  within("VolumeBinding", "bindTimeoutSeconds", args.VolumeBinding.bindTimeoutSeconds, 0, Number.MAX_SAFE_INTEGER);
  const { minCandidateNodesPercentage: percentage, minCandidateNodesAbsolute: least } = args.DefaultPreemption;
  within("DefaultPreemption", "minCandidateNodesPercentage", percentage, 0, 100);
  within("DefaultPreemption", "minCandidateNodesAbsolute", least, 0, Number.MAX_SAFE_INTEGER);
  const { type, resources, requestedToCapacityRatio } = args.NodeResourcesFit.scoringStrategy;
  for (const [index, { weight }] of resources.entries())
    within("NodeResourcesFit", `scoringStrategy.resources[${index}].weight`, weight, 1, 100);
  for (const [index, { weight }] of args.NodeResourcesBalancedAllocation.resources.entries())
    within("NodeResourcesBalancedAllocation", `resources[${index}].weight`, weight, 1, 1);
  if (type === "RequestedToCapacityRatio")
    checkShape(
      requestedToCapacityRatio.shape,
      `${pathOf("NodeResourcesFit")}.scoringStrategy.requestedToCapacityRatio.shape`,
    );
  checkSpread(args.PodTopologySpread, pathOf("PodTopologySpread"));
  if (args.VolumeBinding.shape.length > 0)
    throw new ConfigError(`${pathOf("VolumeBinding")}.shape`, "nodes are not compared by the capacity of storage here");
  if (args.DynamicResources.filterTimeoutMs !== FILTER_TIMEOUT_MS)
    throw new ConfigError(
      `${pathOf("DynamicResources")}.filterTimeout`,
      "the search for devices is bounded by its steps here, not by time",
    );
}

const FILTER_TIMEOUT_MS = 10_000;

type Shape = readonly { readonly utilization: number; readonly score: number }[];

function checkShape(shape: Shape, path: string): void {
  if (shape.length === 0) throw new ConfigError(path, "at least one point must be specified");
  for (const [index, { utilization, score }] of shape.entries()) {
    const at = `${path}[${index}]`;
    if (utilization < 0 || utilization > 100)
      throw new ConfigError(`${at}.utilization`, `${utilization} is not between 0 and 100`);
    if (score < 0 || score > 10) throw new ConfigError(`${at}.score`, `${score} is not between 0 and 10`);
    if (index > 0 && utilization <= shape[index - 1]!.utilization)
      throw new ConfigError(`${at}.utilization`, "utilization values must be sorted in increasing order");
  }
}

function checkSpread({ defaultConstraints, defaultingType }: Args["PodTopologySpread"], path: string): void {
  if (defaultingType === "System" && defaultConstraints.length > 0)
    throw new ConfigError(`${path}.defaultingType`, "when .defaultConstraints are specified, it must be List");
  for (const [index, { maxSkew, topologyKey, whenUnsatisfiable }] of defaultConstraints.entries()) {
    const at = `${path}.defaultConstraints[${index}]`;
    if (maxSkew <= 0) throw new ConfigError(`${at}.maxSkew`, "must be greater than zero");
    if (topologyKey === "") throw new ConfigError(`${at}.topologyKey`, "can not be empty");
    if (whenUnsatisfiable === "DoNotSchedule")
      throw new ConfigError(
        `${at}.whenUnsatisfiable`,
        "constraints by default are preferences here: only ScheduleAnyway",
      );
    if (whenUnsatisfiable !== "ScheduleAnyway")
      throw new ConfigError(`${at}.whenUnsatisfiable`, `${JSON.stringify(whenUnsatisfiable)} is not ScheduleAnyway`);
  }
}

function affinityOf(affinity: Json | undefined, path: string): PluginArgs["NodeAffinity"] {
  if (affinity === undefined || affinity === null) return { required: undefined, preferred: [] };
  const {
    requiredDuringSchedulingIgnoredDuringExecution: required,
    preferredDuringSchedulingIgnoredDuringExecution: preferred,
  } = usableStruct(
    affinityFields,
    completeStruct(affinityFields, readStruct(affinityFields, affinity, path)),
  ) as StructOf<typeof affinityFields>;
  if (required.nodeSelectorTerms.length === 0 && preferred.length === 0)
    throw new ConfigError(path, "says nothing: a required or a preferred term is expected");
  try {
    const terms = required.nodeSelectorTerms as unknown as NodeSelectorTerm[];
    return {
      required: terms.length === 0 ? undefined : nodeSelectorMatcher(terms),
      preferred: preferred.map(({ weight, preference }) => ({
        weight,
        matcher: nodeTermMatcher(preference as unknown as NodeSelectorTerm),
      })),
    };
  } catch (error) {
    throw new ConfigError(path, error instanceof Error ? error.message : String(error));
  }
}

const requirement = f.struct({
  key: f.string(""),
  operator: f.choice(["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"], "In"),
  values: f.list(f.string("")),
});
const term = f.struct({ matchExpressions: f.list(requirement), matchFields: f.list(requirement) });
const affinityFields = {
  requiredDuringSchedulingIgnoredDuringExecution: f.struct({ nodeSelectorTerms: f.list(term) }),
  preferredDuringSchedulingIgnoredDuringExecution: f.list(f.struct({ weight: f.int(1), preference: term })),
} as const;
