// What is recorded of requests, over a server in process that writes an audit log.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RecordedEvent } from "../../audit/audit-sink.ts";
import type { Audit } from "../../audit/build-audit.ts";
import { parseAuditPolicy } from "../../audit/policy.ts";
import type { JsonObject } from "../../base/json.ts";
import type { LoopHold } from "../../base/loop-hold.ts";
import { asSlowWork } from "../../base/steps.testing.ts";
import { inProcessRequest } from "../../http/in-process.ts";
import type { Upgrade } from "../../http/message.ts";
import { namesFor } from "../../meta/names.ts";
import { StatusError } from "../../meta/status-error.ts";
import { authenticatedRequest, type Target, targetedRequest } from "../../registry/request.ts";
import { type ServerInProcess, type ServerInProcessOptions, serverInProcess } from "../server.testing.ts";
import { type AuditDeps, audit, auditRefusedCredentials } from "./audit.ts";

interface Event {
  readonly stage: string;
  readonly level: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly objectRef?: object;
  readonly responseStatus?: { readonly code: number; readonly reason?: string };
  readonly requestObject?: { readonly data?: object; readonly metadata?: object };
  readonly responseObject?: { readonly data?: object; readonly metadata?: { readonly managedFields?: object } };
  readonly annotations?: Record<string, string>;
  readonly user: object;
}

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

const names = namesFor("kubernetes");

/** What the step works with, but for a server. */
function stepDeps(trail: Partial<Audit>, level = "Metadata", more = ""): AuditDeps {
  const rules = `apiVersion: audit.k8s.io/v1\nkind: Policy\n${more}rules: [{level: ${level}}]`;
  const policy = parseAuditPolicy(Buffer.from(rules), names);
  const catalog = { find: () => ({ kind: { schema: {} } }) };
  const audit = { policy, nowMs: () => 0, onLevel: () => undefined, ...trail };
  return { names, audit, catalog } as unknown as AuditDeps;
}

function stepRequest(of: Partial<Target> = {}, upgrade?: Upgrade) {
  const received = inProcessRequest({ method: "POST", url: "/api/v1/pods", ...(upgrade && { upgrade }) });
  const place = { group: "", version: "v1", resource: "pods", namespace: "", name: "", subresource: "" };
  const target = { type: "resource", verb: "create", ...place, ...of } as Target;
  return authenticatedRequest(targetedRequest(received, target, "id"), { name: "ann", groups: [] });
}

