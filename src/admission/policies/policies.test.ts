// Admission policies through the whole server: what they match, what they say, with which words.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type LooseJson, startTestServer, type TestServer } from "../admission.testing.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const BETA = "/apis/admissionregistration.k8s.io/v1beta1";
const MAPS = "/api/v1/namespaces/default/configmaps";
const ALL_MAPS = [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({
    flags: [
      "--feature-gates=MutatingAdmissionPolicy=true",
      "--runtime-config=admissionregistration.k8s.io/v1beta1=true",
    ],
    // Answers that have to be waited for, as those of a webhook.
    authorizer: {
      authorize: async ({ user, verb, path }) => {
        const allowed = user.name === "admin" || verb === "create" || verb === "bless" || path === "/open";
        return { verdict: allowed ? "allow" : "no-opinion", reason: allowed ? "yes" : "" };
      },
    },
  });
});
afterAll(() => server.close());
afterEach(async () => {
  for (const kind of ["validatingadmissionpolicies", "validatingadmissionpolicybindings"])
    await server.call("DELETE", `${GROUP}/${kind}`);
  for (const kind of ["mutatingadmissionpolicies", "mutatingadmissionpolicybindings"])
    await server.call("DELETE", `${BETA}/${kind}`);
  await server.call("DELETE", MAPS);
});

async function install(spec: LooseJson, binding: LooseJson = {}): Promise<void> {
  const policy = await server.call("POST", `${GROUP}/validatingadmissionpolicies`, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "p" },
    spec: { matchConstraints: { resourceRules: ALL_MAPS }, ...spec },
  });
  expect(policy.status, policy.json.message).toBe(201);
  const bound = await server.call("POST", `${GROUP}/validatingadmissionpolicybindings`, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: "b" },
    spec: { policyName: "p", validationActions: ["Deny"], ...binding },
  });
  expect(bound.status, bound.json.message).toBe(201);
}

const map = (name: string, data?: LooseJson) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  ...(data ? { data } : {}),
});
const create = (name = "a", data?: LooseJson) => server.call("POST", MAPS, map(name, data));

