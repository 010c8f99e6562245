import { describe, expect, it } from "vitest";
import { nearestWord } from "./nearest-word.ts";

const KNOWN = ["pods", "deployments", "services", "nodes"];

describe("the nearest word", () => {
  it.each([
    ["pod", "pods"],
    ["deploymnets", "deployments"],
    ["servises", "services"],
    ["pdos", "pods"],
    ["ndo", undefined],
    ["depl", "deployments"],
    ["serv", "services"],
    ["de", undefined],
    ["elephants", undefined],
    ["x", undefined],
    ["d".repeat(100_000), undefined],
  ])("%.12s: %s", (word, nearest) => {
    expect(nearestWord(word, KNOWN)).toBe(nearest);
  });

  it.each([
    ["gt", "get"],
    ["ge", "get"],
    ["rn", "run"],
    ["cd", undefined],
    ["g", undefined],
    ["c", undefined],
  ])("of short ones: %s: %s", (word, nearest) => {
    expect(nearestWord(word, ["cp", "get", "set", "run", "top"])).toBe(nearest);
  });
});
