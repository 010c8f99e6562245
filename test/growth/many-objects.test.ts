// Requests that have to look at very many stored objects: others have more turns meanwhile, the more there are.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type ServerInProcess, serverInProcess } from "../../src/apiserver/server.testing.ts";
import { asSlowWork } from "../../src/base/steps.testing.ts";

let server: ServerInProcess;
beforeAll(async () => {
  server = await serverInProcess({
    dialect: "kubernetes",
    authorization: "everything",
    flags: ["--disable-admission-plugins=ServiceAccount"],
  });
});
afterAll(() => server.close());

const IN = "/api/v1/namespaces/default";
const POLICIES = "/apis/admissionregistration.k8s.io/v1";
const BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const make = async (path: string, body: object): Promise<void> => {
  const { status, text } = await server.call("POST", path, body);
  expect(status, text).toBe(201);
};

/** How many turns of the event loop others have while a request is answered, on a machine that is slow. */
async function turnsDuring(path: string, body: object): Promise<number> {
  let turns = 0;
  let answered = false;
  const count = () => {
    turns += 1;
    if (!answered) setImmediate(count);
  };
  await asSlowWork(4, async () => {
    setImmediate(count);
    await make(path, body);
  });
  answered = true;
  return turns;
}

it("parameters of a policy that a selector chooses", async () => {
  const secrets = { operations: ["*"], apiGroups: [""], apiVersions: ["*"], resources: ["secrets"] };
  await make(`${POLICIES}/validatingadmissionpolicies`, {
    metadata: { name: "p" },
    spec: {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      matchConstraints: { resourceRules: [secrets] },
      validations: [{ expression: "params.metadata.name != 'x'" }],
    },
  });
  const paramRef = { selector: { matchLabels: { a: "b" } }, parameterNotFoundAction: "Allow" };
  const spec = { policyName: "p", validationActions: ["Deny"], paramRef };
  await make(`${POLICIES}/validatingadmissionpolicybindings`, { metadata: { name: "p" }, spec });
  const judged = () => turnsDuring(`${IN}/secrets?dryRun=All`, { metadata: { name: "s" } });
  const param = (index: number) => make(`${IN}/configmaps`, { metadata: { name: `c${index}`, labels: { a: "b" } } });
  await param(0);
  await judged();
  const few = await judged();
  for (let index = 1; index < 600; index += 1) await param(index);
  expect((await judged()) - few).toBeGreaterThan(8);
});

it("budgets of a namespace from which a pod is evicted", async () => {
  const containers = [{ name: "a", image: "i" }];
  await make(`${IN}/pods`, { metadata: { name: "p", labels: { a: "b" } }, spec: { containers } });
  const running = await server.call("PATCH", `${IN}/pods/p/status`, { status: { phase: "Running" } });
  expect(running.status, running.text).toBe(200);
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } };
  const evicted = () => turnsDuring(`${IN}/pods/p/eviction?dryRun=All`, eviction);
  await evicted();
  const few = await evicted();
  const matchLabels = { a: "c", long: "x".repeat(60) };
  for (let index = 0; index < 1_200; index += 1)
    await make(BUDGETS, { metadata: { name: `b${index}` }, spec: { maxUnavailable: 1, selector: { matchLabels } } });
  expect((await evicted()) - few).toBeGreaterThan(8);
});