describe("a validating policy", () => {
  it("refuses with its message, its reason and a cause", async () => {
    await install({
      validations: [{ expression: "object.metadata.name == 'b'", message: "only b", reason: "Forbidden" }],
    });
    const text = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: only b";
    const answer = await create();
    expect(answer.status).toBe(403);
    expect(answer.json).toMatchObject({
      reason: "Forbidden",
      message: `configmaps "a" is forbidden: ${text}`,
      details: { name: "a", kind: "configmaps", causes: [{ message: text }] },
    });
    expect((await create("b")).status).toBe(201);
  });

  it("goes over a large object, by its variables and conditions too", async () => {
    const data = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`key-${index}`, `${index}`]));
    await install({
      matchConditions: [{ name: "large", expression: "object.data.all(k, k.startsWith('key'))" }],
      variables: [
        { name: "last", expression: "object.data.filter(k, object.data[k] == '1999')" },
        { name: "values", expression: "variables.last.map(k, object.data[k])" },
      ],
      validations: [
        {
          expression: "object.data.all(k, variables.values.all(v, object.data[k] != v))",
          messageExpression: "variables.last.join() + ' of ' + string(object.data.map(k, k).size())",
        },
      ],
    });
    const answer = await create("a", data);
    expect(answer.json.message).toContain("denied request: key-1999 of 2000");
  });

  it.each<[string, LooseJson, string]>([
    ["without a message says the expression", { expression: "1 == 2" }, "failed expression: 1 == 2"],
    ["works its message out", { expression: "1 == 2", messageExpression: "'not ' + object.metadata.name" }, "not a"],
    [
      "falls back to its message when it cannot be worked out",
      { expression: "1 == 2", messageExpression: "'x' + object.nothing.here", message: "fixed" },
      "fixed",
    ],
    [
      "fails with what went wrong",
      { expression: "object.spec.x == 1" },
      "expression 'object.spec.x == 1' resulted in error: no such key: spec",
    ],
  ])("that %s", async (_what, validation, words) => {
    await install({ validations: [validation] });
    const answer = await create();
    expect([answer.status, answer.json.message]).toEqual([422, expect.stringContaining(words)]);
  });

  it("that cannot be evaluated is passed over when it says so", async () => {
    await install({ failurePolicy: "Ignore", validations: [{ expression: "object.spec.x == 1" }] });
    expect((await create()).status).toBe(201);
  });

  it("that exceeds its budget fails the request only", async () => {
    const many = "[1,2,3,4,5,6,7,8,9,10]";
    const loops = `${many}.all(a, ${many}.all(b, ${many}.all(c, ${many}.all(d, ${many}.all(e, ${many}.all(f, ${many}.all(g, a > 0)))))))`;
    await install({ validations: [{ expression: loops }] });
    const answer = await create();
    expect(answer.status).toBe(422);
    expect(answer.json.message).toMatch(/cost limit exceeded/);
    expect((await server.call("GET", MAPS)).status).toBe(200);
  });

  it("uses variables, which are worked out once and on demand", async () => {
    await install({
      variables: [
        { name: "n", expression: "object.metadata.name" },
        { name: "twice", expression: "variables.n + variables.n" },
        { name: "broken", expression: "object.nothing" },
      ],
      validations: [
        { expression: "variables.twice == 'aa'" },
        { expression: "variables.n != 'x' || variables.broken == 1" },
      ],
    });
    expect((await create()).status).toBe(201);
    expect((await create("x")).json.message).toContain("failed expression: variables.twice == 'aa'");
  });

  it.each([
    ["object.metadata.name == 'a'", 422],
    ["request.operation == 'DELETE'", 201],
    ["request.userInfo.username == 'admin' && request.namespace == 'default'", 422],
    ["oldObject == null", 422],
  ])("is asked under the condition %s", async (expression, code) => {
    await install({ matchConditions: [{ name: "c", expression }], validations: [{ expression: "false" }] });
    expect((await create()).status).toBe(code);
  });

  it("does not see the namespace in its match conditions, as upstream", async () => {
    const matchConditions = [{ name: "c", expression: "namespaceObject.metadata.name == 'default'" }];
    await install({ matchConditions, validations: [{ expression: "true" }] });
    expect((await create()).json.message).toContain("denied request: expression 'namespaceObject.metadata.name");
  });

  it.each([
    ["namespaceObject.metadata.labels['kubernetes.io/metadata.name'] == 'default'", true],
    ["authorizer.requestResource.check('bless').allowed()", true],
    ["authorizer.path('/open').check('get').allowed()", true],
    ["authorizer.path('/closed').check('get').allowed()", false],
    ["authorizer.serviceAccount('default', 'x').group('').resource('pods').check('get').allowed()", false],
    ["authorizer.group('').resource('pods').check('bless').reason() == 'yes'", true],
  ])("knows more than the object, and waits for the authorizer: %s", async (expression, passes) => {
    await install({ validations: [{ expression }] });
    const answer = await server.call("POST", MAPS, map("a"), { name: "ann", groups: ["system:masters"] });
    expect(answer.status, answer.json.message).toBe(passes ? 201 : 422);
  });

  it("only warns, or only writes into the audit log, when the binding says so", async () => {
    await install({ validations: [{ expression: "false", message: "hm" }] }, { validationActions: ["Warn", "Audit"] });
    const answer = await create();
    expect(answer.status).toBe(201);
    expect(answer.warnings.join()).toContain(
      "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': hm",
    );
  });

  it("denies when an annotation cannot be worked out, though the binding only audits", async () => {
    const auditAnnotations = [{ key: "k", valueExpression: "string(object.nothing)" }];
    await install({ validations: [{ expression: "true" }], auditAnnotations }, { validationActions: ["Audit"] });
    expect((await create()).json.message).toContain(
      "denied request: expression 'string(object.nothing)' resulted in error: no such key: nothing",
    );
  });

  it("without a binding does nothing, and concerns only what its binding matches", async () => {
    await install(
      { validations: [{ expression: "false" }] },
      { matchResources: { objectSelector: { matchLabels: { x: "1" } } } },
    );
    expect((await create()).status).toBe(201);
    const labelled = { ...map("c"), metadata: { name: "c", labels: { x: "1" } } };
    expect((await server.call("POST", MAPS, labelled)).status).toBe(422);
  });

  describe("with parameters", () => {
    const spec = {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      matchConditions: [{ name: "not-params", expression: "object.metadata.name != 'limits'" }],
      validations: [
        {
          expression: "size(object.metadata.name) <= int(params.data.max)",
          messageExpression: "'max ' + params.data.max",
        },
      ],
    };
    const paramRef = { name: "limits", parameterNotFoundAction: "Deny" };

    it("compares with the object that the binding names", async () => {
      await create("limits", { max: "3" });
      await install(spec, { paramRef });
      expect((await create("abc")).status).toBe(201);
      expect((await create("abcd")).json.message).toContain("denied request: max 3");
    });

    it.each([
      ["Deny", 422],
      ["Allow", 201],
    ])("and none found: %s", async (parameterNotFoundAction, code) => {
      await install(spec, { paramRef: { ...paramRef, parameterNotFoundAction } });
      const answer = await create("abc");
      expect(answer.status).toBe(code);
      if (code === 422)
        expect(answer.json.message).toContain(
          "failed to configure binding: no params found for policy binding with `Deny`",
        );
    });

    it("of a kind that nobody knows denies, whatever the bindings want", async () => {
      const paramKind = { apiVersion: "example.com/v1", kind: "Limit" };
      await install({ ...spec, paramKind }, { paramRef, validationActions: ["Audit"] });
      const answer = await create("abc");
      expect(answer.status).toBe(422);
      expect(answer.json.message).toBe(
        `configmaps "abc" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'`,
      );
    });

    it("none found denies although the binding only warns", async () => {
      await install(spec, { paramRef, validationActions: ["Warn"] });
      expect((await create("abc")).status).toBe(422);
    });

    it("of the Namespace that is judged are those in it", async () => {
      const resourceRules = [
        { operations: ["UPDATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["namespaces"] },
      ];
      await server.call("POST", "/api/v1/namespaces", { metadata: { name: "judged" } });
      await server.call("POST", "/api/v1/namespaces/judged/configmaps", map("limits", { max: "2" }));
      await install(
        {
          ...spec,
          matchConstraints: { resourceRules },
          validations: [{ expression: "request.namespace == 'judged' && params.data['max'] == '3'" }],
        },
        { paramRef },
      );
      const labelled = await server.call("PATCH", "/api/v1/namespaces/judged", { metadata: { labels: { a: "b" } } });
      expect(labelled.json.message).toContain("denied request: failed expression");
      await server.call("PATCH", "/api/v1/namespaces/judged/configmaps/limits", { data: { max: "3" } });
      expect(
        (await server.call("PATCH", "/api/v1/namespaces/judged", { metadata: { labels: { a: "b" } } })).status,
      ).toBe(200);
    });

    it("chosen by labels is held against each", async () => {
      for (const [name, max] of [
        ["l1", "9"],
        ["l2", "2"],
      ]) {
        const labels = { kind: "limit" };
        await server.call("POST", MAPS, { ...map(name!, { max }), metadata: { name, labels } });
      }
      await install(spec, {
        paramRef: { selector: { matchLabels: { kind: "limit" } }, parameterNotFoundAction: "Deny" },
      });
      expect((await create("abc")).json.message).toContain("denied request: max 2");
    });
  });
});

