import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StartError } from "../base/start-error.ts";
import { FILTER_NAMES } from "./filters/all-filters.ts";
import { loadConfiguration } from "./load-configuration.ts";
import { defaultProfile } from "./profiles/default-profile.ts";

type Loose = Readonly<Record<string, unknown>>;

const UPSTREAM = { apiVersion: "kubescheduler.config.k8s.io/v1", kind: "KubeSchedulerConfiguration" };
const OWN = { apiVersion: "scheduler.config.platform.io/v1", kind: "SchedulerConfiguration" };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-scheduler-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function load(content: Loose, head: Loose = UPSTREAM) {
  const path = join(folder, "config.yaml");
  writeFileSync(path, JSON.stringify({ ...head, ...content }));
  return loadConfiguration(path);
}

const refusal = (content: Loose, head?: Loose): string => {
  try {
    load(content, head);
  } catch (error) {
    if (error instanceof StartError) return error.message.replace(`--config: ${join(folder, "config.yaml")}: `, "");
    throw error;
  }
  return "taken";
};

/** Of one profile: the filters that are off, and the weights of its scores in their order. */
const profile = (content: Loose) => {
  const [only] = load({ profiles: [content] }).profiles;
  const on = only!.filters.map(({ name }) => name);
  return {
    ...only!,
    off: FILTER_NAMES.filter((name) => !on.includes(name)),
    weights: only!.scores.map(({ weight }) => weight),
  };
};

const USUAL_WEIGHTS = [3, 2, 2, 2, 1, 1, 1];

