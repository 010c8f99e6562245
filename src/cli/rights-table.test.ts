import { expect, it } from "vitest";
import { rightsTable } from "./rights-table.ts";

it("has one row for each resource, name and path, with the verbs of all rules", () => {
  const status = {
    resourceRules: [
      { verbs: ["get"], apiGroups: ["", "apps"], resources: ["pods"] },
      { verbs: ["list", "get"], apiGroups: [""], resources: ["pods"] },
      { verbs: ["get"], apiGroups: [""], resources: ["secrets"], resourceNames: ["b", "a"] },
      { verbs: ["*"], apiGroups: ["z"], resources: ["*"] },
    ],
    nonResourceRules: [
      { verbs: ["get"], nonResourceURLs: ["/b", "/a"] },
      { verbs: ["get", "post"], nonResourceURLs: ["/b"] },
    ],
  };
  expect(rightsTable(status)).toEqual([
    ["Resources", "Non-Resource URLs", "Resource Names", "Verbs"],
    ["*.z", "[]", "[]", "[*]"],
    ["pods", "[]", "[]", "[get list]"],
    ["secrets", "[]", "[a]", "[get]"],
    ["secrets", "[]", "[b]", "[get]"],
    ["pods.apps", "[]", "[]", "[get]"],
    ["", "[/a]", "[]", "[get]"],
    ["", "[/b]", "[]", "[get post]"],
  ]);
  expect(rightsTable({})).toHaveLength(1);
});
