// What webhooks and policies leave behind in metrics and in the audit log.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { Metrics } from "../base/metrics.ts";
import { type LooseJson, startTestServer, type TestServer } from "./admission.testing.ts";
import { patchAnswer, startTestWebhook, type TestWebhook } from "./webhooks/webhook-server.testing.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const RULE = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"] };
const metrics = new Metrics({ release: "1.34" });
const folder = mkdtempSync(join(tmpdir(), "plinth-admission-"));
const log = join(folder, "audit.log");

let webhook: TestWebhook;
let server: TestServer;

beforeAll(async () => {
  const policy = join(folder, "policy.yaml");
  const level = (name: string, resource: string) => ({
    level: name,
    resources: [{ group: "", resources: [resource] }],
  });
  writeFileSync(
    policy,
    JSON.stringify({
      apiVersion: "audit.k8s.io/v1",
      kind: "Policy",
      omitStages: ["RequestReceived"],
      rules: [level("Request", "configmaps"), level("Metadata", "secrets"), { level: "None" }],
    }),
  );
  const flags = [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, "--audit-log-mode=blocking"];
  [webhook, server] = await Promise.all([startTestWebhook(), startTestServer({ flags, metrics })]);
  await configure("Mutating", "admit", [
    hook("patches", { rules: [{ ...RULE, resources: ["configmaps", "secrets"] }] }),
    hook("gone", { failurePolicy: "Ignore", clientConfig: { url: "https://127.0.0.1:1/" } }),
  ]);
  await configure("Validating", "judge", [
    hook("skipped", { matchConditions: [{ name: "never", expression: "false" }] }),
    hook("allows"),
    hook("denies", { matchConditions: [{ name: "d", expression: "object.metadata.name == 'd'" }] }),
    hook("unclear", { matchConditions: [{ name: "u", expression: "object.nothing == 1" }], failurePolicy: "Ignore" }),
    hook("absent", { failurePolicy: "Ignore", clientConfig: { url: "https://127.0.0.1:1/" } }),
  ]);
});
afterAll(async () => {
  await server.close();
  await webhook.close();
  rmSync(folder, { recursive: true });
});

function hook(name: string, more: LooseJson = {}): LooseJson {
  return {
    name: `${name}.example.test`,
    clientConfig: { url: `${webhook.url}/${name}`, caBundle: webhook.caBundle },
    rules: [{ ...RULE, resources: ["configmaps"] }],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    ...more,
  };
}

async function configure(kind: string, name: string, webhooks: LooseJson[]): Promise<void> {
  const answer = await server.call("POST", `${GROUP}/${kind.toLowerCase()}webhookconfigurations`, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: `${kind}WebhookConfiguration`,
    metadata: { name },
    webhooks,
  });
  expect(answer.status, JSON.stringify(answer.json)).toBe(201);
}

const create = (resource: string, kind: string, name: string) =>
  server.call("POST", `/api/v1/namespaces/default/${resource}`, { apiVersion: "v1", kind, metadata: { name } });

/** The annotations of the event about the creation of an object. */
async function annotationsOf(name: string): Promise<Record<string, string>> {
  return vi.waitFor(() => {
    const events = readFileSync(log, "utf8").trim().split("\n");
    const event = events.map((line) => JSON.parse(line)).find(({ objectRef }) => objectRef.name === name);
    if (event === undefined) throw new Error("not written yet");
    return event.annotations;
  });
}