describe("the file", () => {
  it.each([UPSTREAM, OWN])("may call itself $kind, and changes nothing that it does not say", (head) => {
    const { configuration, profiles, unused } = load({}, head);
    expect(profiles).toHaveLength(1);
    expect(profiles[0]!.filters).toEqual(defaultProfile(0).filters);
    expect(configuration).toMatchObject({ podInitialBackoffSeconds: 1, podMaxBackoffSeconds: 10 });
    expect(configuration.leaderElection).toMatchObject({ leaderElect: true, leaseDurationMs: 15_000 });
    expect(unused).toEqual([]);
  });

  it("names what has no effect", () => {
    expect(load({ parallelism: 4, enableProfiling: false }).unused).toEqual(["enableProfiling", "parallelism"]);
  });

  const plugins = (given: Loose) => ({ profiles: [{ plugins: given }] });
  const args = (name: string, given: Loose) => ({ profiles: [{ pluginConfig: [{ name, args: given }] }] });
  const managing = (...names: string[]) => ({
    extenders: [{ urlPrefix: "http://e", managedResources: names.map((name) => ({ name })) }],
  });
  const AT = "profiles[0].plugins";
  const ARGS = "profiles[0].pluginConfig[0].args";

  it.each<[Loose, string | RegExp]>([
    [{ nonsense: 1 }, "nonsense: unknown field"],
    [{ parallelism: "many" }, 'parallelism: expected a whole number, found "many"'],
    [{ parallelism: -1 }, "parallelism: must be greater than zero"],
    [{ percentageOfNodesToScore: 101 }, "percentageOfNodesToScore: 101 is not between 0 and 100"],
    [{ podInitialBackoffSeconds: 5, podMaxBackoffSeconds: 2 }, /^podMaxBackoffSeconds: must be greater than or equal/],
    [{ leaderElection: { leaseDuration: "5s" } }, /^leaderElection.leaseDuration: must be greater than/],
    [{ extenders: [{ urlPrefix: "e" }] }, 'extenders[0].urlPrefix: "e" is not an http or https URL'],
    [
      { extenders: [{ urlPrefix: "http://e", prioritizeVerb: "p" }] },
      "extenders[0].weight: 0: must have a positive weight applied to it",
    ],
    [
      { extenders: [1, 2].map((name) => ({ urlPrefix: `http://e/${name}`, bindVerb: "bind" })) },
      "extenders: found 2 extenders implementing bind: only one extender can implement bind",
    ],
    [managing("cpu"), 'extenders[0].managedResources[0].name: "cpu": is an invalid extended resource name'],
    [
      managing("kubernetes.io/a"),
      'extenders[0].managedResources[0].name: "kubernetes.io/a": is an invalid extended resource name',
    ],
    [managing("x.y/a b"), /^extenders\[0\].managedResources\[0\].name: "x.y\/a b": name part must consist of/],
    [
      managing("x.y/a", "x.y/a"),
      'extenders[0].managedResources[1].name: "x.y/a": duplicate extender managed resource name',
    ],
    [
      { extenders: [{ urlPrefix: "https://e", tlsConfig: { caFile: "/not/there" } }] },
      /^extenders\[0\].tlsConfig: ENOENT/,
    ],
    [{ profiles: [{}, {}] }, "profiles[0].schedulerName: must be set where there are several profiles"],
    [{ profiles: [{ schedulerName: "a" }, { schedulerName: "a" }] }, 'profiles[1].schedulerName: "a" is there twice'],
    [{ profiles: [{ percentageOfNodesToScore: -1 }] }, /^profiles\[0\].percentageOfNodesToScore: -1 is not/],
    [plugins({ filters: {} }), `${AT}.filters: unknown field`],
    [
      plugins({ score: { enabled: [{ name: "Nobody" }] } }),
      /^profiles\[0\].plugins.score.enabled\[0\].name: "Nobody" is not/,
    ],
    [
      plugins({ score: { enabled: [{ name: "NodeName" }] } }),
      `${AT}.score.enabled[0].name: the plugin NodeName has nothing to do at score`,
    ],
    [
      plugins({ score: { enabled: [{ name: "ImageLocality" }, { name: "ImageLocality" }] } }),
      `${AT}.score.enabled[1].name: the plugin ImageLocality is enabled twice`,
    ],
    [
      plugins({ bind: { disabled: [{ name: "*" }] } }),
      `${AT}.bind: the plugin DefaultBinder is needed and cannot be disabled`,
    ],
    [
      plugins({ preFilter: { disabled: [{ name: "NodePorts" }] } }),
      `${AT}.preFilter: the plugin NodePorts is needed at preFilter while it is enabled at filter`,
    ],
    [
      plugins({ filter: { disabled: [{ name: "VolumeBinding" }] } }),
      /^profiles\[0\].plugins: the plugin VolumeBinding can only/,
    ],
    [args("NodeName", {}), /^profiles\[0\].pluginConfig\[0\].name: "NodeName" is not a plugin that can be configured/],
    [
      args("InterPodAffinity", { hardPodAffinityWeight: 101 }),
      `${ARGS}.hardPodAffinityWeight: 101 is not between 0 and 100`,
    ],
    [args("InterPodAffinity", { weight: 1 }), `${ARGS}.weight: unknown field`],
    [
      args("InterPodAffinity", { kind: "NodeAffinityArgs" }),
      `${ARGS}.kind: "NodeAffinityArgs" is not InterPodAffinityArgs`,
    ],
    [args("NodeResourcesFit", { scoringStrategy: { type: "Best" } }), /scoringStrategy.type: "Best" is not one of/],
    [
      args("NodeResourcesFit", { scoringStrategy: { type: "RequestedToCapacityRatio" } }),
      `${ARGS}.scoringStrategy.requestedToCapacityRatio.shape: at least one point must be specified`,
    ],
    [
      args("NodeResourcesFit", { scoringStrategy: { resources: [{ name: "cpu", weight: 101 }] } }),
      `${ARGS}.scoringStrategy.resources[0].weight: 101 is not between 1 and 100`,
    ],
    [
      args("NodeResourcesBalancedAllocation", { resources: [{ name: "cpu", weight: 2 }] }),
      `${ARGS}.resources[0].weight: 2 is not between 1 and 1`,
    ],
    [
      args("PodTopologySpread", {
        defaultConstraints: [{ maxSkew: 1, topologyKey: "k", whenUnsatisfiable: "ScheduleAnyway" }],
      }),
      `${ARGS}.defaultingType: when .defaultConstraints are specified, it must be List`,
    ],
    [
      args("PodTopologySpread", {
        defaultingType: "List",
        defaultConstraints: [{ maxSkew: 1, topologyKey: "k", whenUnsatisfiable: "DoNotSchedule" }],
      }),
      /defaultConstraints\[0\].whenUnsatisfiable: constraints by default are preferences here/,
    ],
    [args("VolumeBinding", { bindTimeoutSeconds: -1 }), /bindTimeoutSeconds: -1 is not between/],
    [
      args("VolumeBinding", { shape: [{ utilization: 0, score: 0 }] }),
      `${ARGS}.shape: nodes are not compared by the capacity of storage here`,
    ],
    [
      args("DefaultPreemption", { minCandidateNodesPercentage: 101 }),
      /minCandidateNodesPercentage: 101 is not between 0 and 100/,
    ],
    [
      args("DynamicResources", { filterTimeout: "1s" }),
      `${ARGS}.filterTimeout: the search for devices is bounded by its steps here, not by time`,
    ],
    [
      args("NodeAffinity", { addedAffinity: {} }),
      `${ARGS}.addedAffinity: says nothing: a required or a preferred term is expected`,
    ],
  ])("is refused with the field named: %j", (content, expected) => {
    const message = refusal(content);
    if (typeof expected === "string") expect(message).toBe(expected);
    else expect(message).toMatch(expected);
  });

  it("is refused under another name", () => {
    expect(refusal({}, { ...UPSTREAM, apiVersion: "kubescheduler.config.k8s.io/v1beta3" })).toMatch(/^apiVersion: /);
  });
});

