// Admission webhooks that are slow, broken or lying, over real TLS on loopback: they fail alone.

import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { callInProcess } from "../../http/in-process.testing.ts";
import type { LooseJson } from "../admission.testing.ts";
import { patchAnswer, type TestWebhook, useWebhook } from "./webhook-server.testing.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const MAPS = "/api/v1/namespaces/default/configmaps";
const SERVICES = "/api/v1/namespaces/default/services";

const test = useWebhook();

async function configure(kind: "Validating" | "Mutating", more: LooseJson = {}): Promise<void> {
  const rule = { operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps", "services"] };
  const hook = {
    name: "check.example.test",
    clientConfig: { url: `${test.webhook.url}/check`, caBundle: test.webhook.caBundle },
    rules: [rule],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    timeoutSeconds: 5,
    ...more,
  };
  const answer = await test.server.call("POST", `${GROUP}/${kind.toLowerCase()}webhookconfigurations`, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: "one" },
    webhooks: [hook],
  });
  expect(answer.status, JSON.stringify(answer.json)).toBe(201);
}

const map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { k: "1" } });

describe("a webhook that misbehaves", () => {
  const failures: [string, Parameters<TestWebhook["behave"]>[0], LooseJson, RegExp][] = [
    ["answers too late", { raw: () => undefined }, { timeoutSeconds: 1 }, /context deadline exceeded/],
    ["hangs up", { raw: (request) => request.socket.destroy() }, {}, /failed to call webhook/],
    [
      "answers with an error",
      { raw: (_, response) => response.writeHead(503).end("no") },
      {},
      /failed to call webhook: the server is currently unable to handle the request/,
    ],
    [
      "answers with an error that it explains",
      { raw: (_, response) => response.writeHead(500).end('out of "ideas"') },
      {},
      /an error on the server \("out of \\"ideas\\""\) has prevented the request from succeeding/,
    ],
    [
      "redirects",
      { raw: (_, response) => response.writeHead(302, { location: "https://127.0.0.1:1/" }).end() },
      {},
      /redirects are not followed/,
    ],
    [
      "answers nonsense",
      { raw: (_, response) => response.end("<html>") },
      {},
      /failed to call webhook: couldn't get version\/kind; json parse error/,
    ],
    ["answers without a response", { raw: (_, response) => response.end("{}") }, {}, /webhook response was absent/],
    ["answers with nothing", { raw: (_, response) => response.end() }, {}, /0-length response with status code: 200/],
    [
      "does not say what it answers",
      () => ({ apiVersion: "", kind: "", allowed: true }),
      {},
      /expected webhook response of admission.k8s.io\/v1, Kind=AdmissionReview, got \/, Kind=/,
    ],
    ["answers for another request", () => ({ uid: "x", allowed: true }), {}, /expected response.uid=/],
    [
      "answers as somebody else",
      () => ({ kind: "Pod", allowed: true }),
      {},
      /failed to call webhook: no kind "Pod" is registered for version "admission.k8s.io\/v1"/,
    ],
    [
      "answers in another version",
      () => ({ apiVersion: "admission.k8s.io/v9", allowed: true }),
      {},
      /no kind "AdmissionReview" is registered for version "admission.k8s.io\/v9"/,
    ],
    [
      "answers in a version that was not asked for",
      () => ({ apiVersion: "admission.k8s.io/v1beta1", allowed: true }),
      {},
      /converting \(v1beta1.AdmissionReview\) to \(v1.AdmissionReview\): unknown conversion/,
    ],
    [
      "does not say yes or no",
      () => ({ allowed: "true" }),
      {},
      /failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool/,
    ],
    [
      "refuses with a code that is no number",
      () => ({ allowed: false, status: { code: "403" } }),
      {},
      /cannot unmarshal string into Go struct field Status.response.status.code of type int32/,
    ],
    [
      "warns with numbers",
      () => ({ allowed: true, warnings: [1] }),
      {},
      /cannot unmarshal number into Go struct field AdmissionResponse.response.warnings of type string/,
    ],
    [
      "annotates with numbers",
      () => ({ allowed: true, auditAnnotations: { a: 1 } }),
      {},
      /cannot unmarshal number into Go struct field AdmissionResponse.response.auditAnnotations of type string/,
    ],
    [
      "answers with a list",
      { raw: (_, response) => response.end("[]") },
      {},
      /couldn't get version\/kind; json parse error: json: cannot unmarshal array into Go value of type struct/,
    ],
    [
      "answers with null",
      { raw: (_, response) => response.end("null") },
      {},
      /received invalid webhook response: webhook response was absent/,
    ],
    [
      "succeeds in a way of its own",
      { raw: (_, response) => response.writeHead(299).end("{}") },
      {},
      /the server responded with the status code 299 but did not return more information/,
    ],
    [
      "says which media types it takes",
      { raw: (_, response) => response.writeHead(415).end("only tea") },
      {},
      /failed to call webhook: only tea$/,
    ],
    ["patches", () => ({ allowed: true, patch: "W10=" }), {}, /validating webhook may not return response.patch$/],
    [
      "says how it would patch",
      () => ({ allowed: true, patchType: "JSONPatch" }),
      {},
      /validating webhook may not return response.patchType/,
    ],
    ["breaks off in the middle", { raw: (_, response) => breakOff(response) }, {}, /failed to call webhook/],
    ["trickles for ever", { raw: (_, response) => trickle(response) }, { timeoutSeconds: 1 }, /deadline exceeded/],
    ["sends an endless answer", { raw: (_, response) => endless(response) }, {}, /larger than/],
  ];

  it.each(failures)("and %s fails the request, or is passed over", async (_what, behaviour, more, words) => {
    await configure("Validating", more);
    test.webhook.behave(behaviour);
    const answer = await test.server.call("POST", MAPS, map("a"));
    expect(answer.status).toBe(500);
    expect(answer.json.message).toMatch(/^Internal error occurred: failed calling webhook "check.example.test": /);
    expect(answer.json.message).toMatch(words);
    await test.server.call("DELETE", `${GROUP}/validatingwebhookconfigurations/one`);
    await configure("Validating", { ...more, failurePolicy: "Ignore" });
    expect((await test.server.call("POST", MAPS, map("a"))).status).toBe(201);
  });
});

