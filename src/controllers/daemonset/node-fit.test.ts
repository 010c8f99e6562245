import { describe, expect, it } from "vitest";
import type { Stored } from "../../client/informer.ts";
import type { DaemonSet } from "../../kinds/apps/daemon-set.ts";
import type { Node } from "../../kinds/core/node.ts";
import { namesFor } from "../../meta/names.ts";
import { podForNode, targetNode } from "./daemon-pod.ts";
import { daemonPod, testNode, testSet } from "./daemon-set.testing.ts";
import { daemonTolerations, nodeFitOf } from "./node-fit.ts";

const names = namesFor("kubernetes");
type PodSpec = Partial<DaemonSet["spec"]["template"]["spec"]>;

describe("a node fits", () => {
  const affinity = (terms: object[]) =>
    ({ nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } }) as NonNullable<
      PodSpec["affinity"]
    >;
  const taint = (key: string, effect: "NoSchedule" | "NoExecute" | "PreferNoSchedule") => [{ key, effect }];
  const [yes, no, stays] = [
    { shouldRun: true, mayStay: true },
    { shouldRun: false, mayStay: false },
    { shouldRun: false, mayStay: true },
  ];
  const cases: [what: string, spec: PodSpec, node: Stored<Node>, fit: object][] = [
    ["when nothing is asked for", {}, testNode("n"), yes],
    ["by its name", { nodeName: "n" }, testNode("n"), yes],
    ["not by another name", { nodeName: "other" }, testNode("n"), no],
    ["by its labels", { nodeSelector: { a: "b" } }, testNode("n", { a: "b", c: "d" }), yes],
    ["not by others", { nodeSelector: { a: "b" } }, testNode("n", { a: "c" }), no],
    ["not by words of the language", { nodeSelector: { constructor: "b" } }, testNode("n"), no],
    [
      "by its affinity",
      { affinity: affinity([{ matchExpressions: [{ key: "zone", operator: "In", values: ["x", "y"] }] }]) },
      testNode("n", { zone: "y" }),
      yes,
    ],
    [
      "by an affinity for its name",
      { affinity: affinity([{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n"] }] }]) },
      testNode("n"),
      yes,
    ],
    [
      "not by an affinity for another",
      { affinity: affinity([{ matchFields: [{ key: "metadata.name", operator: "NotIn", values: ["n"] }] }]) },
      testNode("n"),
      no,
    ],
    ["not by an affinity that says nothing", { affinity: affinity([]) }, testNode("n"), no],
    ["not with a taint, but what is there stays", {}, testNode("n", {}, taint("x", "NoSchedule")), stays],
    ["not with a taint that drives off", {}, testNode("n", {}, taint("x", "NoExecute")), no],
    ["with a taint that is only a wish", {}, testNode("n", {}, taint("x", "PreferNoSchedule")), yes],
    [
      "with a taint that is tolerated",
      { tolerations: [{ key: "x", operator: "Exists" }] },
      testNode("n", {}, taint("x", "NoExecute")),
      yes,
    ],
    ["when it is not ready", {}, testNode("n", {}, taint(names.notReadyTaint, "NoExecute")), yes],
    ["when it does not answer", {}, testNode("n", {}, taint(names.unreachableTaint, "NoExecute")), yes],
    ["when it is closed", {}, testNode("n", {}, taint(names.unschedulableTaint, "NoSchedule")), yes],
    ["when its disk is full", {}, testNode("n", {}, taint(names.diskPressureTaint, "NoSchedule")), yes],
    ["not without network", {}, testNode("n", {}, taint(names.networkUnavailableTaint, "NoSchedule")), stays],
    [
      "without network that is its own",
      { hostNetwork: true },
      testNode("n", {}, taint(names.networkUnavailableTaint, "NoSchedule")),
      yes,
    ],
  ];
  it.each(cases)("%s", (_what, spec, node, fit) => {
    expect(nodeFitOf(testSet({}, spec), names)(node)).toEqual(fit);
  });
});

describe("the pod for a node", () => {
  it("asks for that node alone, and for nothing else of nodes", () => {
    const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [] };
    const required = {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [] }] },
    };
    const set = testSet({}, { affinity: { nodeAffinity: { ...preferred, ...required }, podAntiAffinity: {} } });
    set.metadata.annotations = { "deprecated.daemonset.template.generation": "7" };
    const { metadata, spec } = podForNode(set, "n1", "abc", names);
    expect(spec.affinity).toEqual({
      podAntiAffinity: {},
      nodeAffinity: {
        ...preferred,
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] }],
        },
      },
    });
    expect(metadata).toMatchObject({
      generateName: "ds-",
      labels: { app: "ds", "controller-revision-hash": "abc", "pod-template-generation": "7" },
    });
    expect(spec.tolerations).toHaveLength(6);
  });

  it("is known by the node that it runs on, or was made for", () => {
    expect(targetNode(daemonPod("p", { nodeName: "n7" }))).toBe("n7");
    const waiting = { ...daemonPod("p"), spec: podForNode(testSet(), "n8", "h", names).spec };
    expect(targetNode(waiting)).toBe("n8");
    expect(targetNode({ ...waiting, spec: { containers: [] } })).toBeUndefined();
  });

  it("tolerates once what the template tolerates already", () => {
    const given = { key: names.notReadyTaint, operator: "Exists" as const, effect: "NoExecute" as const };
    const other = { key: names.notReadyTaint, operator: "Exists" as const, effect: "NoSchedule" as const };
    const tolerations = daemonTolerations({ containers: [], tolerations: [given, other], hostNetwork: true }, names);
    expect(tolerations).toHaveLength(8);
    expect(tolerations[0]).toEqual(other);
  });
});
