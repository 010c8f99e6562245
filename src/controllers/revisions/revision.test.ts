import { describe, expect, it } from "vitest";
import type { Stored } from "../../client/informer.ts";
import type { ControllerRevision } from "../../kinds/apps/controller-revision.ts";
import type { PodTemplateSpec } from "../../kinds/core/pod/template-schema.ts";
import { timeOfMs } from "../../meta/time.ts";
import { beyondLimit, holdsTemplate, inOrder, revisionData, revisionName, templateOf } from "./revision.ts";

const template = (image: string) => ({
  metadata: { labels: { a: "b" } },
  spec: { containers: [{ name: "c", image, resources: {} }] },
});
const revision = (name: string, number: number, createdMs = 0, data: unknown = revisionData(template(name))) =>
  ({
    metadata: { name, uid: name, resourceVersion: "1", creationTimestamp: timeOfMs(createdMs) },
    revision: number,
    data,
  }) as Stored<ControllerRevision>;
const names = (list: readonly Stored<ControllerRevision>[]) => list.map(({ metadata }) => metadata.name);

describe("a revision", () => {
  it("holds the template as a patch that brings it back", () => {
    expect(revisionData(template("v1"))).toEqual({ spec: { template: { ...template("v1"), $patch: "replace" } } });
    const mixed = { spec: { z: [{ b: 1, a: 2 }], containers: [] }, metadata: {} } as unknown as PodTemplateSpec;
    expect(JSON.stringify(revisionData(mixed))).toBe(
      '{"spec":{"template":{"$patch":"replace","metadata":{},"spec":{"containers":[],"z":[{"a":2,"b":1}]}}}}',
    );
    expect(templateOf(revision("v1", 1))).toEqual(template("v1"));
    expect(holdsTemplate(revision("v1", 1), template("v1"))).toBe(true);
    expect(holdsTemplate(revision("v1", 1), template("v2"))).toBe(false);
  });

  it.each([[undefined], [null], ["x"], [{}], [{ spec: 1 }], [{ spec: { template: [] } }]])(
    "of %j holds none",
    (data) => {
      const odd = { ...revision("v1", 1), data } as Stored<ControllerRevision>;
      expect(templateOf(odd)).toBeUndefined();
      expect(holdsTemplate(odd, template("v1"))).toBe(false);
    },
  );

  it("has a name that fits", () => {
    expect(revisionName("web", "abc")).toBe("web-abc");
    expect(revisionName("x".repeat(253), "6889b7d8cd")).toHaveLength(234);
  });
});

describe("revisions", () => {
  it("are in the order of their numbers, then of their age, then of their names", () => {
    const list = [revision("d", 2), revision("c", 1, 5_000), revision("b", 1), revision("a", 1), revision("e", 10)];
    expect(names(inOrder(list))).toEqual(["a", "b", "c", "d", "e"]);
  });

  const list = ["a", "b", "c", "d"].map((name, at) => revision(name, at));
  const cases: [used: string[], limit: number, counts: "unused" | "old", gone: string[]][] = [
    [[], 10, "unused", []],
    [[], 2, "unused", ["a", "b"]],
    [["a", "d"], 1, "unused", ["b"]],
    [["a", "b", "c", "d"], 0, "unused", []],
    [[], 0, "unused", ["a", "b", "c", "d"]],
    [[], -1, "unused", []],
    [["d"], 3, "old", ["a"]],
    [["a", "d"], 3, "old", ["b"]],
    [["a", "d"], 1, "old", ["b", "c"]],
    [["a", "b", "c", "d"], 0, "old", []],
  ];
  it.each(cases)("of which %j are used and %s %s ones may stay lose %j", (used, limit, counts, gone) => {
    const isUsed = ({ metadata }: Stored<ControllerRevision>) => used.includes(metadata.name);
    expect(names(beyondLimit(list, isUsed, { limit, counts }))).toEqual(gone);
  });
});
