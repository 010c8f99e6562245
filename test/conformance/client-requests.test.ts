// Nothing of the client is private to this server: whatever it does, in the upstream dialect it sends only paths, query
// parameters, headers, media types and versions of objects that upstream 1.34 has.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type ServerInProcess, serverInProcess } from "../../src/apiserver/server.testing.ts";
import { kinds } from "../../src/client/built-in-kinds.ts";
import { Client } from "../../src/client/client.ts";
import { defineController, runControllers, setCondition } from "../../src/client/controller.ts";
import { defineKind } from "../../src/client/custom-kind.ts";
import { discover } from "../../src/client/discovery.ts";
import { EventRecorder } from "../../src/client/event-recorder.ts";
import { connectionTo } from "../../src/client/https/https-server.testing.ts";
import { HttpsTransport } from "../../src/client/https-transport.ts";
import { byLabel } from "../../src/client/indexes.ts";
import { createPodOf, startTestAgent, type TestAgent } from "../../src/client/node-agent.testing.ts";
import type { ApiKind } from "../../src/client/resources/resource-type.ts";
import { SharedInformers } from "../../src/client/shared-informers.ts";
import { converting, mutating, serveWebhooks, validating } from "../../src/client/webhook-server.ts";
import { startListener, type TestListener } from "../../src/http/listener.testing.ts";
import type { ReceivedRequest } from "../../src/http/message.ts";

/** By group and version: resources with their sub-resources; `!` has no namespace. */
const RESOURCES = `
v1: bindings componentstatuses! configmaps endpoints events limitranges namespaces!/finalize/status nodes!/proxy/status persistentvolumeclaims/status persistentvolumes!/status pods/attach/binding/ephemeralcontainers/eviction/exec/log/portforward/proxy/resize/status podtemplates replicationcontrollers/scale/status resourcequotas/status secrets serviceaccounts/token services/proxy/status
apiregistration.k8s.io/v1: apiservices!/status
apps/v1: controllerrevisions daemonsets/status deployments/scale/status replicasets/scale/status statefulsets/scale/status
events.k8s.io/v1: events
authentication.k8s.io/v1: selfsubjectreviews! tokenreviews!
authorization.k8s.io/v1: localsubjectaccessreviews selfsubjectaccessreviews! selfsubjectrulesreviews! subjectaccessreviews!
autoscaling/v2: horizontalpodautoscalers/status
autoscaling/v1: horizontalpodautoscalers/status
batch/v1: cronjobs/status jobs/status
certificates.k8s.io/v1: certificatesigningrequests!/approval/status
certificates.k8s.io/v1beta1: clustertrustbundles!
certificates.k8s.io/v1alpha1: clustertrustbundles! podcertificaterequests/status
networking.k8s.io/v1: ingressclasses! ingresses/status ipaddresses! networkpolicies servicecidrs!/status
networking.k8s.io/v1beta1: ipaddresses! servicecidrs!/status
policy/v1: poddisruptionbudgets/status
rbac.authorization.k8s.io/v1: clusterrolebindings! clusterroles! rolebindings roles
storage.k8s.io/v1: csidrivers! csinodes! csistoragecapacities storageclasses! volumeattachments!/status volumeattributesclasses!
storage.k8s.io/v1beta1: volumeattributesclasses!
storage.k8s.io/v1alpha1: volumeattributesclasses!
admissionregistration.k8s.io/v1: mutatingwebhookconfigurations! validatingadmissionpolicies!/status validatingadmissionpolicybindings! validatingwebhookconfigurations!
admissionregistration.k8s.io/v1beta1: mutatingadmissionpolicies! mutatingadmissionpolicybindings!
admissionregistration.k8s.io/v1alpha1: mutatingadmissionpolicies! mutatingadmissionpolicybindings!
apiextensions.k8s.io/v1: customresourcedefinitions!/status
scheduling.k8s.io/v1: priorityclasses!
coordination.k8s.io/v1: leases
coordination.k8s.io/v1beta1: leasecandidates
coordination.k8s.io/v1alpha2: leasecandidates
node.k8s.io/v1: runtimeclasses!
discovery.k8s.io/v1: endpointslices
resource.k8s.io/v1: deviceclasses! resourceclaims/status resourceclaimtemplates resourceslices!
resource.k8s.io/v1beta2: deviceclasses! resourceclaims/status resourceclaimtemplates resourceslices!
resource.k8s.io/v1beta1: deviceclasses! resourceclaims/status resourceclaimtemplates resourceslices!
resource.k8s.io/v1alpha3: devicetaintrules!
flowcontrol.apiserver.k8s.io/v1: flowschemas!/status prioritylevelconfigurations!/status
internal.apiserver.k8s.io/v1alpha1: storageversions!/status
storagemigration.k8s.io/v1alpha1: storageversionmigrations!/status
example.com/v1: widgets/status
example.com/v2: widgets/status
`;

