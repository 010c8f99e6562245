// Requirements: document 2, "Escalation prevention".

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { FULL_AUTHORITY, makeRule, type Rule } from "../../meta/access-rule.ts";
import { RuleCoverTooLarge, ruleText, singleThings, uncoveredRules } from "./rule-cover.ts";

const on = (resources: string[], verbs: string[], more: Partial<Rule> = {}): Rule =>
  makeRule({ apiGroups: [""], resources, verbs, ...more });
const path = (url: string, verb = "get"): Rule => makeRule({ nonResourceURLs: [url], verbs: [verb] });

describe("rules that are held cover", () => {
  it.each<[string, Rule[], Rule[], boolean]>([
    ["themselves", [on(["pods"], ["get"])], [on(["pods"], ["get"])], true],
    ["fewer verbs", [on(["pods"], ["get", "list"])], [on(["pods"], ["list"])], true],
    ["no other verb", [on(["pods"], ["get"])], [on(["pods"], ["get", "list"])], false],
    [
      "what several of them grant together",
      [on(["pods"], ["get"]), on(["secrets"], ["get"])],
      [on(["pods", "secrets"], ["get"])],
      true,
    ],
    ["no sub-resource by the resource", [on(["pods"], ["get"])], [on(["pods/log"], ["get"])], false],
    ["sub-resources by a star before them", [on(["*/log"], ["get"])], [on(["pods/log"], ["get"])], true],
    ["a name by no restriction", [on(["pods"], ["get"])], [on(["pods"], ["get"], { resourceNames: ["a"] })], true],
    [
      "no missing restriction by a name",
      [on(["pods"], ["get"], { resourceNames: ["a"] })],
      [on(["pods"], ["get"])],
      false,
    ],
    [
      "names one by one",
      [on(["pods"], ["get"], { resourceNames: ["a"] }), on(["pods"], ["get"], { resourceNames: ["b"] })],
      [on(["pods"], ["get"], { resourceNames: ["a", "b"] })],
      true,
    ],
    ["no star by all that is known", [on(["pods"], ["get", "list", "watch"])], [on(["pods"], ["*"])], false],
    ["no other group", [on(["pods"], ["get"])], [on(["pods"], ["get"], { apiGroups: ["apps"] })], false],
    ["paths below a star", [path("/tree/*")], [path("/tree/a"), path("/tree/b/*")], true],
    ["no path above a star", [path("/tree/*")], [path("/tree")], false],
    ["nothing at all, if nothing is wanted", [], [], true],
    [
      "everything, by full authority",
      [...FULL_AUTHORITY],
      [on(["pods"], ["get"]), path("/x"), ...FULL_AUTHORITY],
      true,
    ],
    ["no path, by all resources", [FULL_AUTHORITY[0]!], [path("/x")], false],
  ])("%s", (_what, held, wanted, covered) => {
    expect(uncoveredRules(held, wanted).length === 0).toBe(covered);
  });
});

describe("missing rules", () => {
  it("are shown with their verbs together, in upstream's form", () => {
    const missing = uncoveredRules([on(["pods"], ["get"])], [on(["pods"], ["get", "list", "watch"]), path("/x")]);
    expect(singleThings(missing).map(ruleText)).toEqual([
      '{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}',
      '{NonResourceURLs:["/x"], Verbs:["get"]}',
    ]);
  });

  it("of paths are shown verb by verb, each once", () => {
    const wanted = [makeRule({ nonResourceURLs: ["/x", "/y"], verbs: ["get", "post"] }), path("/x")];
    expect(
      singleThings(uncoveredRules([path("/y")], wanted))
        .map(ruleText)
        .sort(),
    ).toEqual([
      '{NonResourceURLs:["/x"], Verbs:["get"]}',
      '{NonResourceURLs:["/x"], Verbs:["post"]}',
      '{NonResourceURLs:["/y"], Verbs:["post"]}',
    ]);
  });

  it("repeat verbs that are wanted twice, as upstream does", () => {
    const missing = uncoveredRules([], [on(["pods"], ["get"]), on(["pods"], ["get"])]);
    expect(singleThings(missing).map(ruleText)).toEqual(['{APIGroups:[""], Resources:["pods"], Verbs:["get" "get"]}']);
  });

  it("keep the order of their verbs when names are held one by one", () => {
    const held = [on(["pods"], ["list"], { resourceNames: ["a"] })];
    const missing = uncoveredRules(held, [on(["pods"], ["get", "list", "watch"], { resourceNames: ["a", "b"] })]);
    expect(singleThings(missing).map(ruleText).sort()).toEqual([
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get" "watch"]}',
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get" "list" "watch"]}',
    ]);
  });

  it("are as many as asked for, however many there are", () => {
    const words = Array.from({ length: 300 }, (_, i) => `w${i}`);
    const wanted = [makeRule({ apiGroups: words, resources: words, verbs: words })];
    expect(singleThings(uncoveredRules([], wanted), 100)).toHaveLength(100);
  });
});

