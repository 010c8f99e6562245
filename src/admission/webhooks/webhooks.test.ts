// Admission webhooks over real TLS on loopback: what they are told and what they may do.

import { describe, expect, it } from "vitest";
import { type LooseJson, startTestServer } from "../admission.testing.ts";
import { patchAnswer, useWebhook } from "./webhook-server.testing.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const MAPS = "/api/v1/namespaces/default/configmaps";
const ALL_MAPS = { operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };

const test = useWebhook();

const hook = (more: LooseJson = {}) => ({
  name: "check.example.test",
  clientConfig: { url: `${test.webhook.url}/check`, caBundle: test.webhook.caBundle },
  rules: [ALL_MAPS],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  timeoutSeconds: 5,
  ...more,
});

async function configure(kind: "Validating" | "Mutating", webhooks: LooseJson[], name = "one"): Promise<void> {
  const answer = await test.server.call("POST", `${GROUP}/${kind.toLowerCase()}webhookconfigurations`, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: `${kind}WebhookConfiguration`,
    metadata: { name },
    webhooks,
  });
  expect(answer.status, JSON.stringify(answer.json)).toBe(201);
}

const map = (name: string, more: LooseJson = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...more.metadata },
  ...(more.data === undefined ? {} : { data: more.data }),
});