describe("plug-ins of a profile", () => {
  it.each<[string, Loose, { off?: string[]; weights?: number[] }]>([
    ["are as always when nothing is said", {}, {}],
    [
      "are off everywhere by multiPoint",
      { multiPoint: { disabled: [{ name: "TaintToleration" }] } },
      {
        off: ["TaintToleration"],
        weights: [2, 2, 2, 1, 1, 1],
      },
    ],
    ["are off at one point", { score: { disabled: [{ name: "TaintToleration" }] } }, { weights: [2, 2, 2, 1, 1, 1] }],
    [
      "are all off but those that are named",
      {
        score: { disabled: [{ name: "*" }], enabled: [{ name: "NodeResourcesFit", weight: 5 }] },
      },
      { weights: [5] },
    ],
    [
      "have other weights",
      { score: { enabled: [{ name: "ImageLocality", weight: 7 }] } },
      {
        weights: [3, 2, 2, 2, 1, 1, 7],
      },
    ],
    [
      "have other weights by multiPoint",
      { multiPoint: { enabled: [{ name: "ImageLocality", weight: 7 }] } },
      {
        weights: [3, 2, 2, 2, 1, 1, 7],
      },
    ],
    [
      "count once where no weight is said",
      { score: { enabled: [{ name: "TaintToleration" }] } },
      {
        weights: [1, 2, 2, 2, 1, 1, 1],
      },
    ],
    [
      "may be switched off as filters alone",
      { filter: { disabled: [{ name: "NodePorts" }, { name: "NodeResourcesFit" }] } },
      {
        off: ["NodePorts", "NodeResourcesFit"],
      },
    ],
  ])("%s", (_what, plugins, { off = [], weights = USUAL_WEIGHTS }) => {
    expect(profile({ plugins })).toMatchObject({ off, weights });
  });

  it("need not make room for pods, bind volumes or allocate devices", () => {
    const disabled = ["DefaultPreemption", "VolumeBinding", "DynamicResources"].map((name) => ({ name }));
    expect(profile({ plugins: { multiPoint: { disabled } } })).toMatchObject({
      preemption: undefined,
      bindVolumesMs: undefined,
      allocatesDevices: false,
    });
    const name = "VolumeBinding";
    expect(profile({ pluginConfig: [{ name, args: { bindTimeoutSeconds: 30 } }] }).bindVolumesMs).toBe(30_000);
  });

  it("are asked for a percentage of their own", () => {
    const { profiles } = load({
      percentageOfNodesToScore: 30,
      profiles: [{ schedulerName: "a" }, { schedulerName: "b", percentageOfNodesToScore: 70 }],
    });
    expect(profiles.map((each) => each.percentageOfNodesToScore)).toEqual([30, 70]);
  });
});
