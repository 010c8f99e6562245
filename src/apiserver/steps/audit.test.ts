// What is recorded of requests, over a server in process that writes an audit log.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RecordedEvent } from "../../audit/audit-sink.ts";
import type { Audit } from "../../audit/build-audit.ts";
import { parseAuditPolicy } from "../../audit/policy.ts";
import type { JsonObject } from "../../base/json.ts";
import type { LoopHold } from "../../base/loop-hold.ts";
import { asSlowWork } from "../../base/steps.testing.ts";
import { inProcessRequest } from "../../http/in-process.ts";
import { namesFor } from "../../meta/names.ts";
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
    const names = namesFor("kubernetes");
    const rules = `apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: ${level}}]`;
    const recorded: JsonObject[] = [];
    const trail = {
      policy: parseAuditPolicy(Buffer.from(rules), names),
      nowMs: () => 0,
      onLevel: () => undefined,
      record: ({ event }: RecordedEvent) => void recorded.push(event),
    } as unknown as Audit;
    const catalog = { find: () => ({ kind: { schema: {} } }) };
    const step = audit({ names, audit: trail, catalog } as unknown as AuditDeps);
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