describe("a validating webhook", () => {
  it("is told everything about the request", async () => {
    await configure("Validating", [hook()]);
    await test.server.call("POST", `${MAPS}?fieldManager=me`, map("a", { data: { k: "1" } }));
    const [{ apiVersion, kind, request }] = test.webhook.reviews;
    expect({ apiVersion, kind }).toEqual({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" });
    expect(request).toMatchObject({
      kind: { group: "", version: "v1", kind: "ConfigMap" },
      resource: { group: "", version: "v1", resource: "configmaps" },
      requestKind: { group: "", version: "v1", kind: "ConfigMap" },
      name: "a",
      namespace: "default",
      operation: "CREATE",
      userInfo: { username: "admin", groups: ["system:masters"] },
      object: { metadata: { name: "a" }, data: { k: "1" } },
      oldObject: null,
      dryRun: false,
      options: { kind: "CreateOptions", fieldManager: "me" },
    });
  });

  it("is told of a Namespace that it is in itself", async () => {
    const rules = [
      { operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["namespaces", "namespaces/*"] },
    ];
    await configure("Validating", [hook({ rules })]);
    const at = "/api/v1/namespaces/self";
    await test.server.call("POST", "/api/v1/namespaces", { metadata: { name: "self" } });
    await test.server.call("PATCH", at, { metadata: { labels: { a: "b" } } });
    await test.server.call("PATCH", `${at}/status`, { metadata: { annotations: { a: "b" } } });
    await test.server.call("DELETE", at);
    expect(
      test.webhook.reviews.map(({ request: { operation, namespace, name } }) => [operation, namespace, name]),
    ).toEqual(["CREATE", "UPDATE", "UPDATE", "DELETE"].map((operation) => [operation, "self", "self"]));
  });

  it("is chosen by the labels that a Namespace has, not by those that come with its status", async () => {
    const rules = [{ operations: ["UPDATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["namespaces/*"] }];
    await test.server.call("POST", "/api/v1/namespaces", {
      metadata: { name: "labelled", labels: { watched: "yes" } },
    });
    await configure("Validating", [hook({ rules, namespaceSelector: { matchLabels: { watched: "yes" } } })]);
    await test.server.call("PATCH", "/api/v1/namespaces/labelled/status", { metadata: { labels: { watched: "no" } } });
    expect(test.webhook.reviews).toHaveLength(1);
  });

  it("refuses with its own words, code, reason and warnings", async () => {
    await configure("Validating", [hook()]);
    test.webhook.behave(() => ({
      allowed: false,
      status: { code: 418, message: "not today", reason: "Teapot" },
      warnings: ["think again"],
    }));
    const answer = await test.server.call("POST", MAPS, map("a"));
    expect(answer.status).toBe(418);
    expect(answer.json).toMatchObject({
      status: "Failure",
      reason: "Teapot",
      message: 'admission webhook "check.example.test" denied the request: not today',
    });
    expect(answer.warnings.join()).toContain("think again");
  });

  it.each([
    [{ allowed: false }, 400, "denied the request without explanation"],
    [{ allowed: false, status: { code: 200, reason: "Because" } }, 400, "denied the request: Because"],
    [{ allowed: false, status: { code: 1e9 } }, 400, "without explanation"],
  ])("that refuses with %j is answered as a failure", async (said, code, words) => {
    await configure("Validating", [hook()]);
    test.webhook.behave(() => said);
    const answer = await test.server.call("POST", MAPS, map("a"));
    expect([answer.status, answer.json.status]).toEqual([code, "Failure"]);
    expect(answer.json.message).toContain(words);
  });

  it("is told the options of what is done, whatever the request was", async () => {
    await configure("Validating", [hook()]);
    const apply = (body: unknown) => test.server.apply(`${MAPS}/a?fieldManager=me&force=true`, body);
    const intent = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
    await apply(intent);
    await apply({ ...intent, data: { k: "1" } });
    await test.server.call("PATCH", `${MAPS}/a?fieldValidation=Strict`, { data: { k: "2" } });
    await test.server.call("PUT", `${MAPS}/a`, map("a"));
    await test.server.call("DELETE", `${MAPS}/a?gracePeriodSeconds=0`);
    const apiVersion = "meta.k8s.io/v1";
    expect(test.webhook.reviews.map(({ request }) => [request.operation, request.options])).toEqual([
      ["CREATE", { kind: "CreateOptions", apiVersion, fieldManager: "me" }],
      ["UPDATE", { kind: "UpdateOptions", apiVersion, fieldManager: "me" }],
      ["UPDATE", { kind: "UpdateOptions", apiVersion, fieldValidation: "Strict" }],
      ["UPDATE", { kind: "UpdateOptions", apiVersion }],
      ["DELETE", { kind: "DeleteOptions", apiVersion, gracePeriodSeconds: 0 }],
    ]);
  });

  it.each([
    [
      "pods/p/exec?command=sh&command=-c&stdout=1&stdin=false&container=c",
      "PodExecOptions",
      { stdout: true, container: "c", command: ["sh", "-c"] },
    ],
    ["pods/p/attach?stdin=true&tty=1", "PodAttachOptions", { stdin: true, tty: true }],
    ["pods/p/portforward?ports=80,81", "PodPortForwardOptions", { ports: [80, 81] }],
    ["pods/https:p:8443/proxy/a/b?q=1", "PodProxyOptions", { path: "/a/b" }],
    ["services/s:web/proxy/", "ServiceProxyOptions", { path: "/" }],
    ["services/s:web/proxy", "ServiceProxyOptions", {}],
  ])("is asked before %s leads to anybody", async (path, kind, options) => {
    const resources = ["pods/*", "services/*"];
    const rules = [{ operations: ["CONNECT"], apiGroups: [""], apiVersions: ["v1"], resources }];
    await configure("Validating", [hook({ rules })]);
    test.webhook.behave(() => ({ allowed: false, status: { code: 403, message: "stay here" } }));
    const answer = await test.server.call("GET", `/api/v1/namespaces/default/${path}`);
    expect([answer.status, answer.json.message]).toEqual([
      403,
      'admission webhook "check.example.test" denied the request: stay here',
    ]);
    const [resource, name, subResource] = path.split("?")[0]!.split("/");
    expect(test.webhook.reviews.map(({ request }) => request)).toEqual([
      expect.objectContaining({
        kind: { group: "", version: "v1", kind },
        resource: { group: "", version: "v1", resource },
        subResource,
        name,
        operation: "CONNECT",
        object: { kind, apiVersion: "v1", ...options },
        oldObject: null,
        options: null,
      }),
    ]);
  });

  it("sees the old object of updates and deletions", async () => {
    await test.server.call("POST", MAPS, map("a", { data: { k: "1" } }));
    await configure("Validating", [hook()]);
    await test.server.call("PUT", `${MAPS}/a`, map("a", { data: { k: "2" } }));
    await test.server.call("DELETE", `${MAPS}/a`);
    expect(
      test.webhook.reviews.map(({ request }) => [request.operation, request.object?.data, request.oldObject.data]),
    ).toEqual([
      ["UPDATE", { k: "2" }, { k: "1" }],
      ["DELETE", undefined, { k: "2" }],
    ]);
  });

  it("is told of every object of a deleted collection, without its name", async () => {
    for (const name of ["a", "b"]) await test.server.call("POST", MAPS, map(name));
    await configure("Validating", [hook()]);
    await test.server.call("DELETE", MAPS);
    expect(
      test.webhook.reviews.map(({ request }) => [request.operation, request.name, request.oldObject.metadata.name]),
    ).toEqual([
      ["DELETE", undefined, "a"],
      ["DELETE", undefined, "b"],
    ]);
  });

  it("is told how much time a deleted pod gets, and nothing of a wish that changes nothing", async () => {
    const pods = "/api/v1/namespaces/default/pods";
    const spec = { containers: [{ name: "c", image: "i" }], nodeName: "n" };
    await test.server.call("POST", pods, { apiVersion: "v1", kind: "Pod", metadata: { name: "ending" }, spec });
    const rules = [{ operations: ["DELETE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }];
    await configure("Validating", [hook({ rules })]);
    for (const query of ["", "", "?gracePeriodSeconds=5", "?gracePeriodSeconds=0"])
      await test.server.call("DELETE", `${pods}/ending${query}`);
    expect(test.webhook.reviews.map(({ request }) => request.options.gracePeriodSeconds)).toEqual([30, 5, 0]);
  });

  it("is asked about an eviction, and not again about the deletion that follows from it", async () => {
    const pods = "/api/v1/namespaces/default/pods";
    const spec = { containers: [{ name: "c", image: "i" }] };
    await test.server.call("POST", pods, { apiVersion: "v1", kind: "Pod", metadata: { name: "evicted" }, spec });
    const rules = [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods", "pods/*"] }];
    await configure("Validating", [hook({ rules })]);
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "evicted" } };
    expect((await test.server.call("POST", `${pods}/evicted/eviction`, eviction)).status).toBe(201);
    expect((await test.server.call("GET", `${pods}/evicted`)).status).toBe(404);
    expect(test.webhook.reviews.map(({ request }) => [request.operation, request.subResource])).toEqual([
      ["CREATE", "eviction"],
    ]);
  });

  it("sees nothing of a new object that the server says, while others may still change it", async () => {
    await configure("Mutating", [hook()]);
    const metadata = { name: "a", uid: "mine", creationTimestamp: "2001-01-01T00:00:00Z" };
    await test.server.call("POST", MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata });
    const [{ request }] = test.webhook.reviews;
    expect([request.object.metadata.uid, request.object.metadata.creationTimestamp]).toEqual([undefined, undefined]);
  });

  it.each([
    ["another resource", { rules: [{ ...ALL_MAPS, resources: ["secrets"] }] }],
    ["another operation", { rules: [{ ...ALL_MAPS, operations: ["DELETE"] }] }],
    ["another scope", { rules: [{ ...ALL_MAPS, scope: "Cluster" }] }],
    ["another namespace", { namespaceSelector: { matchLabels: { team: "x" } } }],
    ["other objects", { objectSelector: { matchLabels: { team: "x" } } }],
    ["a condition that does not hold", { matchConditions: [{ name: "c", expression: 'object.metadata.name == "b"' }] }],
    ["its namespace", { matchConditions: [{ name: "c", expression: "namespaceObject != null" }] }],
  ])("is not asked about %s", async (_what, more) => {
    await configure("Validating", [hook(more)]);
    expect((await test.server.call("POST", MAPS, map("a"))).status).toBe(201);
    expect(test.webhook.reviews).toEqual([]);
  });

  it("is asked in its own version of the resource", async () => {
    const rules = [{ operations: ["CREATE"], apiGroups: ["autoscaling"], apiVersions: ["v2"], resources: ["*"] }];
    await configure("Validating", [hook({ rules })]);
    const answer = await test.server.call("POST", "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers", {
      apiVersion: "autoscaling/v1",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "h" },
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" },
        targetCPUUtilizationPercentage: 50,
      },
    });
    expect(answer.status).toBe(201);
    const [{ request }] = test.webhook.reviews;
    expect(request.kind.version).toBe("v2");
    expect(request.requestKind.version).toBe("v1");
    expect(request.object.spec.metrics[0].resource.target.averageUtilization).toBe(50);
  });

  it("speaks v1beta1 where it asks for it", async () => {
    await configure("Validating", [hook({ admissionReviewVersions: ["v9", "v1beta1", "v1"] })]);
    expect((await test.server.call("POST", MAPS, map("a"))).status).toBe(201);
    expect(test.webhook.reviews[0].apiVersion).toBe("admission.k8s.io/v1beta1");
  });

  it("is told the resource and sub-resource of operations, and the kind of their bodies", async () => {
    const rules = [{ operations: ["*"], apiGroups: ["", "apps"], apiVersions: ["v1"], resources: ["*/*"] }];
    await configure("Validating", [hook({ rules })]);
    const pods = "/api/v1/namespaces/default/pods";
    const containers = [{ name: "c", image: "i" }];
    const labels = { a: "b" };
    await test.server.call("POST", pods, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: { containers },
    });
    const target = { kind: "Node", name: "n" };
    await test.server.call("POST", `${pods}/p/binding`, {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: "p" },
      target,
    });
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } };
    await test.server.call("POST", `${pods}/p/eviction?dryRun=All`, eviction);
    const deployments = "/apis/apps/v1/namespaces/default/deployments";
    await test.server.call("POST", deployments, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
    });
    const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "d" }, spec: { replicas: 2 } };
    await test.server.call("PUT", `${deployments}/d/scale`, scale);
    await test.server.call("PATCH", `${deployments}/d/status`, { status: { replicas: 1 } });
    expect(
      test.webhook.reviews.map(({ request }) =>
        [request.operation, request.resource.resource, request.subResource, request.kind.group, request.kind.kind].join(
          " ",
        ),
      ),
    ).toEqual([
      "CREATE pods   Pod",
      "CREATE pods binding  Binding",
      "CREATE pods eviction policy Eviction",
      "CREATE deployments  apps Deployment",
      "UPDATE deployments scale autoscaling Scale",
      "UPDATE deployments status apps Deployment",
    ]);
  });

  it("cannot lock out what configures it", async () => {
    const rules = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] }];
    await configure("Validating", [hook({ rules, clientConfig: { url: "https://127.0.0.1:1/" } })]);
    expect((await test.server.call("POST", MAPS, map("a"))).status).toBe(500);
    expect((await test.server.call("DELETE", `${GROUP}/validatingwebhookconfigurations/one`)).status).toBe(200);
    expect((await test.server.call("POST", MAPS, map("a"))).status).toBe(201);
  });
});

