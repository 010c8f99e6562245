// The client on a server of this API over HTTPS, nothing in between: our own in the upstream dialect, or the one of the
// kubeconfig file that PLINTH_TEST_KUBECONFIG names (upstream's, for instance), as an administrator. PLINTH_TEST_POD names
// a running pod there ("namespace/name", with a shell and something that listens on 80), for sessions in containers.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type ApiError, isApiError } from "../../src/client/api-error.ts";
import { kinds } from "../../src/client/built-in-kinds.ts";
import { Client } from "../../src/client/client.ts";
import { connect } from "../../src/client/connect.ts";
import { defineController, runControllers, setCondition } from "../../src/client/controller.ts";
import { defineKind } from "../../src/client/custom-kind.ts";
import { discover } from "../../src/client/discovery.ts";
import { EventRecorder } from "../../src/client/event-recorder.ts";
import { HttpsTransport } from "../../src/client/https-transport.ts";
import { byLabel } from "../../src/client/indexes.ts";
import { LeaderElection } from "../../src/client/leader-election.ts";
import { loadConnection } from "../../src/client/load-connection.ts";
import { type ApiKind, resourceTypeOf } from "../../src/client/resources/resource-type.ts";
import { SharedInformers } from "../../src/client/shared-informers.ts";
import { converting, mutating, serveWebhooks, validating } from "../../src/client/webhook-server.ts";
import { ADMIN_TOKEN, startTestServer, type TestServer } from "./running-server.testing.ts";

const FOREIGN = process.env["PLINTH_TEST_KUBECONFIG"];
const POD = process.env["PLINTH_TEST_POD"];
const TERMS = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 200 };
const WAIT = { timeout: 20_000, interval: 50 };
const GROUP = `any${Date.now().toString(36)}.example.com`;

const widget = defineKind({
  group: GROUP,
  version: "v1",
  kind: "Widget",
  schema: {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: { size: { type: "integer", minimum: 0 }, colour: { type: "string", default: "red" } },
      },
      status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    },
  },
});

let own: TestServer | undefined;
let client: Client;
let namespace: string;

beforeAll(async () => {
  own = FOREIGN === undefined ? await startTestServer() : undefined;
  client = connectTo({});
});
afterAll(async () => {
  await client
    .named({ group: "apiextensions.k8s.io", version: "v1", resource: "customresourcedefinitions", namespaced: false })
    .delete(`widgets.${GROUP}`)
    .catch(() => undefined);
  await client.close();
  await own?.stop();
});
beforeEach(async () => {
  const made = await client.core.v1.namespaces().create({ metadata: { generateName: "any-" } });
  namespace = made.metadata.name;
  // Without controllers nobody else makes it, and pods need it.
  await client.core.v1.serviceAccounts(namespace).apply({ metadata: { name: "default" } });
});
afterEach(() => client.core.v1.namespaces().delete(namespace));

function connectTo(options: Parameters<typeof connect>[0]): Client {
  return connect({ dialect: "kubernetes", fieldManager: "any-server", ...whereTo(), ...options });
}

const whereTo = () =>
  own === undefined
    ? { kubeconfig: FOREIGN! }
    : { server: own.url, token: ADMIN_TOKEN, certificateAuthority: own.caFile };

/** Nothing but a token: a certificate of the file would be believed first. */
function connectWithToken(token: string): Client {
  const connection = { ...loadConnection(whereTo()), user: { token } };
  return new Client({ dialect: "kubernetes", transport: new HttpsTransport({ connection }) });
}

const refusal = (work: Promise<unknown>): Promise<ApiError> =>
  work.then(
    () => expect.unreachable("it was taken"),
    (error: ApiError) => error,
  );

