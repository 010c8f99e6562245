import { describe, expect, it } from "vitest";
import { selectorFromObject } from "../../meta/label-selector.ts";
import { testCluster, testNode, testPod } from "../scheduler.testing.ts";
import type { PodInfo } from "./pod-info.ts";

const web = selectorFromObject({ matchLabels: { app: "web" } });
const labels = { app: "web" };

describe("the state of the cluster", () => {
  it("keeps counts up as pods come, change and go", () => {
    const { state } = testCluster([{ name: "a" }, { name: "b" }], { a: [{ labels }] });
    const counts = () =>
      Object.fromEntries(
        [...state.matches.bySelector("default", web, { skipsTerminating: true }).byNode].map(([node, n]) => [
          node.name,
          n,
        ]),
      );
    expect(counts()).toEqual({ a: 1 });
    state.place(testPod({ name: "x", labels }), "b");
    state.place(testPod({ name: "y", labels }), "a");
    expect(counts()).toEqual({ a: 2, b: 1 });
    state.place(testPod({ name: "y", labels: { app: "db" } }), "a");
    state.remove(testPod({ name: "x" }).uid);
    expect(counts()).toEqual({ a: 1 });
    expect(
      state.supposing((suppose) => {
        suppose.present({ info: testPod({ name: "z", labels }), node: state.node("b")! });
        return counts();
      }),
    ).toEqual({ a: 1, b: 1 });
    expect(counts()).toEqual({ a: 1 });
  });

  it("remembers a bounded number of questions, and answers forgotten ones anew", () => {
    const { state } = testCluster([{ name: "a" }], { a: [{ labels }] });
    for (let index = 0; index < 1500; index += 1)
      state.matches.bySelector("default", selectorFromObject({ matchLabels: { n: String(index) } }), {
        skipsTerminating: true,
      });
    state.place(testPod({ name: "more", labels }), "a");
    expect([...state.matches.bySelector("default", web, { skipsTerminating: true }).byNode.values()]).toEqual([2]);
  });

  it("counts the pods of an owner, and asks a pod only about its own", () => {
    const { state } = testCluster([{ name: "a" }]);
    const of = (uid: string) => [...state.matches.byOwner("default", uid).byNode.values()];
    for (let index = 0; index < 500; index += 1) expect(of(`owner-${index}`)).toEqual([]);
    let asked = 0;
    const ownerUid = (): string => {
      asked += 1;
      return "owner-7";
    };
    const pod = Object.create(testPod({ name: "x" }), { ownerUid: { get: ownerUid } }) as PodInfo;
    state.place(pod, "a");
    expect([of("owner-7"), of("owner-8")]).toEqual([[1], []]);
    state.remove(pod.uid);
    expect(of("owner-7")).toEqual([]);
    expect(asked).toBeLessThan(10);
  });

  it("knows pods of nodes before the nodes, and nodes after their pods", () => {
    const { state } = testCluster([]);
    state.place(testPod({ requests: { cpu: "1" } }), "late");
    expect([state.nodes.length, state.node("late")]).toEqual([0, undefined]);
    state.setNode(testNode({ name: "late" }));
    expect(state.node("late")?.requested.cpu).toBe(1000);
    state.removeNode("late");
    expect(state.nodes).toEqual([]);
    state.remove(testPod().uid);
    expect(state.placeOf(testPod().uid)).toBeUndefined();
  });

  it("counts by domain as nodes get other labels, go and come back", () => {
    const zone = (value: string) => ({ name: "a", labels: { zone: value } });
    const { state } = testCluster([zone("x"), { name: "b", labels: { zone: "x" } }], {
      a: [{ labels }],
      b: [{ labels }],
    });
    const zones = () => state.domainsOf("zone");
    const pods = () => {
      const counts = state.matches.bySelector("default", web, { skipsTerminating: true }).inDomains(zones());
      return Object.fromEntries(Array.from(counts, (count, domain) => [zones().names[domain], count]));
    };
    expect([pods(), zones().names]).toEqual([{ x: 2 }, ["x"]]);
    state.setNode(testNode(zone("y")));
    expect([pods(), [...zones().names].sort()]).toEqual([{ x: 1, y: 1 }, ["x", "y"]]);
    state.place(testPod({ name: "more", labels }), "a");
    expect(pods()).toEqual({ x: 1, y: 2 });
    state.remove(testPod({ name: "more" }).uid);
    state.removeNode("a");
    expect([pods(), zones().names]).toEqual([{ x: 1 }, ["x"]]);
    state.setNode(testNode(zone("x")));
    expect(pods()).toEqual({ x: 2 });
  });

  it("shows zones in turn", () => {
    const zone = (name: string) => ({ name, labels: { zone: name[0]! } });
    const { state } = testCluster(["a1", "a2", "a3", "b1", "c1"].map(zone));
    expect(state.nodes.map(({ name }) => name)).toEqual(["a1", "b1", "c1", "a2", "a3"]);
  });
});