const LIST = words(
  "pretty allowWatchBookmarks continue fieldSelector labelSelector limit resourceVersion resourceVersionMatch",
  "sendInitialEvents timeoutSeconds watch",
);
const DELETE = words(
  "pretty dryRun gracePeriodSeconds ignoreStoreReadErrorWithClusterBreakingPotential orphanDependents propagationPolicy",
);
const WRITE = words("pretty dryRun fieldManager fieldValidation");
/** Query parameters by verb; sub-resources with their own first. */
const PARAMETERS: Readonly<Record<string, ReadonlySet<string>>> = {
  log: words(
    "container follow insecureSkipTLSVerifyBackend limitBytes pretty previous sinceSeconds sinceTime stream tailLines",
    "timestamps",
  ),
  exec: words("command container stderr stdin stdout tty"),
  attach: words("container stderr stdin stdout tty"),
  portforward: words("ports"),
  list: LIST,
  // Decoded by upstream, though not described.
  get: words("pretty resourceVersion"),
  create: WRITE,
  update: WRITE,
  patch: new Set([...WRITE, "force"]),
  delete: DELETE,
  deletecollection: new Set([...LIST, ...DELETE]),
};
const HEADERS = words(
  "accept accept-encoding authorization connection content-length content-type host if-none-match impersonate-group",
  "impersonate-user sec-websocket-extensions sec-websocket-key sec-websocket-protocol sec-websocket-version upgrade",
  "user-agent",
);
const PATCHES = words(
  "application/json-patch+json application/merge-patch+json application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
);
const PROTOCOLS = words("v5.channel.k8s.io v4.channel.k8s.io");
const AS = "application/json;as=";
const ACCEPTED = new Set([
  "application/json",
  "*/*",
  ...["Table", "PartialObjectMetadata", "PartialObjectMetadataList"].map((kind) => `${AS}${kind};g=meta.k8s.io;v=v1`),
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
]);
const META_VERSIONS = words("v1 authentication.k8s.io/v1 autoscaling/v1 policy/v1");

const widget = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  schema: {
    type: "object",
    properties: {
      spec: { type: "object", properties: { size: { type: "integer" } } },
      status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    },
  },
});

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  body: string;
}

