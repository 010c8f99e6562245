// Names are data: branded words stand in src/meta/names.ts and nowhere else.

import { describe, expect, it } from "vitest";
import { readSources } from "./sources.testing.ts";

const BRANDED = /kubernetes|k8s\.io|platform\.io/gi;
/** Words that are the same in both dialects: the markers of schemas and the first bytes of protobuf. */
const EXEMPT = /x-kubernetes-[a-z-]*|xKubernetes\w*|k8s\\0/g;

describe("branded words", () => {
  it("stand in meta/names.ts only", () => {
    const wrong = readSources()
      .filter(({ path, isTest }) => !isTest && path !== "src/meta/names.ts")
      .flatMap(({ path, text }) =>
        text.split("\n").flatMap((line, index) => {
          const words = line.replace(EXEMPT, "").match(BRANDED) ?? [];
          return words.map((word) => `${path}:${index + 1} ${word}`);
        }),
      );
    expect(wrong).toEqual([]);
  });
});