/** Lines of the exposition without buckets and sums. */
async function exposed(prefix: string): Promise<string[]> {
  let text = "";
  for await (const piece of metrics.expose()) text += piece;
  return text.split("\n").filter((line) => line.startsWith(prefix) && !/_(?:bucket|sum)[{ ]/.test(line));
}

it("webhooks are noted in the audit log, patches only where bodies are", async () => {
  webhook.behave((_, path) =>
    path.startsWith("/patches")
      ? patchAnswer({ op: "add", path: "/metadata/labels", value: { a: "b" } })
      : path.startsWith("/denies")
        ? { allowed: false, status: { code: 418 } }
        : { allowed: true, auditAnnotations: { seen: "yes", "a/b": "lost", "": "lost" } },
  );
  expect((await create("configmaps", "ConfigMap", "a")).status).toBe(201);
  expect((await create("configmaps", "ConfigMap", "d")).status).toBe(418);
  expect((await create("secrets", "Secret", "s")).status).toBe(201);
  const mutation = (name: string, mutated: boolean) =>
    JSON.stringify({ configuration: "admit", webhook: `${name}.example.test`, mutated });
  expect(await annotationsOf("a")).toMatchObject({
    "mutation.webhook.admission.k8s.io/round_0_index_0": mutation("patches", true),
    "patch.webhook.admission.k8s.io/round_0_index_0": JSON.stringify({
      configuration: "admit",
      webhook: "patches.example.test",
      patch: [{ op: "add", path: "/metadata/labels", value: { a: "b" } }],
      patchType: "JSONPatch",
    }),
    "mutation.webhook.admission.k8s.io/round_0_index_1": mutation("gone", false),
    "failed-open.mutation.webhook.admission.k8s.io/round_0_index_1": "gone.example.test",
    "allows.example.test/seen": "yes",
    // The second of those that were asked.
    "failed-open.validating.webhook.admission.k8s.io/round_0_index_1": "absent.example.test",
  });
  expect(Object.values(await annotationsOf("a"))).not.toContain("lost");
  const secret = await annotationsOf("s");
  expect(secret["mutation.webhook.admission.k8s.io/round_0_index_0"]).toBe(mutation("patches", true));
  expect(Object.keys(secret).filter((key) => key.startsWith("patch."))).toEqual([]);
});

it("webhooks are counted by how their calls end", async () => {
  const names = (prefix: string) => exposed(`apiserver_admission_${prefix}`);
  expect(await names("webhook_rejection_count")).toEqual([
    'apiserver_admission_webhook_rejection_count{error_type="no_error",name="denies.example.test",operation="CREATE",rejection_code="418",type="validating"} 1',
  ]);
  expect(await names("webhook_fail_open_count")).toEqual([
    'apiserver_admission_webhook_fail_open_count{name="gone.example.test",type="admit"} 2',
    'apiserver_admission_webhook_fail_open_count{name="absent.example.test",type="validating"} 2',
  ]);
  const requests = await names("webhook_request_total");
  expect(requests).toContain(
    'apiserver_admission_webhook_request_total{code="200",name="patches.example.test",operation="CREATE",rejected="false",type="admit"} 3',
  );
  expect(requests).toContain(
    'apiserver_admission_webhook_request_total{code="503",name="absent.example.test",operation="CREATE",rejected="false",type="validating"} 2',
  );
  expect(await names("webhook_admission_duration_seconds_count")).toContain(
    'apiserver_admission_webhook_admission_duration_seconds_count{name="denies.example.test",operation="CREATE",rejected="true",type="validating"} 1',
  );
  expect(await names("match_condition_exclusions_total")).toContain(
    'apiserver_admission_match_condition_exclusions_total{kind="webhook",name="skipped.example.test",operation="CREATE",type="validate"} 2',
  );
  expect(await names("match_condition_evaluation_errors_total")).toEqual([
    'apiserver_admission_match_condition_evaluation_errors_total{kind="webhook",name="unclear.example.test",operation="CREATE",type="validate"} 2',
  ]);
});

it("match conditions that fail refuse with 403", async () => {
  await server.call("DELETE", `${GROUP}/validatingwebhookconfigurations`);
  const conditions = [{ name: "u", expression: "object.nothing == 1" }];
  await configure("Validating", "strict", [hook("strict", { matchConditions: conditions })]);
  const answer = await create("configmaps", "ConfigMap", "x");
  expect([answer.status, answer.json.message]).toEqual([
    403,
    `configmaps "x" is forbidden: expression 'object.nothing == 1' resulted in error: no such key: nothing`,
  ]);
  await server.call("DELETE", `${GROUP}/validatingwebhookconfigurations`);
});

it("policies are noted and counted by what was done", async () => {
  const install = async (kind: string, name: string, spec: LooseJson) => {
    const resource = kind === "" ? "validatingadmissionpolicies" : "validatingadmissionpolicybindings";
    const answer = await server.call("POST", `${GROUP}/${resource}`, {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: `ValidatingAdmissionPolicy${kind}`,
      metadata: { name },
      spec,
    });
    expect(answer.status, JSON.stringify(answer.json)).toBe(201);
  };
  await install("", "p", {
    matchConstraints: { resourceRules: [{ ...RULE, resources: ["configmaps"] }] },
    validations: [{ expression: "true" }, { expression: "object.metadata.name != 'v'", message: "no v" }],
    auditAnnotations: [{ key: "name", valueExpression: "string(object.metadata.name)" }],
  });
  await install("Binding", "b1", { policyName: "p", validationActions: ["Audit", "Warn"] });
  await install("Binding", "b2", { policyName: "p", validationActions: ["Deny"] });
  expect((await create("configmaps", "ConfigMap", "v")).status).toBe(422);
  expect(await annotationsOf("v")).toMatchObject({
    "p/name": "v",
    "validation.policy.admission.k8s.io/validation_failure": JSON.stringify([
      { message: "no v", policy: "p", binding: "b1", expressionIndex: 1, validationActions: ["Audit", "Warn"] },
    ]),
  });
  const count = (action: string, binding: string) =>
    `apiserver_validating_admission_policy_check_total{enforcement_action="${action}",error_type="invalid_error",policy="p",policy_binding="${binding}"} 1`;
  expect((await exposed("apiserver_validating_admission_policy_check_total")).sort()).toEqual([
    count("audit", "b1"),
    count("deny", "b2"),
    count("warn", "b1"),
  ]);
});