describe("what the client sends", () => {
  const sent: Sent[] = [];
  let folder: string;
  let server: ServerInProcess;
  let listener: TestListener;
  let agent: TestAgent;
  let client: Client;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "plinth-requests-"));
    server = await serverInProcess({ dialect: "kubernetes" });
    listener = await startListener((request) => {
      const entry = sentOf(request);
      sent.push(entry);
      const read = request.readBody.bind(request);
      return server.handler(
        Object.assign(request, {
          readBody: async (limit: number) => {
            const body = await read(limit);
            entry.body = Buffer.from(body).toString();
            return body;
          },
        }),
      );
    });
    agent = await startTestAgent(folder);
    client = clientWith({});
    await createPodOf(agent, client);
  });
  afterAll(async () => {
    await client.close();
    agent.close();
    await listener.close(0);
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const clientWith = (user: object) =>
    new Client({
      dialect: "kubernetes",
      transport: new HttpsTransport({ connection: connectionTo(listener, { token: "t", ...user }), env: {} }),
    });

  /** What of the requests of some work upstream would not know; that there were such requests at all. */
  async function judge(work: () => Promise<unknown>, ...verbs: readonly string[]): Promise<void> {
    sent.length = 0;
    await work();
    expect(sent.flatMap(problemsOf)).toEqual([]);
    expect([...new Set(sent.map(verbOf))]).toEqual(expect.arrayContaining([...verbs]));
  }

  it("for every verb of a resource is upstream's", () =>
    judge(
      async () => {
        const maps = client.core.v1.configMaps("default");
        const all = { dryRun: true, fieldManager: "me", fieldValidation: "Strict" } as const;
        await maps.create({ metadata: { name: "a" }, data: { k: "v" } }, { fieldValidation: "Warn" });
        await maps.create({ metadata: { generateName: "b-" } }, all);
        const made = await maps.get("a", { resourceVersion: "0" });
        await maps.update(made, all);
        await maps.modify("a", (object) => {
          object.data = { k: "w" };
        });
        await maps.patch("a", { json: [{ op: "test", path: "/data/k", value: "w" }] }, all);
        await maps.patch("a", { merge: { data: { k: null } } }, all);
        await maps.patch("a", { strategic: { data: { k: "x" } } }, all);
        await maps.apply({ metadata: { name: "a" }, data: { z: "1" } }, { ...all, force: true });
        await maps.list({ labelSelector: "a!=b", fieldSelector: "metadata.name=a", limit: 1, timeoutSeconds: 5 });
        await maps.list({ resourceVersion: made.metadata.resourceVersion, resourceVersionMatch: "NotOlderThan" });
        for await (const page of maps.pages({ pageSize: 1, onExpired: "restart" })) expect(page.items).toBeDefined();
        const preconditions = { uid: made.metadata.uid };
        await maps.delete("a", { preconditions, propagationPolicy: "Foreground", gracePeriodSeconds: 5, dryRun: true });
        await maps.deleteCollection({ labelSelector: "a=b" });
        await client.named({ group: "", version: "v1", resource: "secrets", metadataOnly: true }, "default").list();
      },
      "create configmaps",
      "get configmaps",
      "update configmaps",
      "patch configmaps",
      "list configmaps",
      "delete configmaps",
      "deletecollection configmaps",
    ));

  it("to every built-in kind goes to a path of upstream's", () =>
    judge(async () => {
      const all: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, ApiKind<object>>>>>>> = kinds;
      const each = Object.values(all)
        .flatMap(Object.values)
        .flatMap(Object.values<ApiKind<object>>);
      // Kinds that only answer, and versions that are not served, refuse.
      for (const kind of each)
        await client
          .resource(kind)
          .list({ limit: 1 })
          .catch(() => undefined);
      expect(sent.length).toBeGreaterThan(60);
    }));

  it("for sub-resources and sessions in containers is upstream's", () =>
    judge(
      async () => {
        const pods = client.core.v1.pods("default");
        for await (const piece of pods.log("p", { tailLines: 1, timestamps: true, sinceSeconds: 60 })) void piece;
        await (await pods.exec("p", { command: ["true"], container: "c" })).collect();
        const attached = await pods.attach("p", { stdin: true, tty: true });
        attached.write("x");
        await attached.collect();
        (await pods.portForward("p", 80)).close();
        await pods.status.patch("p", { merge: { status: { phase: "Running" } } });
        await pods.ephemeralContainers.get("p");
        const size = { limits: { cpu: "1" }, requests: { cpu: "1" } };
        await pods.resize
          .patch("p", { strategic: { spec: { containers: [{ name: "c", resources: size }] } } })
          .catch(() => undefined);
        await pods.evict("p", { gracePeriodSeconds: 0, dryRun: true });
        await pods.create({ metadata: { name: "q" }, spec: { containers: [{ name: "c", image: "i" }] } });
        await pods.bind("q", "n");
        await client.core.v1
          .serviceAccounts("default")
          .createToken("default", { expirationSeconds: 600 })
          .catch(() => 0);
        const labels = { a: "b" };
        const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
        const deployments = client.apps.v1.deployments("default");
        await deployments.create({ metadata: { name: "d" }, spec: { selector: { matchLabels: labels }, template } });
        await deployments.scale.modify("d", (scale) => {
          scale.spec.replicas = 2;
        });
      },
      "log pods",
      "exec pods",
      "attach pods",
      "portforward pods",
      "create pods/eviction",
      "create pods/binding",
      "create serviceaccounts/token",
      "patch pods/status",
      "get pods/ephemeralcontainers",
      "patch pods/resize",
      "update deployments/scale",
    ));

  it("to find out what is served, and to say who it is, is upstream's", () =>
    judge(async () => {
      await discover(client.transport);
      const other = clientWith({ impersonate: { user: "eve", groups: ["a", "b"], extra: new Map() } });
      await other.core.v1.configMaps("default").list();
      await other.close();
    }, "get /apis"));

  it("of informers, elections, events and controllers is upstream's", () =>
    judge(
      async () => {
        const informers = new SharedInformers(client);
        for (const initialState of ["stream", "list"] as const)
          informers.of(kinds.core.v1.configMaps, {
            initialState,
            namespace: "default",
            indexes: { a: byLabel(initialState) },
          });
        const lists = client.informer(kinds.core.v1.configMaps, { initialState: "list" });
        lists.start();
        informers.start();
        await Promise.all([informers.whenSynced(), lists.whenSynced()]);
        await Promise.all([informers.stop(), lists.stop()]);
        for (const api of ["core", "events"] as const) {
          const recorder = new EventRecorder({ client, controller: "example.com/t", api });
          for (let index = 0; index < 3; index += 1)
            recorder.warning(
              { apiVersion: "v1", kind: "Pod", metadata: { namespace: "default", name: "p" } },
              "R",
              "m",
            );
          await recorder.close();
        }
        await client.install(widget);
        await operate();
      },
      "list configmaps",
      "create leases",
      "update leases",
      "create events",
      "patch customresourcedefinitions",
      "patch widgets/status",
    ));

  async function operate(): Promise<void> {
    const stop = new AbortController();
    const controller = defineController({
      name: "widget",
      for: widget,
      finalizer: "example.com/clean",
      async reconcile(object, { client: own, key, recorder }) {
        const conditions = setCondition([], { type: "Ready", status: "True", reason: "Done" }, 0);
        await own.resource(widget, key.namespace).status.patch(key.name, { merge: { status: { conditions } } });
        recorder.normal(object, "Made", "well");
      },
      async finalize() {},
    });
    const election = { namespace: "default", name: "boss", identity: "me" };
    const running = runControllers({ client, controllers: [controller], election }, stop.signal);
    const widgets = client.resource(widget, "default");
    await widgets.create({ metadata: { name: "w" }, spec: { size: 1 } });
    await vi.waitFor(async () => expect((await widgets.get("w")).status).toHaveProperty("conditions"), WAIT);
    await widgets.delete("w");
    await vi.waitFor(async () => expect(await widgets.find("w")).toBeUndefined(), WAIT);
    stop.abort();
    await running;
  }

  it("to register webhooks is upstream's", () =>
    judge(
      async () => {
        const webhooks = [
          mutating({ name: "m.example.com", for: widget, review: () => undefined }),
          validating({ name: "v.example.com", for: widget, review: () => undefined }),
          converting({ for: widget, convert: (object) => object }),
        ];
        const tlsSecret = { namespace: "default", name: "tls" };
        await (await serveWebhooks({ client, name: "widget", webhooks, tlsSecret })).close();
      },
      "patch mutatingwebhookconfigurations",
      "patch validatingwebhookconfigurations",
      "create secrets",
    ));
});