describe("a client that does not wait for a webhook", () => {
  it.each(["Validating", "Mutating"] as const)("is not let past it: %s", async (kind) => {
    await configure(kind, { failurePolicy: "Ignore" });
    const client = new AbortController();
    test.webhook.behave({ raw: () => client.abort() });
    const request = {
      method: "POST",
      url: MAPS,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(map("unseen")),
      controller: client,
    };
    expect((await callInProcess(test.server.handler, request)).status).toBe(504);
    expect((await test.server.call("GET", `${MAPS}/unseen`)).status).toBe(404);
  });
});

function breakOff(response: ServerResponse): void {
  response.write('{"kind":"Adm', () => response.socket?.destroy());
}

function trickle(response: ServerResponse): void {
  response.write("{");
  const timer = setInterval(() => (response.destroyed ? clearInterval(timer) : response.write(" ")), 50);
}

function endless(response: ServerResponse): void {
  const piece = Buffer.alloc(64 * 1024, 32);
  const more = () => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once("drain", more);
  };
  more();
}

describe("a mutating webhook that misbehaves", () => {
  const bytes = (text: string) => Buffer.from(text).toString("base64");
  const patch =
    (text: string, more: LooseJson = {}) =>
    () => ({
      allowed: true,
      patchType: "JSONPatch",
      patch: bytes(text),
      ...more,
    });

  it.each<[string, () => LooseJson, RegExp]>([
    ["is no JSON", patch("<html>"), /received undecodable patch in webhook response/],
    [
      "is no list",
      patch('{"op":"add"}'),
      /received undecodable patch in webhook response: json: cannot unmarshal object into Go value of type jsonpatch.Patch$/,
    ],
    ["is no base64", patch("", { patch: "***" }), /failed to call webhook: illegal base64 data at input byte 0/],
    ["has no type", patch("[]", { patchType: undefined }), /response.patch but not response.patchType/],
    [
      "has an unknown type",
      patch('[{"op":"add","path":"/data/x","value":"y"}]', { patchType: "Magic" }),
      /: unsupported patch type "Magic"$/,
    ],
    ["has an empty type", patch("[]", { patchType: "" }), /invalid response.patchType of ""/],
    ["is not there", patch("", { patch: undefined }), /response.patchType but not response.patch/],
  ])("with a patch that %s fails the request, or is passed over", async (_what, behaviour, words) => {
    await configure("Mutating");
    test.webhook.behave(behaviour);
    const answer = await test.server.call("POST", MAPS, map("a"));
    expect([answer.status, answer.json.message]).toEqual([500, expect.stringMatching(words)]);
    await test.server.call("DELETE", `${GROUP}/mutatingwebhookconfigurations/one`);
    await configure("Mutating", { failurePolicy: "Ignore" });
    expect((await test.server.call("POST", MAPS, map("a"))).status).toBe(201);
  });

  it.each<[string, LooseJson, number, RegExp]>([
    ["another namespace", { op: "replace", path: "/metadata/namespace", value: "kube-system" }, 400, /namespace/],
    ["what is not there", { op: "replace", path: "/none/k", value: "x" }, 500, /replace operation does not apply/],
    ["another type", { op: "add", path: "/data", value: 5 }, 500, /Internal error occurred/],
    ["no object", { op: "replace", path: "", value: 5 }, 500, /Internal error occurred/],
    ["another kind", { op: "replace", path: "/kind", value: "Secret" }, 500, /unknown conversion/],
    ["another version", { op: "replace", path: "/apiVersion", value: "v2" }, 500, /no kind "ConfigMap" is registered/],
    ["invalid keys", { op: "add", path: "/data/a~1b", value: "x" }, 422, /data\[a\/b\]: Invalid value/],
    [
      "an impossible name",
      { op: "replace", path: "/metadata/name", value: "A b" },
      422,
      /metadata.name: Invalid value/,
    ],
  ])("cannot make %s of an object", async (_what, operation, code, words) => {
    await configure("Mutating", { failurePolicy: "Ignore" });
    test.webhook.behave(() => patchAnswer(operation));
    const answer = await test.server.call("POST", MAPS, map("a"));
    expect([answer.status, answer.json.message]).toEqual([code, expect.stringMatching(words)]);
    expect((await test.server.call("GET", `${MAPS}/a`)).status).toBe(404);
  });

  it("cannot give a stored object another name", async () => {
    await test.server.call("POST", MAPS, map("a"));
    await configure("Mutating");
    test.webhook.behave(() => patchAnswer({ op: "replace", path: "/metadata/name", value: "b" }));
    const answer = await test.server.call("PUT", `${MAPS}/a`, { ...map("a"), data: { k: "2" } });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect((await test.server.call("GET", `${MAPS}/a`)).json.data).toEqual({ k: "1" });
    expect((await test.server.call("GET", `${MAPS}/b`)).status).toBe(404);
  });
});

it("a thousand requests that wait for a webhook hold neither each other up for ever nor requests that it does not concern", async () => {
  const REQUESTS = 1000;
  // Longer than all of them take to begin, beside other tests.
  await configure("Validating", { timeoutSeconds: 4 });
  test.webhook.behave({ raw: () => undefined });
  let free = false;
  const waiting = Array.from({ length: REQUESTS }, (_, i) => test.server.call("POST", MAPS, map(`m${i}`)));
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } };
  const other = test.server.call("POST", "/api/v1/namespaces/default/secrets", secret).then((answer) => {
    free = true;
    return answer.status;
  });
  const [first] = await Promise.race([Promise.all([waiting[0]]), other.then(() => [undefined])]);
  expect([first, free]).toEqual([undefined, true]);
  expect(await other).toBe(201);
  const answers = await Promise.all(waiting);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([500]));
  expect((await test.server.call("GET", SERVICES)).status).toBe(200);
});