describe("the comparison of rules", () => {
  const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i}`);

  it("finds by boxes what it would find by writing every part out", () => {
    let state = 7;
    const next = (limit: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return (state >>> 8) % limit;
    };
    const some = (list: readonly string[]) => list.filter(() => next(2) === 0);
    const oneOf = (list: readonly string[]) => [list[next(list.length)]!];
    const random = () =>
      makeRule({
        apiGroups: some(["", "apps", "*"]),
        resources: some(["pods", "pods/log", "*/log", "nodes", ...(next(4) === 0 ? ["*"] : [])]),
        verbs: some(["get", "list", ...(next(4) === 0 ? ["*"] : [])]),
        resourceNames: next(2) === 0 ? [] : oneOf(["a", "b"]),
      });
    for (let round = 0; round < 500; round += 1) {
      const held = Array.from({ length: next(5) }, random);
      const wanted = Array.from({ length: 1 + next(2) }, random);
      const parts = wanted.flatMap((rule) =>
        singleThings([rule]).flatMap((thing) => thing.verbs.map((verb) => ({ ...thing, verbs: [verb] }))),
      );
      const expected = parts.filter((part) => !held.some((owner) => coversPart(owner, part))).map(ruleText);
      const found = singleThings(uncoveredRules(held, wanted)).flatMap((thing) =>
        thing.verbs.map((verb) => ruleText({ ...thing, verbs: [verb] })),
      );
      expect(found.sort(), JSON.stringify({ held, wanted })).toEqual(expected.sort());
    }
  });

  it("does not write products out", () => {
    const wide = makeRule({ apiGroups: words(260), resources: words(260), verbs: words(260) });
    expect(uncoveredRules([], [wide])).toEqual([wide]);
    expect(uncoveredRules([wide], [wide])).toEqual([]);
    const allButOne = makeRule({ ...wide, verbs: words(259) });
    expect(uncoveredRules([allButOne], [wide])).toEqual([makeRule({ ...wide, verbs: ["w259"] })]);
  });

  it("ends with an error where rules are crossed in too many ways", () => {
    const hash = (text: string) => createHash("sha256").update(text).digest()[0]!;
    const some = (salt: string) => words(200).filter((word) => hash(`${salt} ${word}`) < 128);
    const held = Array.from({ length: 100 }, (_, i) =>
      makeRule({ apiGroups: some(`g${i}`), resources: some(`r${i}`), verbs: some(`v${i}`) }),
    );
    const wide = makeRule({ apiGroups: words(200), resources: words(200), verbs: words(200) });
    expect(() => uncoveredRules(held, [wide])).toThrow(RuleCoverTooLarge);
  });
});

/** One part with one verb, group and resource, and at most one name: covered by a single rule? */
function coversPart(owner: Rule, { verbs, apiGroups, resources, resourceNames }: Rule): boolean {
  const has = (list: readonly string[], value: string) => list.includes("*") || list.includes(value);
  const [resource = ""] = resources;
  const slash = resource.indexOf("/");
  return (
    has(owner.verbs, verbs[0]!) &&
    has(owner.apiGroups, apiGroups[0]!) &&
    (has(owner.resources, resource) || (slash >= 0 && owner.resources.includes(`*${resource.slice(slash)}`))) &&
    (owner.resourceNames.length === 0 || (resourceNames.length > 0 && owner.resourceNames.includes(resourceNames[0]!)))
  );
}