const WAIT = { timeout: 10_000, interval: 50 };

describe("the table", () => {
  const request = (method: string, url: string, headers: Record<string, string> = {}, body = ""): Sent => {
    const { pathname, searchParams } = new URL(url, "https://server");
    const lists = Object.entries({ "user-agent": "t", ...headers }).map(([name, value]): [string, string[]] => [
      name,
      [value],
    ]);
    return { method, path: pathname, query: searchParams, headers: new Map(lists), body };
  };

  it.each([
    ["a path", request("GET", "/api/v1/namespaces/a/configmapz")],
    ["a version", request("GET", "/apis/apps/v2/deployments")],
    ["a sub-resource", request("GET", "/api/v1/namespaces/a/configmaps/b/status")],
    ["a namespace where there is none", request("GET", "/api/v1/namespaces/a/nodes/b")],
    ["a parameter", request("GET", "/api/v1/pods?fast=true")],
    ["a parameter of another verb", request("GET", "/api/v1/namespaces/a/pods/b?limit=1")],
    ["a header", request("GET", "/api/v1/pods", { "x-plinth": "1" })],
    ["a media type", request("GET", "/api/v1/pods", { accept: "application/x-plinth" })],
    ["a protocol", request("GET", "/api/v1/namespaces/a/pods/b/exec", { "sec-websocket-protocol": "v9" })],
    ["a body", request("POST", "/api/v1/namespaces/a/pods", { "content-type": "application/cbor" })],
    ["an object", request("POST", "/api/v1/namespaces/a/pods", {}, '{"apiVersion":"own/v1"}')],
  ])("knows %s that upstream does not have", (_, made) => expect(problemsOf(made)).toHaveLength(1));
});

