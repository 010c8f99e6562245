// What the Node authorizer lets an agent do with objects that name their node. Requirements: document 2, "Node authorizer".

import { expect, it } from "vitest";
import { namesFor } from "../../meta/names.ts";
import type { Attributes } from "../../registry/authorizer.ts";
import { nodeLink } from "./node-authorizer.ts";
import type { NodeGraph } from "./node-graph.ts";

const names = namesFor("kubernetes");
type Asked = NonNullable<Attributes["resource"]>;

const graph = {
  requestedCertificate: (node: string, namespace: string, name: string) =>
    `${node}/${namespace}/${name}` === "n1/ns/own",
} as unknown as NodeGraph;
const { authorizer } = nodeLink(names, graph, () => true);

async function may(verb: string, resource: Partial<Asked>): Promise<boolean> {
  const asked = { group: names.group("certificates"), version: "v1alpha1", resource: "podcertificaterequests" };
  const decision = await authorizer.authorize({
    user: { name: "system:node:n1", groups: ["system:nodes"] },
    verb,
    resource: { ...asked, subresource: "", namespace: "ns", name: "", ...resource },
  });
  return decision.verdict === "allow";
}

const of = (node: string): Partial<Asked> => ({
  fieldSelector: [{ key: "spec.nodeName", operator: "In", values: [node] }],
});

it.each<[string, Partial<Asked>, boolean]>([
  ["create", {}, true],
  ["get", { name: "own" }, true],
  ["get", { name: "other" }, false],
  ["list", of("n1"), true],
  ["watch", { ...of("n1"), namespace: "" }, true],
  ["list", of("n2"), false],
  ["list", {}, false],
  ["delete", { name: "own" }, false],
  ["get", { name: "own", subresource: "status" }, false],
])("a node may %s requests for certificates of pods by %j: %s", async (verb, resource, expected) => {
  expect(await may(verb, resource)).toBe(expected);
});
