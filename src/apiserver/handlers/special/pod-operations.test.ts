// What a Binding, an Eviction and a TokenRequest may say about the object that they are meant for.

import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { asSlowWork, turnsOf } from "../../../base/steps.testing.ts";
import { type ServerInProcess, serverInProcess } from "../../server.testing.ts";

const NS = "/api/v1/namespaces/default";
const ELSEWHERE = "the namespace of the provided object does not match the namespace sent on the request";

let server: ServerInProcess;
let at = 0;
let name: string;
let path: string;
beforeAll(async () => {
  server = await serverInProcess();
  await server.call("POST", `${NS}/serviceaccounts`, { metadata: { name: "builder" } });
});
afterAll(() => server.close());
beforeEach(async () => {
  name = `p${at++}`;
  path = `${NS}/pods/${name}`;
  const pod = { metadata: { name }, spec: { serviceAccountName: "builder", containers: [{ name: "c", image: "i" }] } };
  expect((await server.call("POST", `${NS}/pods`, pod)).status).toBe(201);
});

const bind = (metadata: object, to = `${path}/binding`) =>
  server.call("POST", to, { metadata: { name, ...metadata }, target: { kind: "Node", name: "n" } });
const nodeName = async () => (await server.call("GET", path)).json.spec.nodeName;

it.each<[what: string, metadata: object, code: number, message: string]>([
  ["another namespace", { namespace: "other" }, 400, ELSEWHERE],
  ["an old version", { resourceVersion: "1" }, 409, "ResourceVersion in precondition: 1"],
  ["another uid", { uid: "x" }, 409, "UID in precondition: x"],
])("a binding for a pod of %s is refused", async (_, metadata, code, message) => {
  const { status, json } = await bind(metadata);
  expect([status, json.message]).toEqual([code, expect.stringContaining(message)]);
  expect(await nodeName()).toBeUndefined();
});

it("a binding that is a kind of its own is no binding", async () => {
  const { status, json } = await server.call("POST", `${path}/binding`, { kind: "ConfigMap", apiVersion: "v1" });
  expect([status, json.message]).toEqual([400, expect.stringContaining("to (core.Binding): unknown conversion")]);
});

it("a binding that names the pod as it is takes it to its node", async () => {
  const { uid, resourceVersion, namespace } = (await server.call("GET", path)).json.metadata;
  expect((await bind({ uid, resourceVersion, namespace })).status).toBe(201);
  expect(await nodeName()).toBe("n");
});

it("a binding apart from its pod names it, and may say of which version", async () => {
  const refused = await bind({ resourceVersion: "1" }, `${NS}/bindings`);
  expect([refused.status, await nodeName()]).toEqual([409, undefined]);
  const unnamed = await bind({ name: "" }, `${NS}/bindings`);
  expect([unnamed.status, unnamed.json.message]).toEqual([400, "Name parameter required."]);
  expect([(await bind({}, `${NS}/bindings`)).status, await nodeName()]).toEqual([201, "n"]);
});

it.each<[deleteOptions: object, group: string, field: string]>([
  [{ propagationPolicy: "Later" }, "meta.k8s.io", "propagationPolicy"],
  [{ propagationPolicy: "Orphan", orphanDependents: true }, "meta.k8s.io", "propagationPolicy"],
  [{ dryRun: ["Some"] }, "meta.k8s.io", "dryRun"],
  [
    { ignoreStoreReadErrorWithClusterBreakingPotential: true },
    "policy",
    "deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential",
  ],
])("an eviction with %j is refused, and the pod is not marked", async (deleteOptions, group, field) => {
  const before = (await server.call("GET", path)).json;
  const { status, json } = await server.call("POST", `${path}/eviction`, { metadata: { name }, deleteOptions });
  expect([status, json.details.group, json.details.causes[0].field]).toEqual([422, group, field]);
  expect((await server.call("GET", path)).json).toEqual(before);
});

it("a token is not asked for with another namespace than that of its account", async () => {
  const { status, json } = await server.call("POST", `${NS}/serviceaccounts/builder/token`, {
    metadata: { name: "x", namespace: "other" },
    spec: { audiences: ["a"] },
  });
  expect([status, json.message]).toEqual([400, ELSEWHERE]);
});

it("a token is asked for the account of a uid, and for no other of its name", async () => {
  const { uid } = (await server.call("GET", `${NS}/serviceaccounts/builder`)).json.metadata;
  const ask = (metadata: object) =>
    server.call("POST", `${NS}/serviceaccounts/builder/token`, { metadata, spec: { audiences: ["a"] } });
  expect((await ask({ uid })).status).toBe(201);
  const { status, json } = await ask({ uid: "x" });
  expect([status, json.message]).toEqual([
    409,
    `Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "builder": the UID in the token request (x) does not match the UID of the service account (${uid})`,
  ]);
});

it("a token for another uid is given with a warning where the gate is off", async () => {
  const lenient = await serverInProcess({ flags: ["--feature-gates=TokenRequestServiceAccountUIDValidation=false"] });
  try {
    await lenient.call("POST", `${NS}/serviceaccounts`, { metadata: { name: "builder" } });
    const body = { metadata: { uid: "x" }, spec: { audiences: ["a"] } };
    const { status, headers } = await lenient.call("POST", `${NS}/serviceaccounts/builder/token`, body);
    expect([status, JSON.stringify(headers)]).toEqual([201, expect.stringContaining("the UID in the token request")]);
  } finally {
    await lenient.close();
  }
});

const wide = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));

it.each<[what: string, path: () => string, body: () => object, least: number]>([
  [
    "a binding",
    () => `${path}/binding`,
    () => ({ metadata: { name, annotations: wide(8_000) }, target: { name: "n" } }),
    60,
  ],
  ["an eviction", () => `${path}/eviction`, () => ({ metadata: { name, annotations: wide(8_000) } }), 25],
  [
    "a review",
    () => "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    () => ({ metadata: { annotations: wide(8_000) } }),
    60,
  ],
])("%s of many annotations lets others have their turns", async (_, operation, body, least) => {
  const { result, turns } = await turnsOf(() => asSlowWork(4, () => server.call("POST", operation(), body())));
  expect(result.status).toBe(201);
  expect(turns).toBeGreaterThan(least);
});
