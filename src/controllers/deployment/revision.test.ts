import { describe, expect, it } from "vitest";
import { namesFor } from "../../meta/names.ts";
import { setsToForget } from "./history.ts";
import { type TestSet, testDeployment, testSet } from "./replica-sets.testing.ts";
import { splitSets } from "./replica-sets.ts";
import { currentSetAnnotations, nextRevision } from "./revision.ts";
import { equalTemplates, TEMPLATE_HASH_LABEL, templateHash } from "./template-hash.ts";

const names = namesFor("kubernetes");
const REVISION = names.deploymentRevisionAnnotation;
const HISTORY = names.deploymentRevisionHistoryAnnotation;

describe("the annotations of the current set", () => {
  const long = Array.from({ length: 500 }, (_, at) => String(at + 100)).join(",");
  const cases: [what: string, held: Record<string, string> | undefined, revision: bigint, wanted: object][] = [
    ["are new", undefined, 1n, { [REVISION]: "1" }],
    ["stay", { [REVISION]: "2" }, 2n, { [REVISION]: "2" }],
    ["never go back", { [REVISION]: "5" }, 2n, { [REVISION]: "5" }],
    ["remember what it was", { [REVISION]: "1" }, 3n, { [REVISION]: "3", [HISTORY]: "1" }],
    ["remember all that it was", { [REVISION]: "3", [HISTORY]: "1" }, 5n, { [REVISION]: "5", [HISTORY]: "1,3" }],
    ["leave alone what is no number", { [REVISION]: "mine" }, 3n, { [REVISION]: "mine" }],
    [
      "forget the oldest",
      { [REVISION]: "3", [HISTORY]: long },
      9n,
      { [REVISION]: "9", [HISTORY]: `${long.slice(4)},3`.slice(-2_000).replace(/^\d{0,2},/, "") },
    ],
  ];
  it.each(cases)("%s", (_what, held, revision, wanted) => {
    expect(currentSetAnnotations(names, testDeployment(), held, revision)).toEqual(wanted);
  });

  it("have those of the deployment too, apart from what is each one's own", () => {
    const deployment = testDeployment();
    const own = {
      [REVISION]: "7",
      [names.lastAppliedAnnotation]: "{}",
      [names.deploymentDesiredReplicasAnnotation]: "3",
    };
    deployment.metadata.annotations = { cause: "new", ...own };
    expect(currentSetAnnotations(names, deployment, { kept: "yes", cause: "old" }, 1n)).toEqual({
      kept: "yes",
      cause: "new",
      [REVISION]: "1",
    });
  });

  it("the next revision is above all others, and what is no number counts for nothing", () => {
    const sets = ["3", "12", "x", "-4"].map((revision) => testSet(revision, { annotations: { [REVISION]: revision } }));
    expect(nextRevision(names, sets)).toBe(13n);
    expect(nextRevision(names, [])).toBe(1n);
  });

  it.each([
    ["3546343826724305832", 3546343826724305833n],
    ["9223372036854775808", 1n],
  ])("the next revision is exact after %s, a number of 64 bits or none", (revision, next) => {
    const set = testSet("adopted", { annotations: { [REVISION]: revision } });
    expect(nextRevision(names, [set])).toBe(next);
  });
});

describe("the sets that are forgotten", () => {
  const at = (revision: string, parts: TestSet = {}) =>
    testSet(`r${revision}`, { annotations: { [REVISION]: revision }, ...parts });
  const cases: [what: string, sets: ReturnType<typeof at>[], limit: number | undefined, gone: string[]][] = [
    ["those of the lowest revisions", [at("3"), at("10"), at("2")], 1, ["r2", "r3"]],
    ["none within the limit", [at("1"), at("2")], 2, []],
    ["none without a limit", [at("1"), at("2")], undefined, []],
    ["all", [at("1"), at("2")], 0, ["r1", "r2"]],
    ["none that has pods", [at("1", { statusReplicas: 1 }), at("2", { replicas: 1 }), at("3")], 0, ["r3"]],
    ["none that has not been looked at", [at("1", { observed: false })], 0, []],
    ["none that ends already, and it does not count", [at("1", { ending: true }), at("2"), at("3")], 1, ["r2"]],
  ];
  it.each(cases)("are %s", (_what, sets, limit, gone) => {
    expect(setsToForget(names, sets, limit).map(({ metadata }) => metadata.name)).toEqual(gone);
  });
});

describe("a template", () => {
  const { template } = testDeployment().spec;
  const labelled = {
    ...template,
    metadata: { ...template.metadata, labels: { app: "web", [TEMPLATE_HASH_LABEL]: "x" } },
  };

  it("is the same with and without the label that tells it from others", () => {
    expect(equalTemplates(template, labelled)).toBe(true);
    expect(equalTemplates(template, testSet("x", { image: "other" }).spec.template)).toBe(false);
  });

  it("has a short word that can stand in names, and another one after each collision", () => {
    const words = [undefined, 0, 1, 2].map((count) => templateHash(template, count));
    expect(new Set(words).size).toBe(4);
    for (const word of words) expect(word).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
    expect(templateHash(structuredClone(template), undefined)).toBe(words[0]);
  });

  it("belongs to the oldest of several sets that have it", () => {
    const sets = [testSet("b", { createdMs: 5_000 }), testSet("a", { createdMs: 1_000 }), testSet("c", { image: "x" })];
    const { current, old } = splitSets(template, sets);
    expect(current?.metadata.name).toBe("a");
    expect(old.map(({ metadata }) => metadata.name)).toEqual(["b", "c"]);
  });
});