describe("a mutating policy", () => {
  async function installMutating(mutations: LooseJson[], more: LooseJson = {}): Promise<void> {
    const policy = await server.call("POST", `${BETA}/mutatingadmissionpolicies`, {
      apiVersion: "admissionregistration.k8s.io/v1beta1",
      kind: "MutatingAdmissionPolicy",
      metadata: { name: "m" },
      spec: {
        matchConstraints: { resourceRules: [{ ...ALL_MAPS[0], operations: ["CREATE"] }] },
        reinvocationPolicy: "Never",
        mutations,
        ...more,
      },
    });
    expect(policy.status, policy.json.message).toBe(201);
    await server.call("POST", `${BETA}/mutatingadmissionpolicybindings`, {
      apiVersion: "admissionregistration.k8s.io/v1beta1",
      kind: "MutatingAdmissionPolicyBinding",
      metadata: { name: "m" },
      spec: { policyName: "m" },
    });
  }

  it("applies a configuration by the merge rules of the kind", async () => {
    const expression =
      "Object{metadata: Object.metadata{labels: Object.metadata.labels{team: 'x', by: request.userInfo.username}}}";
    await installMutating([{ patchType: "ApplyConfiguration", applyConfiguration: { expression } }]);
    expect((await create()).json.metadata.labels).toEqual({ team: "x", by: "admin" });
  });

  it("applies JSON patches, one mutation after the other", async () => {
    const patch = (expression: string) => ({ patchType: "JSONPatch", jsonPatch: { expression } });
    await installMutating([
      patch("[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'a/b': '1'}}]"),
      patch(
        "[JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey('c/d'), value: object.metadata.annotations['a/b'] + '2'}]",
      ),
    ]);
    expect((await create()).json.metadata.annotations).toEqual({ "a/b": "1", "c/d": "12" });
  });

  it("that cannot be carried out refuses the request, or is passed over", async () => {
    const mutation = {
      patchType: "JSONPatch",
      jsonPatch: { expression: "[JSONPatch{op: 'remove', path: '/data/x'}]" },
    };
    const words = "policy 'm' with binding 'm' denied request: JSON Patch: remove operation does not apply:";
    await installMutating([mutation, mutation]);
    const answer = await create();
    expect(answer.json).toMatchObject({
      code: 403,
      reason: "Invalid",
      message: expect.stringContaining(words),
      details: { name: "a", kind: "configmaps", causes: [{}, { message: expect.stringContaining(words) }] },
    });
    await server.call("DELETE", `${BETA}/mutatingadmissionpolicies/m`);
    await installMutating([mutation], { failurePolicy: "Ignore" });
    expect((await create()).status).toBe(201);
  });

  it("whose test does not hold leaves the object as it is", async () => {
    const operations =
      "[JSONPatch{op: 'test', path: '/metadata/name', value: 'b'}, JSONPatch{op: 'add', path: '/data', value: {'x': 'y'}}]";
    await installMutating([{ patchType: "JSONPatch", jsonPatch: { expression: operations } }]);
    expect((await create("a")).json.data).toBeUndefined();
    expect((await create("b")).json.data).toEqual({ x: "y" });
  });

  it("that wishes it is called once more after any change, its own too", async () => {
    const expression =
      "[JSONPatch{op: 'add', path: '/data', value: {'n': has(object.data) ? object.data.n + '1' : '1'}}]";
    await installMutating([{ patchType: "JSONPatch", jsonPatch: { expression } }], { reinvocationPolicy: "IfNeeded" });
    expect((await create()).json.data).toEqual({ n: "11" });
  });

  it("cannot add what the kind does not know", async () => {
    const expression = "[JSONPatch{op: 'add', path: '/bogus', value: 1}]";
    await installMutating([{ patchType: "JSONPatch", jsonPatch: { expression } }]);
    expect((await create()).json).toMatchObject({
      code: 500,
      message: 'Internal error occurred: strict decoding error: unknown field "bogus"',
    });
  });

  it("cannot put a literal in the place of another", async () => {
    const expression = "Object{metadata: Object.metadata{labels: Object.data{a: 'b'}}}";
    await installMutating([{ patchType: "ApplyConfiguration", applyConfiguration: { expression } }]);
    expect((await create()).json.message).toBe(
      `policy 'm' with binding 'm' denied request: type mismatch: unexpected type name "Object.data", expected "Object.metadata.labels", which matches field name path from root Object type`,
    );
  });

  it("cannot set what would be replaced as a whole", async () => {
    const expression =
      "Object{metadata: Object.metadata{ownerReferences: []}, immutable: true, data: Object.data{a: 'b'}}";
    await installMutating([{ patchType: "ApplyConfiguration", applyConfiguration: { expression } }]);
    expect((await create()).json.data).toEqual({ a: "b" });
    await server.call("DELETE", `${BETA}/mutatingadmissionpolicies/m`);
    const selector = "Object{spec: Object.spec{selector: Object.spec.selector{a: 'b'}}}";
    const rules = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["services"] }];
    await installMutating([{ patchType: "ApplyConfiguration", applyConfiguration: { expression: selector } }], {
      matchConstraints: { resourceRules: rules },
    });
    const answer = await server.call("POST", "/api/v1/namespaces/default/services?dryRun=All", {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "s" },
      spec: { clusterIP: "None", ports: [{ port: 80 }] },
    });
    expect(answer.json.message).toContain("may not mutate atomic arrays, maps or structs: .spec.selector");
  });
});
