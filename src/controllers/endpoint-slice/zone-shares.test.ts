// Shares of zones, and what follows from them for the endpoints of a Service.

import { describe, expect, it } from "vitest";
import type { Node } from "../../kinds/core/node.ts";
import { namesFor } from "../../meta/names.ts";
import { allocateZones, zoneSharesOf } from "./zone-shares.ts";

const names = namesFor("platform");
const node = (zone: string | undefined, cpu: string | undefined, ready = "True", labels: object = {}): Node =>
  ({
    metadata: { labels: { ...labels, ...(zone === undefined ? {} : { [names.zoneLabel]: zone }) } },
    status: { allocatable: cpu === undefined ? {} : { cpu }, conditions: [{ type: "Ready", status: ready }] },
  }) as unknown as Node;

describe("the shares of zones", () => {
  const cases: [string, Node[], [string, number][] | undefined][] = [
    [
      "follow the processors",
      [node("a", "3"), node("b", "1")],
      [
        ["a", 0.75],
        ["b", 0.25],
      ],
    ],
    [
      "leave out nodes that are not ready",
      [node("a", "1"), node("b", "1"), node("b", "9", "False")],
      [
        ["a", 0.5],
        ["b", 0.5],
      ],
    ],
    [
      "leave out the control plane",
      [node("a", "1"), node("b", "1"), node(undefined, "9", "True", { [`${names.nodeRolePrefix}control-plane`]: "" })],
      [
        ["a", 0.5],
        ["b", 0.5],
      ],
    ],
    ["are not known when a node has no zone", [node("a", "1"), node("b", "1"), node(undefined, "1")], undefined],
    ["are not known when a node does not tell its processors", [node("a", "1"), node("b", undefined)], undefined],
    ["are not known with one zone", [node("a", "1"), node("a", "1")], undefined],
  ];
  it.each(cases)("%s", (_what, nodes, expected) => {
    const shares = zoneSharesOf(nodes, names);
    expect(shares === undefined ? undefined : [...shares]).toEqual(expected);
  });
});

describe("the endpoints of zones", () => {
  const shares = new Map([
    ["a", 0.5],
    ["b", 0.5],
  ]);
  it("are at least what keeps a zone from a fifth too much", () => {
    expect(allocateZones(shares, 10)).toEqual(
      new Map([
        ["a", { minimum: 5, maximum: 5, desired: 5 }],
        ["b", { minimum: 5, maximum: 5, desired: 5 }],
      ]),
    );
  });
  it.each([
    ["nothing is known", undefined, 9, /^Insufficient Node information/],
    ["there are fewer than zones", shares, 1, /^Insufficient number of endpoints \(1 endpoints, 2 zones\)$/],
    ["they cannot be spread well", shares, 3, /^Unable to allocate minimum required endpoints/],
  ] as const)("are not given when %s", (_what, given, count, why) => {
    expect(allocateZones(given, count)).toMatch(why);
  });
});
