import { describe, expect, it } from "vitest";
import { HERE } from "../objects.testing.ts";
import type { Backend } from "./backends.ts";
import { chooseBackends, type PortPolicies } from "./choose-backends.ts";

const CLUSTER: PortPolicies = { isInternalLocal: false, isExternalLocal: false, isReachableFromOutside: true };
const INTERNAL_LOCAL: PortPolicies = { isInternalLocal: true, isExternalLocal: false, isReachableFromOutside: false };
const EXTERNAL_LOCAL: PortPolicies = { isInternalLocal: false, isExternalLocal: true, isReachableFromOutside: true };

function backend(name: string, more: Partial<Backend> = {}): Backend {
  const base = {
    ip: name,
    port: 80,
    isLocal: false,
    mayBeHere: false,
    isReady: true,
    isServing: true,
    isTerminating: false,
  };
  return { ...base, forZones: [], forNodes: [], ...more };
}
const local = (name: string, more: Partial<Backend> = {}) => backend(name, { isLocal: true, ...more });
const ENDING = { isReady: false, isServing: true, isTerminating: true };
const DEAD = { isReady: false, isServing: false, isTerminating: true };
const UNREADY = { isReady: false, isServing: false };

/** Names of cluster backends, names of local ones, whether there is anybody. */
function chosen(all: readonly Backend[], policies: PortPolicies, node = HERE): [string, string, boolean] {
  const { cluster, local, hasAny } = chooseBackends(all, policies, node);
  const names = (list: readonly Backend[]) => list.map(({ ip }) => ip).join(" ");
  return [names(cluster), names(local), hasAny];
}

describe("who gets traffic", () => {
  it.each<[string, Backend[], PortPolicies, [string, string, boolean]]>([
    ["all that are ready", [backend("a"), backend("b", UNREADY), local("c")], CLUSTER, ["a c", "", true]],
    ["nobody without backends", [], CLUSTER, ["", "", false]],
    ["nobody when none is ready", [backend("a", UNREADY)], CLUSTER, ["", "", false]],
    ["nobody that ends while one is ready", [backend("a"), backend("b", ENDING)], CLUSTER, ["a", "", true]],
    [
      "who ends and still answers, when nobody is ready",
      [backend("a", ENDING), backend("b", DEAD)],
      CLUSTER,
      ["a", "", true],
    ],
    ["local ones with the internal policy", [backend("a"), local("b")], INTERNAL_LOCAL, ["", "b", true]],
    ["nobody here, though there is somebody", [backend("a")], INTERNAL_LOCAL, ["", "", true]],
    ["nobody anywhere", [backend("a", UNREADY), local("b", UNREADY)], INTERNAL_LOCAL, ["", "", false]],
    ["a local one that ends before none", [backend("a"), local("b", ENDING)], INTERNAL_LOCAL, ["", "b", true]],
    ["a ready local one before one that ends", [local("a", ENDING), local("b")], INTERNAL_LOCAL, ["", "b", true]],
    ["both with the external policy", [backend("a"), local("b")], EXTERNAL_LOCAL, ["a b", "b", true]],
    [
      "a local one that ends, for traffic from outside",
      [backend("a"), local("b", ENDING)],
      EXTERNAL_LOCAL,
      ["a", "b", true],
    ],
    [
      "both, of the same Service from inside",
      [backend("a"), local("b")],
      { isInternalLocal: true, isExternalLocal: false, isReachableFromOutside: true },
      ["a b", "b", true],
    ],
    [
      "no local ones when nothing comes from outside",
      [backend("a"), local("b")],
      { isInternalLocal: false, isExternalLocal: true, isReachableFromOutside: false },
      ["a b", "", true],
    ],
  ])("%s", (_, all, policies, expected) => {
    expect(chosen(all, policies)).toEqual(expected);
  });

  const zone = (...names: string[]) => ({ forZones: names });
  const nodes = (...names: string[]) => ({ forNodes: names });
  it.each<[string, Backend[], string]>([
    ["those for the zone", [backend("a", zone("z1")), backend("b", zone("z2"))], "a"],
    ["those for several zones", [backend("a", zone("z2", "z1")), backend("b", zone("z2"))], "a"],
    ["all when one has no hints", [backend("a", zone("z1")), backend("b")], "a b"],
    ["all when no hint is for the zone", [backend("a", zone("z2")), backend("b", zone("z3"))], "a b"],
    ["those with hints among the ready", [backend("a", zone("z1")), backend("b", { ...UNREADY })], "a"],
    [
      "those for the node before those for the zone",
      [backend("a", { ...zone("z1"), ...nodes("x") }), backend("b", { ...zone("z1"), ...nodes("here") })],
      "b",
    ],
    [
      "those for the zone when none is for the node",
      [backend("a", { ...zone("z1"), ...nodes("x") }), backend("b", { ...zone("z2"), ...nodes("y") })],
      "a",
    ],
    ["whoever ends and still answers, whatever the hints", [backend("a", { ...zone("z2"), ...ENDING })], "a"],
  ])("by hints: %s", (_, all, expected) => {
    expect(chosen(all, CLUSTER)[0]).toBe(expected);
  });

  it("by hints: all when the node's zone is not known", () => {
    const all = [backend("a", zone("z1")), backend("b", zone("z2"))];
    expect(chosen(all, CLUSTER, { ...HERE, zone: "" })[0]).toBe("a b");
  });

  it("by hints: those for nodes do not count when the gate is off", () => {
    const all = [backend("a", { ...zone("z1"), ...nodes("x") }), backend("b", { ...zone("z1"), ...nodes("here") })];
    expect(chosen(all, CLUSTER, { ...HERE, followsNodeHints: false })[0]).toBe("a b");
  });

  it("without hints for traffic that must stay on the node", () => {
    expect(chosen([local("a", zone("z2")), backend("b", zone("z1"))], EXTERNAL_LOCAL)).toEqual(["b", "a", true]);
  });
});