function words(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.join(" ").split(" "));
}

const served: ReadonlyMap<string, { readonly namespaced: boolean }> = new Map(
  RESOURCES.trim()
    .split("\n")
    .flatMap((line) => {
      const [version = "", names = ""] = line.split(": ");
      const root = version === "v1" ? "/api/v1" : `/apis/${version}`;
      return names.split(" ").flatMap((name) => {
        const [resource = "", ...subresources] = name.split("/");
        const bare = resource.replace("!", "");
        const namespaced = bare === resource;
        return ["", ...subresources.map((subresource) => `/${subresource}`)].map(
          (tail): [string, { namespaced: boolean }] => [`${root} ${bare}${tail}`, { namespaced }],
        );
      });
    }),
);
const versions = new Set([...served.keys()].map((key) => key.split(" ")[0]!.replace(/^\/apis?\//, "")));

function sentOf({ method, path, query, headers }: ReceivedRequest): Sent {
  const lines = headers.namesWithPrefix("").map((name): [string, readonly string[]] => [name, headers.all(name)]);
  const shown = lines.filter(([name]) => !name.startsWith(":"));
  return { method, path, query: new URLSearchParams(query), headers: new Map(shown), body: "" };
}

interface Place {
  readonly root: string;
  readonly namespace: string | undefined;
  /** With the sub-resource. */
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly name: string | undefined;
}

function placeOf(path: string): Place | undefined {
  const match =
    /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+)(?:\/([^/]+))?)?$/.exec(path);
  if (match === null) return undefined;
  const [, root = "", namespace, resource = "", name, subresource] = match;
  return {
    root,
    namespace,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    subresource,
    name,
  };
}

const OWN_PARAMETERS = words("log exec attach portforward");

/** As the table of parameters says it: `exec` of `exec pods`, `list` of `list configmaps`. */
function verbOf({ method, path }: Sent): string {
  const place = placeOf(path);
  if (place === undefined) return `get ${path}`;
  const { resource, subresource, name } = place;
  if (subresource !== undefined && OWN_PARAMETERS.has(subresource)) return `${subresource} ${resource.split("/")[0]}`;
  const verbs: Record<string, string> = {
    GET: name === undefined ? "list" : "get",
    POST: "create",
    PUT: "update",
    PATCH: "patch",
    DELETE: name === undefined ? "deletecollection" : "delete",
  };
  return `${verbs[method]} ${resource}`;
}

function problemsOf(made: Sent): string[] {
  const { method, path, query, headers, body } = made;
  const place = placeOf(path);
  const problems: string[] = [];
  const refuse = (what: string): void => void problems.push(`${method} ${path}: ${what}`);
  if (place === undefined) {
    if (!["/api", "/apis", "/version"].includes(path)) refuse("path");
  } else {
    const known = served.get(`${place.root} ${place.resource}`);
    if (known === undefined || (place.namespace !== undefined && !known.namespaced)) refuse("path");
  }
  const parameters = PARAMETERS[verbOf(made).split(" ")[0]!]!;
  for (const name of place === undefined ? query.keys() : [...query.keys()].filter((one) => !parameters.has(one)))
    refuse(`parameter ${name}`);
  for (const name of headers.keys()) if (!HEADERS.has(name)) refuse(`header ${name}`);
  // What is served under which names is asked for in both dialects at once.
  for (const value of (headers.get("accept") ?? []).flatMap((list) => list.split(",")))
    if (!ACCEPTED.has(value) && !(place === undefined && value.includes("g=apidiscovery."))) refuse(`accept ${value}`);
  for (const value of (headers.get("sec-websocket-protocol") ?? []).flatMap((list) => list.split(",")))
    if (!PROTOCOLS.has(value.trim())) refuse(`protocol ${value}`);
  const [type = "application/json"] = headers.get("content-type") ?? [];
  if (method === "PATCH" ? !PATCHES.has(type) : type !== "application/json") refuse(`content type ${type}`);
  const { apiVersion } = bodyOf(body);
  if (apiVersion !== undefined && !versions.has(apiVersion) && !META_VERSIONS.has(apiVersion)) refuse(apiVersion);
  return problems;
}

function bodyOf(text: string): { readonly apiVersion?: string } {
  if (text === "") return {};
  const value = JSON.parse(text) as unknown;
  return Array.isArray(value) ? {} : (value as { apiVersion?: string });
}
