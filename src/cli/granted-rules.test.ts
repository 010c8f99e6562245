import { expect, it } from "vitest";
import { grantRows } from "./granted-rules.ts";

it("shows rules as kubectl does: verbs of one resource together, names and paths apart, by verbs and groups", () => {
  const rows = grantRows([
    { apiGroups: ["", "apps"], resources: ["pods", "deployments/scale"], verbs: ["list", "get"] },
    { apiGroups: [""], resources: ["pods"], verbs: ["get", "watch"] },
    { apiGroups: [""], resources: ["secrets"], resourceNames: ["b", "a"], verbs: ["get"] },
    { apiGroups: [""], resources: ["secrets"], resourceNames: ["a"], verbs: ["delete"] },
    { nonResourceURLs: ["/x", "/x/*"], verbs: ["get", "post"] },
    { nonResourceURLs: ["/x"], verbs: ["get"] },
  ]);
  expect(rows).toEqual([
    ["secrets", "[]", "[a]", "[get delete]"],
    ["", "[/x/*]", "[]", "[get]"],
    ["", "[/x]", "[]", "[get]"],
    ["", "[/x]", "[]", "[get]"],
    ["secrets", "[]", "[b]", "[get]"],
    ["pods", "[]", "[]", "[list get watch]"],
    ["deployments/scale", "[]", "[]", "[list get]"],
    ["deployments.apps/scale", "[]", "[]", "[list get]"],
    ["pods.apps", "[]", "[]", "[list get]"],
    ["", "[/x/*]", "[]", "[post]"],
    ["", "[/x]", "[]", "[post]"],
  ]);
});
