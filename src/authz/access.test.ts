// Authorization through the whole server, without a socket: escalation on every path that writes, reviews, nodes.
// Requirements: document 2, "Escalation prevention", "Access-review resources", "Node authorizer".

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asUser, type LooseJson, type ServerInProcess, serverInProcess } from "../apiserver/server.testing.ts";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const REVIEWS = "/apis/authorization.k8s.io/v1";
const API_VERSION = "rbac.authorization.k8s.io/v1";
const MASTER = "root;system:masters";
const getMaps = { verbs: ["get"], apiGroups: [""], resources: ["configmaps"] };
const deleteMaps = { verbs: ["delete"], apiGroups: [""], resources: ["configmaps"] };

describe("authorization in the server", () => {
  let server: ServerInProcess;
  let count = 0;

  beforeAll(async () => {
    server = await serverInProcess({
      flags: [
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        "--disable-admission-plugins=ServiceAccount",
      ],
      authorization: "by flags",
    });
    const resources = ["roles", "rolebindings", "clusterroles", "clusterrolebindings"];
    const verbs = ["get", "create", "update", "patch", "delete"];
    await grant("writer", [{ verbs, apiGroups: ["rbac.authorization.k8s.io"], resources }]);
    await grant("writer", [getMaps]);
  });
  afterAll(() => server.close());

  function call(user: string, method: string, url: string, body?: unknown, type = "application/json") {
    const [name = "", ...groups] = user.split(";");
    return server.call(method, url, body, {
      "content-type": type,
      ...asUser({ name, groups: [...groups, "system:authenticated"] }),
    });
  }

  const clusterRole = (name: string, rules: unknown[], more: object = {}) => ({
    apiVersion: API_VERSION,
    kind: "ClusterRole",
    metadata: { name },
    rules,
    ...more,
  });
  const clusterBinding = (name: string, role: string, user: string) => ({
    apiVersion: API_VERSION,
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
    subjects: [{ kind: "User", name: user }],
  });

  async function grant(user: string, rules: unknown[]): Promise<void> {
    count += 1;
    const name = `grant-${count}`;
    expect((await call(MASTER, "POST", `${RBAC}/clusterroles`, clusterRole(name, rules))).status).toBe(201);
    expect((await call(MASTER, "POST", `${RBAC}/clusterrolebindings`, clusterBinding(name, name, user))).status).toBe(
      201,
    );
  }

  describe("keeps a writer of roles from granting what it does not hold", () => {
    const ITEM = `${RBAC}/clusterroles/mine`;
    const REFUSED = `clusterroles.rbac.authorization.k8s.io "mine" is forbidden: user "writer" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["configmaps"], Verbs:["delete"]}`;
    beforeAll(async () => {
      expect((await call("writer", "POST", `${RBAC}/clusterroles`, clusterRole("mine", [getMaps]))).status).toBe(201);
    });
    it.each<[string, string, string, unknown, string?]>([
      ["create", "POST", `${RBAC}/clusterroles`, { ...clusterRole("mine", [deleteMaps]) }],
      ["dry run", "POST", `${RBAC}/clusterroles?dryRun=All`, clusterRole("mine", [deleteMaps])],
      ["update", "PUT", ITEM, clusterRole("mine", [getMaps, deleteMaps])],
      [
        "JSON patch",
        "PATCH",
        ITEM,
        [{ op: "add", path: "/rules/-", value: deleteMaps }],
        "application/json-patch+json",
      ],
      ["merge patch", "PATCH", ITEM, { rules: [deleteMaps] }, "application/merge-patch+json"],
      ["strategic merge patch", "PATCH", ITEM, { rules: [deleteMaps] }, "application/strategic-merge-patch+json"],
      [
        "apply",
        "PATCH",
        `${ITEM}?fieldManager=t&force=true`,
        clusterRole("mine", [deleteMaps]),
        "application/apply-patch+yaml",
      ],
    ])("by %s", async (_how, method, url, body, type) => {
      const answer = await call("writer", method, url, body, type);
      expect([answer.status, answer.json.message]).toEqual([403, REFUSED]);
    });
    it("by an apply that creates", async () => {
      const answer = await call(
        "writer",
        "PATCH",
        `${RBAC}/clusterroles/new?fieldManager=t`,
        clusterRole("new", [deleteMaps]),
        "application/apply-patch+yaml",
      );
      expect(answer.status).toBe(403);
    });
    it("by collecting the rules of others", async () => {
      const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] };
      const answer = await call(
        "writer",
        "POST",
        `${RBAC}/clusterroles`,
        clusterRole("collector", [], { aggregationRule }),
      );
      expect(answer.json.message).toMatch(/must have cluster-admin privileges to use the aggregationRule$/);
      const patched = await call("writer", "PATCH", ITEM, { aggregationRule }, "application/merge-patch+json");
      expect(patched.status).toBe(403);
    });
    it("before anything is said about the form of the role", async () => {
      const role = { ...clusterRole("paths", [{ verbs: ["get"], nonResourceURLs: ["/x"] }]), kind: "Role" };
      const answer = await call("writer", "POST", `${RBAC}/namespaces/default/roles`, role);
      expect(answer.status).toBe(403);
      expect((await call(MASTER, "POST", `${RBAC}/namespaces/default/roles`, role)).status).toBe(422);
    });
    it("unless it has the verb escalate on the role that the path names", async () => {
      await grant("writer", [
        {
          verbs: ["escalate"],
          apiGroups: ["rbac.authorization.k8s.io"],
          resources: ["clusterroles"],
          resourceNames: ["named"],
        },
      ]);
      const role = clusterRole("named", [deleteMaps]);
      expect((await call("writer", "POST", `${RBAC}/clusterroles`, role)).status).toBe(403);
      expect((await call("writer", "PUT", `${RBAC}/clusterroles/named`, role)).status).toBe(201);
    });
    it("but not from changing what it does hold", async () => {
      const answer = await call(
        "writer",
        "PATCH",
        ITEM,
        { metadata: { labels: { a: "b" } } },
        "application/merge-patch+json",
      );
      expect(answer.status).toBe(200);
    });
  });

  describe("keeps a writer of bindings from binding what it does not hold", () => {
    beforeAll(async () => {
      await call(MASTER, "POST", `${RBAC}/clusterroles`, clusterRole("deleter", [deleteMaps]));
      await call(MASTER, "POST", `${RBAC}/clusterroles`, clusterRole("getter", [getMaps]));
      await call(MASTER, "POST", `${RBAC}/clusterrolebindings`, clusterBinding("others", "deleter", "bob"));
    });
    it("by create, update, patch and apply", async () => {
      const url = `${RBAC}/clusterrolebindings`;
      const subjects = [{ kind: "User", name: "writer" }];
      const answers = [
        await call("writer", "POST", url, clusterBinding("b1", "deleter", "writer")),
        await call("writer", "PUT", `${url}/others`, clusterBinding("others", "deleter", "writer")),
        await call("writer", "PATCH", `${url}/others`, { subjects }, "application/merge-patch+json"),
        await call(
          "writer",
          "PATCH",
          `${url}/others?fieldManager=t&force=true`,
          clusterBinding("others", "deleter", "writer"),
          "application/apply-patch+yaml",
        ),
      ];
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
      expect((await call("writer", "POST", url, clusterBinding("b2", "getter", "writer"))).status).toBe(201);
    });
    it("unless it has the verb bind on that role", async () => {
      await grant("binder", [
        { verbs: ["create"], apiGroups: ["rbac.authorization.k8s.io"], resources: ["clusterrolebindings"] },
      ]);
      await grant("binder", [
        {
          verbs: ["bind"],
          apiGroups: ["rbac.authorization.k8s.io"],
          resources: ["clusterroles"],
          resourceNames: ["deleter"],
        },
      ]);
      expect(
        (await call("binder", "POST", `${RBAC}/clusterrolebindings`, clusterBinding("b3", "deleter", "x"))).status,
      ).toBe(201);
      expect(
        (await call("binder", "POST", `${RBAC}/clusterrolebindings`, clusterBinding("b4", "cluster-admin", "x")))
          .status,
      ).toBe(403);
    });
    it("and leaves it to validation when no role is referred to", async () => {
      const { roleRef: _ref, ...binding } = clusterBinding("b6", "deleter", "x");
      expect((await call("writer", "POST", `${RBAC}/clusterrolebindings`, binding)).status).toBe(422);
    });
    it("and says so when the role does not exist", async () => {
      const answer = await call("writer", "POST", `${RBAC}/clusterrolebindings`, clusterBinding("b5", "nowhere", "x"));
      expect([answer.status, answer.json.message]).toEqual([
        404,
        'clusterrolebindings.rbac.authorization.k8s.io "nowhere" not found',
      ]);
    });
  });

  describe("reviews", () => {
    const review = (kind: string, spec: object) => ({ apiVersion: "authorization.k8s.io/v1", kind, spec });
    const resourceAttributes = { verb: "get", resource: "configmaps", namespace: "default" };
    it("say why somebody may", async () => {
      const { json } = await call(
        "writer",
        "POST",
        `${REVIEWS}/selfsubjectaccessreviews`,
        review("SelfSubjectAccessReview", { resourceAttributes }),
      );
      expect(json.status).toEqual({
        allowed: true,
        reason: 'RBAC: allowed by ClusterRoleBinding "grant-2" of ClusterRole "grant-2" to User "writer"',
      });
    });
    it("list what somebody may", async () => {
      const { json } = await call(
        "writer",
        "POST",
        `${REVIEWS}/selfsubjectrulesreviews`,
        review("SelfSubjectRulesReview", { namespace: "default" }),
      );
      expect(json.metadata).toEqual({});
      expect(json.status.incomplete).toBe(false);
      expect(json.status.resourceRules).toContainEqual(getMaps);
      expect(json.status.nonResourceRules).toContainEqual(expect.objectContaining({ verbs: ["get"] }));
    });
    it("list no more than an answer may show, and say so", async () => {
      const resources = Array.from({ length: 50_000 }, (_, index) => `r${index}`);
      for (let index = 0; index < 3; index += 1) await grant("holder", [{ ...getMaps, resources }]);
      const asked = review("SelfSubjectRulesReview", { namespace: "default" });
      const { json } = await call("holder", "POST", `${REVIEWS}/selfsubjectrulesreviews`, asked);
      expect(json.status).toMatchObject({
        incomplete: true,
        evaluationError: "rules of more than 131072 words are not all listed",
      });
      expect(json.status.resourceRules.filter((rule: LooseJson) => rule.resources.length === 50_000)).toHaveLength(2);
    });
    it("say what they are, whatever the body says, and forget what only a server sets", async () => {
      const url = `${REVIEWS}/selfsubjectaccessreviews`;
      const { json } = await call(MASTER, "POST", url, { metadata: { uid: "u" }, spec: { resourceAttributes } });
      expect(Object.keys(json)).toEqual(["kind", "apiVersion", "metadata", "spec", "status"]);
      expect(json.metadata.uid).toBeUndefined();
      const named = await call(MASTER, "POST", url, { metadata: { name: "n" }, spec: { resourceAttributes } });
      expect(named.json.message).toMatch(
        /metadata: Invalid value: \{"name":"n","managedFields":\[.*\]\}: must be empty$/,
      );
    });
    it("ignore selectors that cannot be read, and say so", async () => {
      const spec = {
        user: "writer",
        resourceAttributes: { ...resourceAttributes, verb: "list", labelSelector: { rawSelector: "a in" } },
      };
      const { json } = await call(
        MASTER,
        "POST",
        `${REVIEWS}/subjectaccessreviews`,
        review("SubjectAccessReview", spec),
      );
      expect(json.status.evaluationError).toBe("spec.resourceAttributes.labelSelector ignored due to parse error");
      const fieldSelector = {
        requirements: [
          { key: "a", operator: "Exists" },
          { key: "b", operator: "In", values: ["c"] },
        ],
      };
      const attributes = { ...spec.resourceAttributes, fieldSelector };
      const both = await call(
        MASTER,
        "POST",
        `${REVIEWS}/subjectaccessreviews`,
        review("SubjectAccessReview", { ...spec, resourceAttributes: attributes }),
      );
      expect(both.json.status.evaluationError).toBe(
        "spec.resourceAttributes.fieldSelector partially ignored due to parse error; spec.resourceAttributes.labelSelector ignored due to parse error",
      );
    });
    it.each(["labelSelector", "fieldSelector"])("refuse a %s that no query could hold", async (field) => {
      const selector = { [field]: { rawSelector: "a".repeat(128 * 1024 + 1) } };
      const spec = { user: "writer", resourceAttributes: { ...resourceAttributes, verb: "list", ...selector } };
      const url = `${REVIEWS}/subjectaccessreviews`;
      const { status, json } = await call(MASTER, "POST", url, review("SubjectAccessReview", spec));
      expect(status).toBe(422);
      expect(json.message).toContain(`${field}.rawSelector: Too long: may not be more than 131072 bytes`);
    });
    it("explain a refusal to those who may read roles", async () => {
      const spec = { user: "writer", resourceAttributes: { ...resourceAttributes, verb: "delete" } };
      const url = `${REVIEWS}/subjectaccessreviews?explain=true`;
      const { json } = await call(MASTER, "POST", url, review("SubjectAccessReview", spec));
      expect(json.status.explanation.nearest).toEqual([
        { by: expect.stringContaining('to User "writer"'), rule: getMaps, differs: ["verbs"] },
        { by: expect.any(String), rule: getMaps, differs: ["verbs"] },
      ]);
      expect(json.status.explanation.wouldGrant).toEqual({
        rule: deleteMaps,
        namespace: "default",
        existingRoles: expect.arrayContaining(["ClusterRole deleter"]),
      });
      const self = await call(
        "writer",
        "POST",
        `${REVIEWS}/selfsubjectaccessreviews?explain=true`,
        review("SelfSubjectAccessReview", { resourceAttributes }),
      );
      expect(self.json.status).not.toHaveProperty("explanation");
      expect(JSON.stringify(self.headers)).toContain("explain was left out");
    });
    it("say who can", async () => {
      const spec = { user: "x", resourceAttributes: { ...resourceAttributes, verb: "delete" } };
      const { json } = await call(
        MASTER,
        "POST",
        `${REVIEWS}/subjectaccessreviews?explain=who-can`,
        review("SubjectAccessReview", spec),
      );
      expect(json.status.explanation.whoCan).toContainEqual({
        subject: { kind: "User", name: "bob" },
        by: 'ClusterRoleBinding "others" of ClusterRole "deleter" to User "bob"',
      });
    });
  });

  describe("a node", () => {
    const NODE = "system:node:n1;system:nodes";
    const SPACE = "/api/v1/namespaces/default";
    const get = async (path: string) => (await call(NODE, "GET", path)).status;
    const pod = (name: string, nodeName: string, volumes: object[] = []) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: { nodeName, volumes, containers: [{ name: "c", image: "i" }] },
    });
    beforeAll(async () => {
      for (const name of ["n1", "n2"])
        await call(MASTER, "POST", "/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name } });
      for (const name of ["mine", "theirs", "pv"])
        await call(MASTER, "POST", `${SPACE}/secrets`, { apiVersion: "v1", kind: "Secret", metadata: { name } });
      const csi = { driver: "d", volumeHandle: "h", nodeStageSecretRef: { name: "pv", namespace: "default" } };
      await call(MASTER, "POST", "/api/v1/persistentvolumes", {
        apiVersion: "v1",
        kind: "PersistentVolume",
        metadata: { name: "v" },
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOnce"],
          csi,
          claimRef: { namespace: "default", name: "claim" },
        },
      });
      const volumes = [
        { name: "a", secret: { secretName: "mine" } },
        { name: "b", persistentVolumeClaim: { claimName: "claim" } },
      ];
      expect((await call(MASTER, "POST", `${SPACE}/pods`, pod("p1", "n1", volumes))).status).toBe(201);
      expect(
        (
          await call(
            MASTER,
            "POST",
            `${SPACE}/pods`,
            pod("p2", "n2", [{ name: "a", secret: { secretName: "theirs" } }]),
          )
        ).status,
      ).toBe(201);
    });
    it("reads what its pods need and nothing else", async () => {
      expect(await get(`${SPACE}/secrets/mine`)).toBe(200);
      expect(await get(`${SPACE}/secrets/pv`)).toBe(200);
      expect(await get("/api/v1/persistentvolumes/v")).toBe(200);
      expect(await get(`${SPACE}/secrets/theirs`)).toBe(403);
      expect(await get(`${SPACE}/secrets`)).toBe(403);
      expect(await get(`${SPACE}/pods/p1`)).toBe(200);
      expect(await get(`${SPACE}/pods/p2`)).toBe(403);
      expect(await get("/api/v1/pods?fieldSelector=spec.nodeName%3Dn1")).toBe(200);
      expect(await get("/api/v1/pods")).toBe(403);
      expect(await get("/api/v1/nodes?fieldSelector=metadata.name%3Dn1")).toBe(200);
      expect(await get("/api/v1/nodes/n2")).toBe(403);
    });
    it("loses what its pods needed when they are gone", async () => {
      await call(MASTER, "POST", `${SPACE}/pods`, pod("p3", "n1", [{ name: "a", secret: { secretName: "theirs" } }]));
      await expect.poll(() => get(`${SPACE}/secrets/theirs`)).toBe(200);
      await call(MASTER, "DELETE", `${SPACE}/pods/p3?gracePeriodSeconds=0`);
      await expect.poll(() => get(`${SPACE}/secrets/theirs`)).toBe(403);
    });
    it("changes neither its taints, its restricted labels, its owners nor another node", async () => {
      const merge = async (name: string, body: object) =>
        (await call(NODE, "PATCH", `/api/v1/nodes/${name}`, body, "application/merge-patch+json")).status;
      expect(await merge("n1", { metadata: { labels: { "kubernetes.io/os": "linux", "example.com/a": "b" } } })).toBe(
        200,
      );
      expect(await merge("n1", { metadata: { labels: { "node-restriction.kubernetes.io/a": "b" } } })).toBe(403);
      expect(await merge("n1", { metadata: { labels: { "x.k8s.io/a": "b" } } })).toBe(403);
      expect(await merge("n1", { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } })).toBe(403);
      expect(
        await merge("n1", { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }] } }),
      ).toBe(403);
      expect(await merge("n2", { metadata: { labels: { "example.com/a": "b" } } })).toBe(403);
    });
    it("creates mirror pods of its own only, and they lead nowhere", async () => {
      const own = (await call(MASTER, "GET", "/api/v1/nodes/n1")).json.metadata;
      const mirror = (name: string, volumes: object[] = []) => ({
        ...pod(name, "n1", volumes),
        metadata: {
          name,
          annotations: { "kubernetes.io/config.mirror": "x" },
          ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n1", uid: own.uid, controller: true }],
        },
      });
      expect((await call(NODE, "POST", `${SPACE}/pods`, pod("plain", "n1"))).status).toBe(403);
      expect(
        (await call(NODE, "POST", `${SPACE}/pods`, mirror("m1", [{ name: "a", secret: { secretName: "theirs" } }])))
          .status,
      ).toBe(403);
      expect((await call(NODE, "POST", `${SPACE}/pods`, mirror("m2"))).status).toBe(201);
    });
  });
});