describe("objects", () => {
  it("are created, read, changed and deleted", async () => {
    const maps = client.core.v1.configMaps(namespace);
    const made = await maps.create({ metadata: { name: "a" }, data: { k: "v" } });
    expect(made).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", data: { k: "v" } });
    const changed = await maps.modify("a", (object) => {
      object.data = { k: "w" };
    });
    expect((await maps.get("a")).metadata.resourceVersion).toBe(changed.metadata.resourceVersion);
    expect(await maps.create({ metadata: { generateName: "b-" } }, { dryRun: true })).toHaveProperty("metadata.uid");
    expect((await maps.list()).items.filter(({ metadata }) => metadata.name.startsWith("b-"))).toEqual([]);
    const stale = await refusal(maps.update(made));
    expect([stale.code, stale.reason]).toEqual([409, "Conflict"]);
    expect(isApiError(await refusal(maps.delete("a", { preconditions: { uid: "other" } })), "Conflict")).toBe(true);
    await maps.delete("a", { preconditions: { uid: made.metadata.uid }, propagationPolicy: "Background" });
    expect(await maps.find("a")).toBeUndefined();
  });

  it("are patched in every way, and conflicts say whose field it is", async () => {
    const maps = client.core.v1.configMaps(namespace);
    await maps.apply({ metadata: { name: "p" }, data: { a: "1", b: "1" } }, { fieldManager: "first" });
    await maps.patch("p", { json: [{ op: "replace", path: "/data/a", value: "2" }] });
    await maps.patch("p", { merge: { data: { b: null } } });
    await maps.patch("p", { strategic: { metadata: { labels: { x: "y" } } } });
    const conflict = await refusal(
      maps.apply({ metadata: { name: "p" }, data: { a: "3" } }, { fieldManager: "second" }),
    );
    expect(conflict).toMatchObject({ code: 409, reason: "Conflict" });
    expect(conflict.causes).toMatchObject([{ reason: "FieldManagerConflict", field: ".data.a" }]);
    const forced = await maps.apply(
      { metadata: { name: "p" }, data: { a: "3" } },
      { fieldManager: "second", force: true },
    );
    expect(forced).toMatchObject({ metadata: { labels: { x: "y" } }, data: { a: "3" } });
    expect(forced.data).not.toHaveProperty("b");
  });

  it("that are refused say why, field by field", async () => {
    const bad = await refusal(
      client.core.v1.pods(namespace).create({ metadata: { name: "p" }, spec: { containers: [] } }),
    );
    expect(bad).toMatchObject({ code: 422, reason: "Invalid" });
    expect(bad.causes).toMatchObject([{ reason: "FieldValueRequired", field: "spec.containers" }]);
    const gone = await refusal(client.apps.v1.deployments(namespace).get("none"));
    expect(isApiError(gone, "NotFound")).toBe(true);
    expect(gone.message).toContain('deployments "none"');
  });

  it("with unknown fields warn, or are refused where that is asked", async () => {
    const warnings: string[] = [];
    const maps = client.named({ group: "", version: "v1", resource: "configmaps", kind: "ConfigMap" }, namespace);
    const odd = { metadata: { name: "odd" }, datta: {} };
    await maps.create(odd, { fieldValidation: "Warn", onWarning: (text) => warnings.push(text) });
    expect(warnings).toEqual(['unknown field "datta"']);
    expect(await refusal(maps.update(odd, { fieldValidation: "Strict" }))).toMatchObject({ code: 400 });
  });

  it("come page by page, all of one moment, and are deleted many at once", async () => {
    const maps = client.core.v1.configMaps(namespace);
    for (let index = 0; index < 7; index += 1)
      await maps.create({ metadata: { name: `m${index}`, labels: { half: `${index % 2}` } } });
    const seen: string[] = [];
    for await (const page of maps.pages({ pageSize: 2, fieldSelector: "metadata.name!=kube-root-ca.crt" })) {
      if (seen.length === 0) await maps.create({ metadata: { name: "later" } });
      seen.push(...page.items.map(({ metadata }) => metadata.name));
    }
    expect(seen).toEqual(["m0", "m1", "m2", "m3", "m4", "m5", "m6"]);
    await maps.deleteCollection({ labelSelector: "half=1" });
    const left = await maps.list({ labelSelector: "half" });
    expect(left.items.map(({ metadata }) => metadata.name)).toEqual(["m0", "m2", "m4", "m6"]);
    const named = { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap", metadataOnly: true };
    expect((await client.named(named, namespace).get("later")).metadata.name).toBe("later");
  });

  it("of every built-in kind that is served can be listed", async () => {
    const { dialect, resources } = await discover(client.transport);
    expect(dialect).toBe("kubernetes");
    const served = new Map(resources.map(({ group, version, kind, verbs }) => [`${group}/${version}/${kind}`, verbs]));
    const all: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, ApiKind<object>>>>>>> = kinds;
    const each = Object.values(all)
      .flatMap(Object.values)
      .flatMap(Object.values<ApiKind<object>>);
    const failures: string[] = [];
    let listed = 0;
    for (const kind of each) {
      const { group, version, kind: word = "" } = resourceTypeOf(kind, client.names);
      if (served.get(`${group}/${version}/${word}`)?.includes("list") !== true) continue;
      listed += 1;
      await client
        .resource(kind)
        .list({ limit: 1 })
        .catch((error: Error) => failures.push(error.message));
    }
    expect(failures).toEqual([]);
    expect(listed).toBeGreaterThan(50);
  });
});

describe("endpoints below objects", () => {
  const containers = [{ name: "c", image: "i" }];

  it("are status, scale, ephemeral containers, bindings, evictions and tokens", async () => {
    const pods = client.core.v1.pods(namespace);
    await pods.create({ metadata: { name: "p" }, spec: { containers } });
    await pods.bind("p", "nowhere");
    expect((await pods.get("p")).spec.nodeName).toBe("nowhere");
    await pods.status.patch("p", { merge: { status: { phase: "Running" } } });
    const besides = { name: "d", image: "i", targetContainerName: "c" };
    await pods.ephemeralContainers.patch("p", { strategic: { spec: { ephemeralContainers: [besides] } } });
    expect((await pods.get("p")).spec.ephemeralContainers).toHaveLength(1);
    await pods.evict("p", { gracePeriodSeconds: 0 });
    expect(await pods.find("p")).toBeUndefined();
    const labels = { a: "b" };
    const deployments = client.apps.v1.deployments(namespace);
    await deployments.create({
      metadata: { name: "d" },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    });
    await deployments.scale.modify("d", (scale) => {
      scale.spec.replicas = 2;
    });
    expect((await deployments.get("d")).spec.replicas).toBe(2);
    const { token } = await client.core.v1
      .serviceAccounts(namespace)
      .createToken("default", { expirationSeconds: 600 });
    const asAccount = connectWithToken(token);
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    expect(await asAccount.request("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review)).toMatchObject({
      status: { userInfo: { username: `system:serviceaccount:${namespace}:default` } },
    });
    await asAccount.close();
  });

  it("know the user that is impersonated", async () => {
    const eve = connectTo({ impersonate: { user: "eve", groups: ["a"], extra: new Map() } });
    const refused = await refusal(eve.core.v1.secrets(namespace).list());
    expect([refused.code, refused.message]).toEqual([403, expect.stringContaining('User "eve"')]);
    await eve.close();
  });

  it.skipIf(POD === undefined)("are sessions in containers", async () => {
    const [space, name = ""] = POD!.split("/");
    const pods = client.core.v1.pods(space);
    const echoed = await (await pods.exec(name, { command: ["sh", "-c", "echo out; echo err >&2; exit 3"] })).collect();
    expect([echoed.stdout, echoed.stderr, echoed.exit.code]).toEqual(["out\n", "err\n", 3]);
    const piped = await pods.exec(name, { command: ["sh", "-c", "read line; echo got $line"], stdin: true });
    piped.write("this\n");
    expect((await piped.collect()).stdout).toBe("got this\n");
    let text = "";
    for await (const piece of pods.log(name, { tailLines: 5 })) text += `${piece}`;
    expect(typeof text).toBe("string");
    const port = await pods.portForward(name, 80);
    port.send(Buffer.from("GET /none HTTP/1.0\r\n\r\n"));
    let answer = "";
    for await (const piece of port.received()) answer += Buffer.from(piece).toString();
    expect(answer).toMatch(/^HTTP\/1\.[01] 404/);
  });
});

describe("changes", () => {
  it("are watched, and taken up again where they were left", async () => {
    const maps = client.core.v1.configMaps(namespace);
    await maps.create({ metadata: { name: "before", labels: { w: "1" } } });
    const stop = new AbortController();
    const seen: string[] = [];
    const cuts: unknown[] = [];
    const options = {
      labelSelector: "w",
      signal: stop.signal,
      silenceMs: 300,
      onRetry: (cut: unknown) => cuts.push(cut),
    };
    const watching = (async () => {
      for await (const change of maps.watch(options))
        if (change.type === "SYNC") seen.push(`SYNC ${change.items.length}`);
        else if (change.type !== "BOOKMARK") seen.push(`${change.type} ${change.object.metadata.name}`);
    })();
    await vi.waitFor(() => expect(seen).toEqual(["SYNC 1"]), WAIT);
    for (const name of ["x", "y"]) {
      const { length } = cuts;
      await vi.waitFor(() => expect(cuts.length).toBeGreaterThan(length), WAIT);
      await maps.create({ metadata: { name, labels: { w: "1" } } });
    }
    await maps.delete("before");
    await vi.waitFor(() => expect(seen).toEqual(["SYNC 1", "ADDED x", "ADDED y", "DELETED before"]), WAIT);
    stop.abort();
    await watching.catch(() => undefined);
  });

  it.each(["stream", "list"] as const)(
    "reach informers that begin with a %s, with their indexes",
    async (initialState) => {
      const maps = client.core.v1.configMaps(namespace);
      for (const name of ["a", "b"]) await maps.create({ metadata: { name, labels: { app: name } } });
      const informers = new SharedInformers(client);
      const options = { initialState, namespace, indexes: { app: byLabel("app") } };
      const informer = informers.of(kinds.core.v1.configMaps, options);
      const told: string[] = [];
      informer.addHandlers({
        added: ({ metadata }) => told.push(`+${metadata.name}`),
        updated: ({ data }) => told.push(`~${data?.["k"]}`),
        deleted: ({ metadata }) => told.push(`-${metadata.name}`),
      });
      informers.start();
      await informers.whenSynced();
      await maps.patch("a", { merge: { data: { k: "v" } } });
      await maps.delete("b");
      await vi.waitFor(
        () => expect(told.filter((line) => !line.includes("kube-root"))).toEqual(["+a", "+b", "~v", "-b"]),
        WAIT,
      );
      expect(informer.cache.byIndex("app", "a").map(({ metadata }) => metadata.name)).toEqual(["a"]);
      await informers.stop();
    },
  );
});

describe("operators", () => {
  it("have a kind of their own, a controller with finalizer, an election and events", async () => {
    await client.install(widget);
    const widgets = client.resource(widget, namespace);
    const made = await widgets.create({ metadata: { name: "w" }, spec: { size: 1 } });
    expect(made.spec?.colour).toBe("red");
    expect(await refusal(widgets.create({ metadata: { name: "v" }, spec: { size: -1 } }))).toMatchObject({ code: 422 });
    const finalized: string[] = [];
    const controller = defineController({
      name: "widget",
      for: widget,
      finalizer: `${GROUP}/clean`,
      async reconcile(object, { client: mine, key, recorder }) {
        const conditions = setCondition([], { type: "Ready", status: "True", reason: "Done" }, 0);
        await mine.resource(widget, key.namespace).status.patch(key.name, { merge: { status: { conditions } } });
        recorder.normal(object, "Made", "well");
      },
      async finalize(object) {
        finalized.push(object.metadata.name);
      },
    });
    const stop = new AbortController();
    const election = { namespace, name: "boss", identity: "me" };
    const running = runControllers({ client, controllers: [controller], election }, stop.signal);
    await vi.waitFor(async () => expect((await widgets.get("w")).status).toHaveProperty("conditions"), WAIT);
    // One for each state that was reconciled: its own write of the status makes another.
    const reasons = async () => (await client.core.v1.events(namespace).list()).items.map(({ reason }) => reason);
    await vi.waitFor(async () => expect([...new Set(await reasons())]).toEqual(["Made"]), WAIT);
    await widgets.delete("w");
    await vi.waitFor(async () => expect(await widgets.find("w")).toBeUndefined(), WAIT);
    expect(finalized).toEqual(["w"]);
    stop.abort();
    await running;
  });

  it("serve webhooks that the server calls", async () => {
    await client.install(widget);
    const name = `any-${namespace}`;
    const server = await serveWebhooks({
      client,
      name,
      tlsSecret: { namespace, name: "tls" },
      webhooks: [
        mutating({
          name: `m.${GROUP}`,
          for: widget,
          review(object) {
            object.spec = { ...object.spec, colour: "green" };
            return undefined;
          },
        }),
        validating({
          name: `v.${GROUP}`,
          for: widget,
          review: (object) => (object.spec?.size === 13 ? { deny: "an unlucky size" } : undefined),
        }),
        converting({ for: widget, convert: (object) => object }),
      ],
    });
    const widgets = client.resource(widget, namespace);
    // Servers take some moments to learn of webhooks.
    await vi.waitFor(async () => {
      const seen = await widgets.create({ metadata: { generateName: "g-" }, spec: { size: 1 } }, { dryRun: true });
      expect(seen.spec?.colour).toBe("green");
    }, WAIT);
    await vi.waitFor(async () => {
      const denied = await refusal(
        widgets.create({ metadata: { generateName: "b-" }, spec: { size: 13 } }, { dryRun: true }),
      );
      expect(denied.message).toContain("an unlucky size");
    }, WAIT);
    await server.close();
    const of = { group: "admissionregistration.k8s.io", version: "v1", namespaced: false };
    for (const resource of ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"])
      await client.named({ ...of, resource }).delete(name);
  });

  it("lead one at a time, and the next begins when the first gives up", async () => {
    const order: string[] = [];
    const lead = (identity: string, until: Promise<unknown>) =>
      new LeaderElection({ client, namespace, name: "lock", identity, ...TERMS }).lead(async (term) => {
        order.push(`${identity} leads`);
        await until;
        await term.client.core.v1.configMaps(namespace).create({ metadata: { name: identity } });
        order.push(`${identity} is done`);
      });
    let done = () => undefined as unknown;
    const first = lead("one", new Promise((resolve) => (done = () => resolve(undefined))));
    await vi.waitFor(() => expect(order).toEqual(["one leads"]), WAIT);
    const second = lead("two", Promise.resolve());
    done();
    await Promise.all([first, second]);
    expect(order).toEqual(["one leads", "one is done", "two leads", "two is done"]);
  });

  it("record what happens again and again once, with a count", async () => {
    const recorder = new EventRecorder({ client, controller: "example.com/any", api: "core" });
    const about = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name: "x", uid: "u" } };
    for (let index = 0; index < 3; index += 1) recorder.warning(about, "Odd", "very");
    await recorder.close();
    const events = await client.core.v1.events(namespace).list();
    expect(events.items).toMatchObject([{ reason: "Odd", message: "very", count: 3 }]);
  });
});
