// What servers say of themselves, in both forms, and what is left of nonsense.

import { describe, expect, it } from "vitest";
import type { Json } from "../../../base/json.ts";
import { resourcesOfDiscovery, resourcesOfList } from "./remote-resources.ts";

const NO_KIND = { group: "", version: "", kind: "" };

describe("a list of resources", () => {
  it("has sub-resources below what they belong to", () => {
    const list = {
      resources: [
        { name: "orders/scale", kind: "Scale", group: "autoscaling", version: "v1", verbs: ["get"] },
        { name: "orders", singularName: "order", namespaced: true, kind: "Order", verbs: ["get"], shortNames: ["o"] },
        { name: "shops", singularName: "shop", namespaced: false, kind: "Shop", verbs: [], categories: ["all"] },
        { name: "lost/status", kind: "Lost", verbs: [] },
      ],
    };
    expect(resourcesOfList(list)).toEqual([
      {
        resource: "orders",
        singularResource: "order",
        scope: "Namespaced",
        responseKind: { ...NO_KIND, kind: "Order" },
        verbs: ["get"],
        shortNames: ["o"],
        subresources: [
          {
            subresource: "scale",
            responseKind: { group: "autoscaling", version: "v1", kind: "Scale" },
            verbs: ["get"],
          },
        ],
      },
      {
        resource: "shops",
        singularResource: "shop",
        scope: "Cluster",
        responseKind: { ...NO_KIND, kind: "Shop" },
        verbs: [],
        categories: ["all"],
      },
    ]);
  });

  it.each<Json>([null, [], {}, { resources: 1 }, { resources: [1, null, {}, { name: 3 }] }])("can be %j", (list) =>
    expect(resourcesOfList(list)).toEqual([]),
  );

  it("keeps only what is well-formed", () => {
    const [found] = resourcesOfList({
      resources: [{ name: "a", kind: 1, verbs: ["get", 2], shortNames: "x", more: 1 }],
    });
    expect(found).toEqual({
      resource: "a",
      singularResource: "",
      scope: "Cluster",
      responseKind: NO_KIND,
      verbs: ["get"],
    });
  });
});

describe("a list of groups", () => {
  const list = (resources: Json) => ({
    items: [{ metadata: { name: "g" }, versions: [{ version: "v1", resources }] }],
  });

  it("has the resources of the group and version that is asked for", () => {
    const kind = { group: "g", version: "v1", kind: "Order" };
    const resources = [
      {
        resource: "orders",
        responseKind: kind,
        scope: "Namespaced",
        singularResource: "order",
        verbs: ["get"],
        subresources: [{ subresource: "status", responseKind: kind, verbs: ["get"] }],
      },
    ];
    expect(resourcesOfDiscovery(list(resources), "g", "v1")).toEqual(resources);
    expect(resourcesOfDiscovery(list(resources), "g", "v2")).toBeUndefined();
    expect(resourcesOfDiscovery(list(resources), "h", "v1")).toBeUndefined();
  });

  it.each<Json>([1, null, [1], [{ resource: {} }]])("can hold %j", (resources) =>
    expect(resourcesOfDiscovery(list(resources), "g", "v1")).toEqual([]),
  );
});