describe("the audit log", () => {
  let folder: string;
  let server: ServerInProcess | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "audit-"));
  });
  afterEach(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (rules: string, flags: readonly string[] = [], deps: ServerInProcessOptions["deps"] = {}) => {
    writeFileSync(join(folder, "policy.yaml"), `apiVersion: audit.k8s.io/v1\nkind: Policy\n${rules}`);
    server = await serverInProcess({
      flags: [`--audit-policy-file=${folder}/policy.yaml`, `--audit-log-path=${folder}/audit.log`, ...flags],
      deps,
    });
    return server;
  };
  const events = (url: string): Event[] =>
    readFileSync(join(folder, "audit.log"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Event)
      .filter(({ requestURI }) => requestURI === url);

  it("names what a create makes, at every level, whether it comes to be or not", async () => {
    const { call } = await start("rules: [{level: Metadata}]");
    for (const status of [201, 409]) {
      expect((await call("POST", CONFIG_MAPS, { metadata: { name: "made" } })).status).toBe(status);
    }
    const complete = events(CONFIG_MAPS).filter(({ stage }) => stage === "ResponseComplete");
    expect(complete.map(({ objectRef }) => objectRef)).toEqual(
      complete.map(() => ({ resource: "configmaps", namespace: "default", name: "made", apiVersion: "v1" })),
    );
    expect(complete).toHaveLength(2);
  });

  it.each(["Metadata", "RequestResponse"])("names what the body of an update names, at level %s", async (level) => {
    const { call } = await start(`omitStages: [RequestReceived]\nrules: [{level: ${level}}]`);
    const { json } = await call("POST", CONFIG_MAPS, { metadata: { name: "a" } });
    const { uid, resourceVersion } = json.metadata as { uid: string; resourceVersion: string };
    const url = `${CONFIG_MAPS}/a`;
    await call("PUT", url, { metadata: { name: "a", uid, resourceVersion, labels: { x: "y" } } });
    await call("PUT", url, { metadata: { name: "a" } });
    await call("PATCH", url, { metadata: { uid } }, { "content-type": "application/merge-patch+json" });
    await call("DELETE", url, { preconditions: { uid } });
    const named = { resource: "configmaps", namespace: "default", name: "a", apiVersion: "v1" };
    expect([...events(CONFIG_MAPS), ...events(url)].map(({ objectRef }) => objectRef)).toEqual([
      named,
      { ...named, uid, resourceVersion },
      named,
      named,
      named,
    ]);
  });

  it("has an event for each stage, with who, what and the outcome", async () => {
    const { call } = await start("rules: [{level: Metadata}]");
    await call("GET", `${CONFIG_MAPS}/none`, undefined, { "audit-id": "abc" });
    const [received, complete, ...more] = events(`${CONFIG_MAPS}/none`);
    expect(more).toEqual([]);
    expect(received).toMatchObject({
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      stage: "RequestReceived",
      auditID: "abc",
    });
    expect(complete).toMatchObject({
      stage: "ResponseComplete",
      level: "Metadata",
      verb: "get",
      user: { username: "admin", groups: ["system:masters"] },
      sourceIPs: ["127.0.0.1"],
      userAgent: "test/1",
      objectRef: { resource: "configmaps", namespace: "default", name: "none", apiVersion: "v1" },
      responseStatus: { status: "Failure", reason: "NotFound", code: 404 },
    });
    expect(complete?.annotations).toMatchObject({
      "authorization.k8s.io/decision": "allow",
      "authorization.k8s.io/reason": "",
    });
  });

  it("notes that an API is deprecated", async () => {
    const { call } = await start("rules: [{level: Metadata, omitStages: [RequestReceived]}]");
    await call("GET", "/api/v1/endpoints");
    expect(events("/api/v1/endpoints").map(({ annotations }) => annotations?.["k8s.io/deprecated"])).toEqual(["true"]);
  });

  it("holds bodies as far as the level says", async () => {
    const { call } = await start(
      "omitStages: [RequestReceived]\nomitManagedFields: true\nrules: [{level: RequestResponse}]",
    );
    await call("POST", CONFIG_MAPS, { metadata: { name: "a" }, data: { k: "v" } });
    const [event] = events(CONFIG_MAPS);
    expect(event?.requestObject?.data).toEqual({ k: "v" });
    expect(event?.responseObject?.data).toEqual({ k: "v" });
    expect(event?.responseObject?.metadata).toBeDefined();
    expect(event?.responseObject?.metadata?.managedFields).toBeUndefined();
    expect(event?.objectRef).toMatchObject({ name: "a" });
  });

  it("names the pod that a binding without a name in its path is about", async () => {
    const { call } = await start("omitStages: [RequestReceived]\nrules: [{level: Metadata}]");
    const bindings = "/api/v1/namespaces/default/bindings";
    await call("POST", bindings, { metadata: { name: "p", uid: "u" }, target: { kind: "Node", name: "n" } });
    expect(events(bindings)[0]?.objectRef).toMatchObject({ resource: "bindings", name: "p", uid: "u" });
  });

  it("holds the Status of a refused request, and still names what it was about", async () => {
    const { call } = await start("omitStages: [RequestReceived]\nrules: [{level: RequestResponse}]");
    for (const status of [201, 409]) {
      expect((await call("POST", CONFIG_MAPS, { metadata: { name: "a" } })).status).toBe(status);
    }
    const refused = events(CONFIG_MAPS).at(-1);
    expect(refused?.responseObject).toMatchObject({ kind: "Status", reason: "AlreadyExists", code: 409 });
    expect(refused?.objectRef).toMatchObject({ name: "a" });
  });

  it("holds answers that are sent piece by piece", async () => {
    const { call } = await start(
      "omitStages: [RequestReceived]\nomitManagedFields: true\nrules: [{level: RequestResponse}]",
    );
    const k = "v".repeat(40_000);
    await call("POST", CONFIG_MAPS, { metadata: { name: "a" }, data: { k } });
    await call("GET", CONFIG_MAPS);
    const [created, listed] = events(CONFIG_MAPS);
    expect(created?.responseObject?.data).toEqual({ k });
    expect(listed?.responseObject).toMatchObject({ items: [{ data: { k } }] });
  });

  it.each<[string, Record<string, string>]>([
    ["YAML", { accept: "application/yaml" }],
    ["CBOR", { accept: "application/cbor" }],
    ["protobuf", { accept: "application/vnd.kubernetes.protobuf" }],
    ["JSON that is compressed", { "accept-encoding": "gzip" }],
    ["YAML that is compressed", { accept: "application/yaml", "accept-encoding": "gzip" }],
  ])("holds answers in %s", async (_, headers) => {
    const { call } = await start("omitStages: [RequestReceived]\nrules: [{level: RequestResponse}]", [
      "--feature-gates=CBORServingAndStorage=true",
    ]);
    const k = "v".repeat(150_000);
    await call("POST", CONFIG_MAPS, { metadata: { name: "a" }, data: { k } });
    const url = `${CONFIG_MAPS}/a`;
    expect((await call("GET", url, undefined, headers)).status).toBe(200);
    expect(events(url)[0]?.responseObject?.data).toEqual({ k });
  });

  it("never holds the bodies of secrets", async () => {
    const { call } = await start("rules: [{level: RequestResponse}]");
    const url = "/api/v1/namespaces/default/secrets";
    await call("POST", url, { metadata: { name: "s" }, stringData: { password: "hunter2" } });
    expect(events(url).map(({ level }) => level)).toEqual(["Metadata", "Metadata"]);
    expect(readFileSync(join(folder, "audit.log"), "utf8")).not.toContain("hunter2");
  });

  it("tells when a watch begins and when it is over", async () => {
    const { call } = await start("rules: [{level: Metadata}]");
    const url = `${CONFIG_MAPS}?watch=1&timeoutSeconds=1`;
    await call("GET", url);
    expect(events(url).map(({ stage }) => stage)).toEqual(["RequestReceived", "ResponseStarted", "ResponseComplete"]);
  });

  it.each(["a write", "a refusal"])(
    "answers %s that was begun, though it cannot be recorded any more",
    async (what) => {
      const refused = new StatusError(409, "AlreadyExists", "there is one");
      const stages: string[] = [];
      const record = ({ event }: RecordedEvent) => {
        stages.push(String(event["stage"]));
        return stages.length > 1 ? Promise.reject(new Error("disk full")) : Promise.resolve();
      };
      const step = audit(stepDeps({ record }));
      const answer = { status: 201, headers: {} };
      const made = async () => {
        if (what === "a refusal") throw refused;
        return answer;
      };
      if (what === "a write") expect(await step(stepRequest(), made)).toBe(answer);
      else await expect(step(stepRequest(), made)).rejects.toBe(refused);
      expect(stages).toEqual(["RequestReceived", "ResponseComplete"]);
    },
  );

  it("tells when a connection is taken over and when it is over", async () => {
    const recorded: JsonObject[] = [];
    const step = audit(stepDeps({ record: ({ event }) => void recorded.push(event) }));
    const stages = () => recorded.map(({ stage }) => stage);
    const socket = new PassThrough();
    const request = stepRequest({ verb: "create", subresource: "exec" }, { socket, head: Buffer.alloc(0), raw: {} });
    await step(request, async () => ({ status: 101, headers: {}, hijacked: true }));
    expect(stages()).toEqual(["RequestReceived", "ResponseStarted"]);
    socket.destroy();
    await vi.waitFor(() => expect(stages()).toEqual(["RequestReceived", "ResponseStarted", "ResponseComplete"]));
    expect(recorded.slice(1).map(({ responseStatus }) => responseStatus)).toMatchObject([{ code: 101 }, { code: 101 }]);
  });

  it("tells when what is meant to last begins, also where it is refused", async () => {
    const { call } = await start("rules: [{level: Metadata}]");
    const url = "/api/v1/namespaces/default/pods/none/log";
    expect((await call("GET", url)).status).toBe(404);
    expect(events(url).map(({ stage, responseStatus }) => [stage, responseStatus?.code])).toEqual([
      ["RequestReceived", undefined],
      ["ResponseStarted", 404],
      ["ResponseComplete", 404],
    ]);
  });

  it("refuses requests that it cannot record, when it is strict", async () => {
    const { call } = await start("rules: [{level: Metadata}]", [
      "--audit-log-mode=blocking-strict",
      `--audit-log-path=${folder}/missing/audit.log`,
    ]);
    expect((await call("GET", CONFIG_MAPS)).status).toBe(500);
  });

  it("has nothing of requests that the policy leaves out", async () => {
    const { call } = await start("rules: [{level: None, verbs: [list]}, {level: Metadata}]");
    await call("GET", CONFIG_MAPS);
    await call("GET", `${CONFIG_MAPS}/a`);
    expect(events(CONFIG_MAPS)).toEqual([]);
    expect(events(`${CONFIG_MAPS}/a`)).toHaveLength(2);
  });

  it("holds up no request that the policy leaves out", () => {
    const policy = parseAuditPolicy(
      Buffer.from("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: None}]"),
      namesFor("kubernetes"),
    );
    const trail = { policy, onLevel: () => undefined } as unknown as Audit;
    const deps = { names: namesFor("kubernetes"), audit: trail } as AuditDeps;
    const target = { type: "path", verb: "get", path: "/version" } as const;
    const request = authenticatedRequest(
      targetedRequest(inProcessRequest({ method: "GET", url: "/version" }), target, "id"),
      { name: "ann", groups: [] },
    );
    const answer = { status: 200, headers: {} };
    expect(audit(deps)(request, () => answer)).toBe(answer);
    expect(auditRefusedCredentials(deps)(request, () => answer)).toBe(answer);
  });

  it.each([
    ["a long body", "Request", 300_000, 1, 0],
    ["a long answer", "RequestResponse", 1, 300_000, 0],
    ["many annotations", "Metadata", 1, 1, 900],
  ])("lets others have their turn while it takes %s", async (_, level, sent, answered, annotations) => {
    const recorded: JsonObject[] = [];
    const record = ({ event }: RecordedEvent) => void recorded.push(event);
    const step = audit(stepDeps({ record }, level, "omitStages: [RequestReceived]\n"));
    const body = (length: number) => JSON.stringify({ text: "x".repeat(length) });
    const url = "/api/v1/configmaps";
    const headers = { "content-type": "application/json" };
    const received = inProcessRequest({ method: "POST", url, headers, body: body(sent) });
    const place = { group: "", version: "v1", resource: "configmaps", namespace: "", name: "", subresource: "" };
    const target = { type: "resource", verb: "create", ...place } as Target;
    const request = authenticatedRequest(targetedRequest(received, target, "id"), { name: "ann", groups: [] });
    let turns = 0;
    request.notes.hold = { goOn: () => (turns += 1) } as unknown as LoopHold;
    for (let index = 0; index < annotations; index += 1) request.auditAnnotations.set(`k${index}`, "v");
    await asSlowWork(6, () =>
      step(request, async (below) => {
        await below.readBody(1_000_000);
        return { status: 201, headers, body: Buffer.from(body(answered)) };
      }),
    );
    expect(turns).toBeGreaterThan(0);
    expect(recorded).toMatchObject([
      {
        stage: "ResponseComplete",
        ...(level === "Metadata" ? {} : { requestObject: { text: "x".repeat(sent) } }),
        ...(level === "RequestResponse" ? { responseObject: { text: "x".repeat(answered) } } : {}),
      },
    ]);
  });

  it("has those who were not let in", async () => {
    const { call } = await start("rules: [{level: RequestResponse}]", [], {
      authenticator: { authenticate: () => ({ result: "none" }) },
    });
    expect((await call("GET", CONFIG_MAPS)).status).toBe(401);
    expect(events(CONFIG_MAPS)).toMatchObject([
      { stage: "ResponseStarted", level: "RequestResponse", user: {}, responseObject: { kind: "Status", code: 401 } },
    ]);
  });

  it("stops the start with a policy that cannot be used", async () => {
    await expect(start("rules: [{level: Some}]")).rejects.toThrow(/--audit-policy-file .*rules\[0\]\.level/);
  });
});
