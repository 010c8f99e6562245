// A server whose authorizers do not look at roles: it reads them for who else does, when somebody does.

import { afterEach, beforeEach, expect, it } from "vitest";
import { asUser, type ServerInProcess, serverInProcess } from "../apiserver/server.testing.ts";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const DEVELOPER = asUser({ name: "dev", groups: ["system:authenticated"] });
/** What the default roles give to everybody. */
const review = {
  verbs: ["create"],
  apiGroups: ["authorization.k8s.io"],
  resources: ["selfsubjectaccessreviews"],
};

let server: ServerInProcess;
beforeEach(async () => {
  const authorization = {
    authorize: ({ verb }: { verb: string }) =>
      ({ verdict: ["escalate", "bind"].includes(verb) ? "no-opinion" : "allow", reason: "" }) as const,
  };
  server = await serverInProcess({ authorization });
});
afterEach(() => server.close());

const roles = () => server.catalog.own("rbac.authorization.k8s.io", "v1", "clusterroles")!.store!;

it("has not read the roles after a start that has laid them", () => {
  expect(roles().cache.isReady).toBe(false);
});

it.each([
  [201, review],
  [403, { ...review, verbs: ["delete"] }],
])("answers %i to who writes a role with %j", async (status, rule) => {
  const body = { metadata: { name: "mine" }, rules: [rule] };
  expect((await server.call("POST", `${RBAC}/clusterroles`, body, DEVELOPER)).status).toBe(status);
});

it.each([
  [201, "system:basic-user"],
  [403, "cluster-admin"],
])("answers %i to who binds to %s", async (status, name) => {
  const body = { metadata: { name: "mine" }, roleRef: { apiGroup: RBAC.split("/")[2], kind: "ClusterRole", name } };
  expect((await server.call("POST", `${RBAC}/clusterrolebindings`, body, DEVELOPER)).status).toBe(status);
});

it("explains who may do something", async () => {
  const [group = "", resource = ""] = [review.apiGroups[0], review.resources[0]];
  const spec = { user: "x", resourceAttributes: { verb: "create", group, resource } };
  const url = `/apis/${group}/v1/subjectaccessreviews?explain=who-can`;
  const { json } = await server.call("POST", url, { spec }, DEVELOPER);
  expect(JSON.stringify(json.status.explanation)).toContain("system:basic-user");
});