describe("a mutating webhook", () => {
  it("may break the lines of its patch", async () => {
    await configure("Mutating", [hook()]);
    const { patch, ...answer } = patchAnswer({ op: "add", path: "/data", value: { k: "new" } });
    test.webhook.behave(() => ({ ...answer, patch: `${patch.slice(0, 10)}\r\n${patch.slice(10)}\n` }));
    expect((await test.server.call("POST", MAPS, map("a"))).json.data).toEqual({ k: "new" });
  });

  it("need not say of an object what the request says", async () => {
    await configure("Mutating", [hook()]);
    test.webhook.behave(() =>
      patchAnswer({ op: "replace", path: "", value: { metadata: { name: "a" }, data: { k: "new" } } }),
    );
    const { status, json } = await test.server.call("POST", MAPS, map("a", { data: { k: "1" } }));
    expect([status, json.kind, json.metadata.namespace, json.data]).toEqual([
      201,
      "ConfigMap",
      "default",
      { k: "new" },
    ]);
  });

  it("leaves a custom object what its version has and the webhook's has not", async () => {
    const schema = (fields: readonly string[]) => ({
      openAPIV3Schema: {
        type: "object",
        properties: {
          spec: { type: "object", properties: Object.fromEntries(fields.map((name) => [name, { type: "string" }])) },
          status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    });
    const version = (name: string, storage: boolean, ...fields: string[]) => ({
      name,
      served: true,
      storage,
      schema: schema(fields),
      subresources: { status: {} },
    });
    const definition = await test.server.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "things.example.test" },
      spec: {
        group: "example.test",
        scope: "Namespaced",
        names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
        versions: [version("v1", true, "old", "both"), version("v2", false, "both")],
      },
    });
    expect(definition.status, JSON.stringify(definition.json)).toBe(201);
    const rules = [{ operations: ["*"], apiGroups: ["example.test"], apiVersions: ["v2"], resources: ["*/*"] }];
    await configure("Mutating", [hook({ rules })]);
    test.webhook.behave(() => patchAnswer({ op: "add", path: "/spec/both", value: "patched" }));
    const things = "/apis/example.test/v1/namespaces/default/things";
    const thing = { apiVersion: "example.test/v1", kind: "Thing", metadata: { name: "t" }, spec: { old: "kept" } };
    const created = await test.server.call("POST", things, thing);
    expect([created.json.apiVersion, created.json.spec]).toEqual(["example.test/v1", { old: "kept", both: "patched" }]);
    test.webhook.behave(() => ({ allowed: true }));
    await test.server.call("PATCH", `${things}/t/status`, { status: { a: 1 } });
    expect(test.webhook.reviews.map(({ request }) => [request.kind, request.object.apiVersion])).toEqual([
      [{ group: "example.test", version: "v2", kind: "Thing" }, "example.test/v2"],
    ]);
    await test.server.call("DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.test");
  });

  it("chooses the node of a pod, and how much time an evicted one gets", async () => {
    const pods = "/api/v1/namespaces/default/pods";
    const spec = { containers: [{ name: "c", image: "i" }] };
    await test.server.call("POST", pods, { apiVersion: "v1", kind: "Pod", metadata: { name: "steered" }, spec });
    const rules = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods/*"] }];
    await configure("Mutating", [hook({ rules })]);
    test.webhook.behave(({ request }) =>
      request.subResource === "binding"
        ? patchAnswer({ op: "replace", path: "/target/name", value: "better" })
        : patchAnswer({ op: "add", path: "/deleteOptions", value: { gracePeriodSeconds: 7 } }),
    );
    const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: "steered" }, target: { name: "worse" } };
    expect((await test.server.call("POST", `${pods}/steered/binding`, binding)).status).toBe(201);
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "steered" } };
    expect((await test.server.call("POST", `${pods}/steered/eviction`, eviction)).status).toBe(201);
    const { json } = await test.server.call("GET", `${pods}/steered`);
    expect([json.spec.nodeName, json.metadata.deletionGracePeriodSeconds]).toEqual(["better", 7]);
    expect(test.webhook.reviews[0].request.object.metadata.managedFields).toMatchObject([
      { operation: "Update", subresource: "binding", fieldsV1: { "f:target": {} } },
    ]);
    await test.server.call("DELETE", `${pods}/steered?gracePeriodSeconds=0`);
  });

  it("may bring integers beyond 2^53", async () => {
    const rules = [{ operations: ["*"], apiGroups: ["apps"], apiVersions: ["v1"], resources: ["controllerrevisions"] }];
    await configure("Mutating", [hook({ rules })]);
    const patch = '[{"op":"add","path":"/data","value":{"n":1234567890123456789}}]';
    test.webhook.behave(() => ({ ...patchAnswer(), patch: Buffer.from(patch).toString("base64") }));
    const path = "/apis/apps/v1/namespaces/default/controllerrevisions";
    const answer = await test.server.call("POST", path, { metadata: { name: "large" }, revision: 1, data: {} });
    expect([answer.status, answer.json.data]).toEqual([201, { n: 1234567890123456800 }]);
  });

  it("changes what a connection asks for", async () => {
    const namespaced = "/api/v1/namespaces/default";
    await test.server.call("POST", `${namespaced}/serviceaccounts`, { metadata: { name: "default" } });
    const pod = { metadata: { name: "connected" }, spec: { containers: [{ name: "c", image: "i" }] } };
    expect((await test.server.call("POST", `${namespaced}/pods`, pod)).status).toBe(201);
    const rules = [{ operations: ["CONNECT"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods/exec"] }];
    await configure("Mutating", [hook({ rules })]);
    test.webhook.behave(() => patchAnswer({ op: "replace", path: "/container", value: "other" }));
    const answer = await test.server.call("GET", `${namespaced}/pods/connected/exec?command=ls&container=c`);
    expect([answer.status, answer.json.message]).toEqual([400, "container other is not valid for pod connected"]);
  });

  it("changes the object, and what it adds is defaulted", async () => {
    await configure("Mutating", [hook({ rules: [{ ...ALL_MAPS, resources: ["services"] }] })]);
    test.webhook.behave(() => patchAnswer({ op: "add", path: "/spec/ports/-", value: { port: 81, name: "b" } }));
    const answer = await test.server.call("POST", "/api/v1/namespaces/default/services", {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "s" },
      spec: { type: "ClusterIP", clusterIP: "None", ports: [{ port: 80, name: "a" }] },
    });
    expect(answer.status, JSON.stringify(answer.json)).toBe(201);
    expect(answer.json.spec.ports[1]).toEqual({ name: "b", port: 81, protocol: "TCP", targetPort: 81 });
  });

  it("passes its result on to the next, in the order of configurations and lists", async () => {
    await configure("Mutating", [hook({ name: "c.example.test" })], "two");
    await configure("Mutating", [hook({ name: "a.example.test" }), hook({ name: "b.example.test" })], "one");
    let calls = 0;
    test.webhook.behave(({ request }) => {
      calls += 1;
      return patchAnswer({ op: "add", path: "/data", value: { ...request.object.data, [`k${calls}`]: "x" } });
    });
    const answer = await test.server.call("POST", MAPS, map("a"));
    expect(Object.keys(answer.json.data)).toEqual(["k1", "k2", "k3"]);
  });

  it("is called again after later changes when it wishes so", async () => {
    await configure("Mutating", [
      hook({
        name: "a.example.test",
        clientConfig: { url: `${test.webhook.url}/a`, caBundle: test.webhook.caBundle },
        reinvocationPolicy: "IfNeeded",
      }),
      hook({ name: "b.example.test", clientConfig: { url: `${test.webhook.url}/b`, caBundle: test.webhook.caBundle } }),
    ]);
    const paths: string[] = [];
    test.webhook.behave((_, path) => {
      paths.push(path.slice(0, 2));
      return path.startsWith("/b")
        ? patchAnswer({ op: "add", path: "/metadata/labels", value: { b: "1" } })
        : { allowed: true };
    });
    expect((await test.server.call("POST", MAPS, map("a"))).json.metadata.labels).toEqual({ b: "1" });
    expect(paths).toEqual(["/a", "/b", "/a"]);
  });

  it("may leave the version of an update away, and means the one that is there", async () => {
    await test.server.call("POST", MAPS, map("a", { data: { k: "1" } }));
    await configure("Mutating", [hook()]);
    const value = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { k: "whole" } };
    test.webhook.behave(() => patchAnswer({ op: "replace", path: "", value }));
    const answer = await test.server.call("PUT", `${MAPS}/a`, map("a", { data: { k: "2" } }));
    expect([answer.status, answer.json.data]).toEqual([200, { k: "whole" }]);
  });

  it("sees who owns the replicas in a scale, and what the client has sent; who judges it sees the outcome", async () => {
    const deployments = "/apis/apps/v1/namespaces/default/deployments";
    const labels = { a: "b" };
    await test.server.call("POST", `${deployments}?fieldManager=maker`, {
      metadata: { name: "owned" },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    });
    const rules = [{ operations: ["*"], apiGroups: ["apps"], apiVersions: ["v1"], resources: ["deployments/scale"] }];
    await configure("Mutating", [hook({ rules })]);
    await configure("Validating", [hook({ rules })]);
    const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "owned" }, spec: { replicas: 2 } };
    await test.server.call("PUT", `${deployments}/owned/scale?fieldManager=scaler`, scale);
    const managers = (object: LooseJson) => object.metadata.managedFields?.map(({ manager }: LooseJson) => manager);
    const seen = test.webhook.reviews.map(({ request: { object, oldObject } }) => [
      [managers(object), object.spec.replicas, object.status.selector],
      [managers(oldObject), oldObject.spec.replicas, oldObject.status.selector],
    ]);
    expect(seen).toEqual([
      [
        [["scaler"], 2, undefined],
        [["maker"], 1, "a=b"],
      ],
      [
        [undefined, 2, "a=b"],
        [undefined, 1, "a=b"],
      ],
    ]);
    expect(test.webhook.reviews[0].request.object.metadata.uid).toBeDefined();
  });

  it("sees what is asked of a token; who judges it sees whom it is for, too", async () => {
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    await test.server.call("POST", accounts, { metadata: { name: "holder" } });
    const rules = [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["serviceaccounts/token"] }];
    await configure("Mutating", [hook({ rules })]);
    await configure("Validating", [hook({ rules })]);
    const answer = await test.server.call("POST", `${accounts}/holder/token`, { spec: { expirationSeconds: 600 } });
    expect(answer.status, JSON.stringify(answer.json)).toBe(201);
    const [before, after] = test.webhook.reviews.map(({ request }) => request.object);
    expect([before.metadata.name, before.spec.audiences ?? null]).toEqual([undefined, null]);
    expect([after.metadata.name, after.metadata.uid]).toEqual(["holder", answer.json.metadata.uid]);
    expect(after.spec.audiences).toEqual(answer.json.spec.audiences);
    expect(after.metadata.creationTimestamp).toBe(answer.json.metadata.creationTimestamp);
  });

  it("does not write the book of field owners", async () => {
    await configure("Mutating", [hook()]);
    test.webhook.behave(() => patchAnswer({ op: "add", path: "/metadata/managedFields", value: [] }));
    const answer = await test.server.call("POST", MAPS, map("a", { data: { k: "1" } }));
    expect(answer.json.metadata.managedFields[0].manager).toBe("test");
  });

  it("sees a dry run as one", async () => {
    await configure("Mutating", [hook({ sideEffects: "NoneOnDryRun" })]);
    expect((await test.server.call("POST", `${MAPS}?dryRun=All`, map("a"))).status).toBe(201);
    expect(test.webhook.reviews[0].request.dryRun).toBe(true);
  });
});

it("reads webhooks in the platform dialect's names", async () => {
  const other = await startTestServer({ dialect: "platform" });
  await other.call("POST", "/apis/admissionregistration.platform.io/v1/validatingwebhookconfigurations", {
    apiVersion: "admissionregistration.platform.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "one" },
    webhooks: [hook()],
  });
  expect((await other.call("POST", MAPS, map("a"))).status).toBe(201);
  expect(test.webhook.reviews[0].apiVersion).toBe("admission.platform.io/v1");
  await other.close();
});
