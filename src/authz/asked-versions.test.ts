// What is asked of authorizers about requests that nobody has made. Requirements: document 2, "Access-review resources",
// "Escalation prevention".

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { asUser, type ServerInProcess, serverInProcess } from "../apiserver/server.testing.ts";
import type { Attributes } from "../registry/authorizer.ts";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };

describe("questions to authorizers", () => {
  let server: ServerInProcess;
  let asked: Attributes[] = [];

  beforeAll(async () => {
    server = await serverInProcess({
      authorization: {
        authorize(attributes) {
          asked.push(attributes);
          return { verdict: "allow", reason: "" };
        },
      },
    });
  });
  beforeEach(() => {
    asked = [];
  });
  afterAll(() => server.close());

  async function questions(verb: string, url: string, body: object): Promise<Attributes["resource"][]> {
    const { status } = await server.call("POST", url, body, asUser({ name: "joe", groups: [] }));
    expect(status).toBe(201);
    return asked.filter((attributes) => attributes.verb === verb).map(({ resource }) => resource);
  }

  const reviewOf = (resourceAttributes: object) =>
    questions("list", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
      spec: { user: "jane", resourceAttributes: { verb: "list", resource: "pods", ...resourceAttributes } },
    });

  it("of reviews that name no version are about all of them", async () => {
    expect(await reviewOf({})).toMatchObject([{ resource: "pods", version: "*" }]);
    asked = [];
    expect(await reviewOf({ version: "v1" })).toMatchObject([{ version: "v1" }]);
  });

  it("of reviews hold no field requirements that a query could not", async () => {
    const requirements = [
      { key: "spec.nodeName", operator: "In", values: ["a"] },
      { key: "metadata.name", operator: "In", values: ["b", "c"] },
    ];
    const [question] = await reviewOf({ fieldSelector: { requirements } });
    expect(question!.fieldSelector).toEqual(requirements.slice(0, 1));
  });

  it.each([
    ["escalate", "clusterroles", { metadata: { name: "r" }, rules: [] }],
    ["bind", "clusterrolebindings", { metadata: { name: "b" }, roleRef, subjects: [] }],
  ])("whether somebody may %s are about all versions", async (verb, resource, body) => {
    const asking = await questions(verb, `${RBAC}/${resource}`, body);
    expect(asking).not.toEqual([]);
    for (const question of asking) {
      expect(question).toMatchObject({ group: "rbac.authorization.k8s.io", version: "*", resource: "clusterroles" });
    }
  });
});
