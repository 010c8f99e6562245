// Who names parameters in a policy or binding must be allowed to read them, through the whole server.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Attributes } from "../../registry/authorizer.ts";
import { type LooseJson, startTestServer, type TestServer } from "../admission.testing.ts";

const API_VERSION = "admissionregistration.k8s.io/v1";
const GROUP = `/apis/${API_VERSION}`;
const RULES = [{ operations: ["CREATE"], apiGroups: ["none"], apiVersions: ["v1"], resources: ["none"] }];
const alice = { name: "alice", uid: "u1", groups: ["dev", "system:authenticated"] };
const master = { name: "root", groups: ["system:masters"] };
const WHO = "user &{alice u1 [dev system:authenticated] map[]}";

let server: TestServer;
let readable: ReadonlySet<string>;
let asked: string[];

/** What is asked for beside the write itself: verb, group/version/resource, namespace/name. */
const question = ({ verb, resource: r }: Attributes): string =>
  `${verb} ${r?.group}/${r?.version}/${r?.resource} ${r?.namespace}/${r?.name}`;

beforeAll(async () => {
  server = await startTestServer({
    authorizer: {
      authorize: (attributes) => {
        if (attributes.resource?.group === "admissionregistration.k8s.io") return { verdict: "allow", reason: "" };
        asked.push(question(attributes));
        return { verdict: readable.has(question(attributes)) ? "allow" : "no-opinion", reason: "" };
      },
    },
  });
  readable = new Set();
  asked = [];
  await server.call("POST", `${GROUP}/validatingadmissionpolicies`, policy("secrets", SECRETS), master);
  await server.call("POST", `${GROUP}/validatingadmissionpolicies`, policy("things", THINGS), master);
  await server.call("POST", `${GROUP}/validatingadmissionpolicies`, policy("plain"), master);
});
beforeEach(() => {
  readable = new Set();
  asked = [];
});
afterAll(() => server.close());

const SECRETS = { apiVersion: "v1", kind: "Secret" };
const THINGS = { apiVersion: "example.com/v1", kind: "Thing" };

const policy = (name: string, paramKind?: LooseJson) => ({
  apiVersion: API_VERSION,
  kind: "ValidatingAdmissionPolicy",
  metadata: { name },
  spec: {
    ...(paramKind && { paramKind }),
    matchConstraints: { resourceRules: RULES },
    validations: [{ expression: "true" }],
  },
});
const binding = (name: string, policyName: string, paramRef: LooseJson) => ({
  apiVersion: API_VERSION,
  kind: "ValidatingAdmissionPolicyBinding",
  metadata: { name },
  spec: { policyName, validationActions: ["Deny"], paramRef: { parameterNotFoundAction: "Deny", ...paramRef } },
});

const create = (body: LooseJson, user = alice as typeof alice | typeof master) =>
  server.call(
    "POST",
    `${GROUP}/${body.kind === "ValidatingAdmissionPolicy" ? "validatingadmissionpolicies" : "validatingadmissionpolicybindings"}?dryRun=All`,
    body,
    user,
  );

const finding = (field: string, message: string) => ({
  reason: "FieldValueForbidden",
  message: `Forbidden: ${message}`,
  field,
});

describe("a policy with parameters", () => {
  it.each([
    ["of a known kind", SECRETS, "get /v1/secrets */*"],
    ["of a kind that nobody serves", THINGS, "get example.com/v1/* */*"],
  ])("%s is made by whom all of them are open to", async (_what, paramKind, needed) => {
    const refused = await create(policy("p", paramKind));
    expect(refused.status, refused.json.message).toBe(422);
    const what = `(kind=${paramKind.kind}, apiVersion=${paramKind.apiVersion})`;
    expect(refused.json.details.causes).toEqual([
      finding("spec.paramKind", `${WHO} must have "get" permission on all objects of the referenced paramKind ${what}`),
    ]);
    expect(asked).toEqual([needed]);
    readable = new Set([needed]);
    expect((await create(policy("p", paramKind))).status).toBe(201);
  });

  it("is made by administrators, and without parameters by anyone, unasked", async () => {
    expect((await create(policy("p", SECRETS), master)).status).toBe(201);
    expect((await create(policy("p"))).status).toBe(201);
    expect(asked).toEqual([]);
  });

  it("may be changed by others while its parameters stay the same", async () => {
    const url = `${GROUP}/validatingadmissionpolicies/secrets?dryRun=All`;
    const old = (await server.call("GET", url, undefined, master)).json;
    const labelled = { ...old, metadata: { ...old.metadata, labels: { a: "b" } } };
    expect((await server.call("PUT", url, labelled, alice)).status).toBe(200);
    const changed = { ...old, spec: { ...old.spec, paramKind: { apiVersion: "v1", kind: "ConfigMap" } } };
    expect((await server.call("PUT", url, changed, alice)).status).toBe(422);
    expect(asked).toEqual(["get /v1/configmaps */*"]);
  });
});

describe("a binding that names parameters", () => {
  const lacks = (verb: string) => `${WHO} does not have "${verb}" permission`;
  const everywhere = (verb: string) =>
    `to determine minimum required permissions and ${lacks(verb)} for all groups, versions and resources`;

  it.each<[string, string, LooseJson, string, string]>([
    [
      "an object",
      "secrets",
      { name: "x", namespace: "default" },
      "get /v1/secrets default/x",
      `${lacks("get")} on the object referenced by paramRef`,
    ],
    [
      "all that a selector chooses",
      "secrets",
      { selector: {} },
      "list /v1/secrets /",
      `${lacks("list")} on the object referenced by paramRef`,
    ],
    [
      "an object of a kind that nobody serves",
      "things",
      { name: "x" },
      "get example.com/v1/* /x",
      `unable to resolve paramKind &ParamKind{APIVersion:example.com/v1,Kind:Thing,} ${everywhere("get")}`,
    ],
    [
      "an object for a policy that is not there",
      "nope",
      { name: "x" },
      "get */*/* /x",
      `unable to get policy nope ${everywhere("get")}`,
    ],
    [
      "an object for a policy without parameters",
      "plain",
      { name: "x" },
      "get */*/* /x",
      `${lacks("get")} on the object referenced by paramRef`,
    ],
  ])("%s", async (_what, policyName, paramRef, needed, message) => {
    const refused = await create(binding("b", policyName, paramRef));
    expect(refused.status, refused.json.message).toBe(422);
    expect(refused.json.details.causes).toEqual([finding("spec.paramRef", message)]);
    expect(asked).toEqual([needed]);
    readable = new Set([needed]);
    expect((await create(binding("b", policyName, paramRef))).status).toBe(201);
  });

  it("may be changed by others while it names the same ones of the same policy", async () => {
    const url = `${GROUP}/validatingadmissionpolicybindings`;
    const made = await server.call("POST", url, binding("kept", "secrets", { name: "x" }), master);
    expect(made.status).toBe(201);
    const change = (spec: LooseJson) =>
      server.call("PUT", `${url}/kept?dryRun=All`, { ...made.json, spec: { ...made.json.spec, ...spec } }, alice);
    expect((await change({ validationActions: ["Warn"] })).status).toBe(200);
    expect(asked).toEqual([]);
    expect((await change({ policyName: "plain" })).status).toBe(422);
  });
});
