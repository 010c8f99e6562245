import { describe, expect, it } from "vitest";
import type { Pod } from "../../kinds/core/pod.ts";
import type { LabelSelectorObject } from "../../meta/label-selector.ts";
import { severalWords, unmanagedWords } from "./event-words.ts";

describe("the events of budgets", () => {
  const selectors: [selector: LabelSelectorObject | undefined, words: string][] = [
    [undefined, "nil"],
    [{}, "&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{},}"],
    [
      { matchLabels: { b: "2", a: "1" } },
      "&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{},}",
    ],
    [
      {
        matchExpressions: [
          { key: "k", operator: "In", values: ["x", "y"] },
          { key: "l", operator: "Exists" },
        ],
      },
      "&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{" +
        "LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],}," +
        "LabelSelectorRequirement{Key:l,Operator:Exists,Values:[],},},}",
    ],
  ];
  it.each(selectors)("write the selector %j as users know it", (selector, words) => {
    expect(unmanagedWords(selector)).toContain(`(selector: ${words}) were found to be unmanaged.`);
  });

  it("name the pod that several budgets select, and one of them", () => {
    const pod = { metadata: { namespace: "ns", name: "p" } } as Pod;
    expect(severalWords(pod, ["b", "a"])).toBe(
      'Pod "ns"/"p" matches multiple PodDisruptionBudgets.  Chose "a" arbitrarily.',
    );
  });
});
