import { afterEach, describe, expect, it } from "vitest";
import { type ServerInProcess, serverInProcess } from "../apiserver/server.testing.ts";
import { FakeClock } from "../base/clock.ts";
import { Metrics } from "../base/metrics.ts";
import { DIALECTS } from "../meta/names.ts";

const GROUP = "/apis/flowcontrol.apiserver.k8s.io/v1";
const SCHEMAS = `${GROUP}/flowschemas`;
const LEVELS = `${GROUP}/prioritylevelconfigurations`;

interface FlowObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly annotations?: Record<string, string>;
    readonly managedFields?: readonly { readonly manager: string; readonly operation: string }[];
  };
  readonly spec: { readonly matchingPrecedence: number };
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly lastTransitionTime: string }[] };
}

let server: ServerInProcess;
afterEach(async () => {
  await server.close();
});

const list = async (url: string): Promise<FlowObject[]> =>
  ((await server.call("GET", url)).json as { items: FlowObject[] }).items;
const conditions = async (name: string) =>
  ((await server.call("GET", `${SCHEMAS}/${name}`)).json as FlowObject).status.conditions;

describe("the default objects", () => {
  it.each(DIALECTS)("are there after the start, and the server looks after them (%s)", async (dialect) => {
    server = await serverInProcess({ dialect });
    const domain = dialect === "kubernetes" ? "k8s.io" : "platform.io";
    const root = `/apis/flowcontrol.apiserver.${domain}/v1`;
    const system = dialect === "kubernetes" ? "kube-system" : "platform-system";
    const schemas = await list(`${root}/flowschemas`);
    expect(schemas.map(({ metadata, spec }) => [metadata.name, spec.matchingPrecedence])).toEqual(
      [
        ["catch-all", 10_000],
        ["exempt", 1],
        ["global-default", 9_900],
        ["kube-controller-manager", 800],
        ["kube-scheduler", 800],
        [`${system}-service-accounts`, 900],
        ["probes", 2],
        ["service-accounts", 9_000],
        ["system-leader-election", 100],
        ["system-node-high", 400],
        ["system-nodes", 500],
      ].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    );
    const levels = await list(`${root}/prioritylevelconfigurations`);
    expect(levels.map(({ metadata }) => metadata.name)).toEqual([
      "catch-all",
      "exempt",
      "global-default",
      "leader-election",
      "node-high",
      "system",
      "workload-high",
      "workload-low",
    ]);
    const key = `apf.${dialect === "kubernetes" ? "kubernetes.io" : domain}/autoupdate-spec`;
    for (const { metadata } of [...schemas, ...levels]) {
      expect(metadata.annotations).toEqual({ [key]: "true" });
      expect(metadata.managedFields?.map(({ manager }) => manager)).toContain(
        "api-priority-and-fairness-config-producer-v1",
      );
    }
  });

  it("come back when somebody deletes them, and go when the server has made them and wants them no more", async () => {
    const clock = new FakeClock();
    server = await serverInProcess({ deps: { clock } });
    const names = async () => (await list(SCHEMAS)).map(({ metadata }) => metadata.name);
    const before = await names();
    expect((await server.call("DELETE", `${SCHEMAS}/catch-all`)).status).toBe(200);
    expect((await server.call("DELETE", `${SCHEMAS}/probes`)).status).toBe(200);
    const old = {
      metadata: { name: "old", annotations: { "apf.kubernetes.io/autoupdate-spec": "true" } },
      spec: { priorityLevelConfiguration: { name: "exempt" }, matchingPrecedence: 5 },
    };
    expect((await server.call("POST", SCHEMAS, old)).status).toBe(201);
    expect(await names()).not.toContain("catch-all");
    await clock.advance(60_000);
    await expect.poll(names).toEqual(before);
  });

  it("are left alone where somebody has taken them over", async () => {
    const clock = new FakeClock();
    server = await serverInProcess({ deps: { clock } });
    const patch = {
      metadata: { annotations: { "apf.kubernetes.io/autoupdate-spec": "false" } },
      spec: { matchingPrecedence: 1_234 },
    };
    const type = { "content-type": "application/merge-patch+json" };
    expect((await server.call("PATCH", `${SCHEMAS}/probes`, patch, type)).status).toBe(200);
    const other = { spec: { matchingPrecedence: 1_234 } };
    expect((await server.call("PATCH", `${SCHEMAS}/system-nodes`, other, type)).status).toBe(200);
    await clock.advance(60_000);
    const precedence = async (name: string) =>
      ((await server.call("GET", `${SCHEMAS}/${name}`)).json as FlowObject).spec.matchingPrecedence;
    await expect.poll(() => precedence("system-nodes")).toBe(500);
    expect(await precedence("probes")).toBe(1_234);
  });
});

describe("the condition Dangling", () => {
  it("says whether the level is there, and follows it", async () => {
    server = await serverInProcess();
    const schema = {
      metadata: { name: "mine" },
      spec: { priorityLevelConfiguration: { name: "later" }, matchingPrecedence: 5 },
    };
    await server.call("POST", SCHEMAS, schema);
    const named = 'This FlowSchema references the PriorityLevelConfiguration object named "later"';
    const missing = {
      type: "Dangling",
      status: "True",
      reason: "NotFound",
      message: `${named} but there is no such object`,
    };
    const found = { type: "Dangling", status: "False", reason: "Found", message: `${named} and it exists` };
    await expect.poll(() => conditions("mine")).toMatchObject([missing]);
    const limited = { nominalConcurrencyShares: 1, limitResponse: { type: "Reject" } };
    await server.call("POST", LEVELS, { metadata: { name: "later" }, spec: { type: "Limited", limited } });
    await expect.poll(() => conditions("mine")).toMatchObject([found]);
    await server.call("DELETE", `${LEVELS}/later`);
    await expect.poll(() => conditions("mine")).toMatchObject([missing]);
    const { metadata } = (await server.call("GET", `${SCHEMAS}/mine`)).json as FlowObject;
    expect(metadata.managedFields?.map(({ manager, operation }) => [manager, operation])).toContainEqual([
      "api-priority-and-fairness-config-consumer-v1",
      "Apply",
    ]);
  });

  it("is said again when somebody changes it, but not without end", async () => {
    server = await serverInProcess();
    await expect.poll(() => conditions("probes")).toMatchObject([{ status: "False" }]);
    const lie = { status: { conditions: [{ type: "Dangling", status: "True", reason: "No", message: "no" }] } };
    const type = { "content-type": "application/merge-patch+json" };
    // As often as it is said in a minute: the first time a build has said it.
    for (let round = 0; round < 6; round += 1) {
      await server.call("PATCH", `${SCHEMAS}/probes/status`, lie, type);
      await expect.poll(() => conditions("probes")).toMatchObject([{ status: "False" }]);
    }
    await server.call("PATCH", `${SCHEMAS}/probes/status`, lie, type);
    await server.call("PATCH", `${SCHEMAS}/system-nodes/status`, lie, type);
    await expect.poll(() => conditions("system-nodes")).toMatchObject([{ status: "False" }]);
    expect(await conditions("probes")).toMatchObject([{ status: "True" }]);
  });
});

describe("answers", () => {
  const start = async (metrics?: Metrics) => {
    server = await serverInProcess({
      deps: {
        authenticator: {
          authenticate: ({ headers }) => {
            const name = headers.first("x-user") ?? "admin";
            const groups = name === "admin" ? ["system:masters"] : ["system:authenticated"];
            return { result: "user", user: { name, groups } };
          },
        },
        ...(metrics === undefined ? {} : { metrics }),
      },
    });
  };
  const uidOf = async (url: string) => ((await server.call("GET", url)).json as FlowObject).metadata.uid;
  const flowHeaders = ({ headers }: { headers: Readonly<Record<string, unknown>> }) => [
    headers["x-kubernetes-pf-flowschema-uid"],
    headers["x-kubernetes-pf-prioritylevel-uid"],
  ];

  it.each([
    ["admin", "/api/v1/namespaces", 200, "exempt", "exempt"],
    ["alice", "/api/v1/namespaces", 200, "global-default", "global-default"],
    ["alice", "/api/v1/namespaces/none", 404, "global-default", "global-default"],
    ["alice", "/readyz", 200, "probes", "exempt"],
    ["system:serviceaccount:kube-system:x", "/api/v1/pods", 200, "kube-system-service-accounts", "workload-high"],
  ])("tell %s at %s (%i) which objects decided", async (user, url, status, schema, level) => {
    await start();
    const answer = await server.call("GET", url, undefined, { "x-user": user });
    expect(answer.status).toBe(status);
    expect(flowHeaders(answer)).toEqual([await uidOf(`${SCHEMAS}/${schema}`), await uidOf(`${LEVELS}/${level}`)]);
  });

  it("follow a new schema at once", async () => {
    await start();
    await server.call("GET", "/api/v1/namespaces", undefined, { "x-user": "alice" });
    const rule = {
      subjects: [{ kind: "User", user: { name: "alice" } }],
      resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true }],
    };
    const created = await server.call("POST", SCHEMAS, {
      metadata: { name: "for-alice" },
      spec: { priorityLevelConfiguration: { name: "system" }, matchingPrecedence: 50, rules: [rule] },
    });
    expect(created.status).toBe(201);
    const answer = await server.call("GET", "/api/v1/namespaces", undefined, { "x-user": "alice" });
    expect(flowHeaders(answer)[0]).toBe((created.json as FlowObject).metadata.uid);
  });

  it("can be counted and looked at", async () => {
    const metrics = new Metrics({ release: "1.34" });
    await start(metrics);
    await server.call("GET", "/api/v1/namespaces", undefined, { "x-user": "alice" });
    let text = "";
    for await (const piece of metrics.expose()) text += piece;
    const pair = 'flow_schema="global-default",priority_level="global-default"';
    for (const line of [
      `apiserver_flowcontrol_dispatched_requests_total{${pair}} 1`,
      `apiserver_flowcontrol_current_executing_requests{${pair}} 0`,
      `apiserver_flowcontrol_current_inqueue_requests{${pair}} 0`,
      `apiserver_flowcontrol_request_wait_duration_seconds_count{execute="true",${pair}} 1`,
      `apiserver_flowcontrol_request_execution_seconds_count{${pair},type="regular"} 1`,
      `apiserver_flowcontrol_work_estimated_seats_count{${pair}} 1`,
      'apiserver_flowcontrol_nominal_limit_seats{priority_level="workload-low"} 245',
      'apiserver_flowcontrol_lower_limit_seats{priority_level="workload-low"} 24',
      'apiserver_flowcontrol_upper_limit_seats{priority_level="workload-low"} 845',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
    const root = "/debug/api_priority_and_fairness";
    const levels = (await server.call("GET", `${root}/dump_priority_levels`)).text.split("\n");
    expect(levels[0]).toMatch(/^PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, /);
    expect(levels.find((line) => line.startsWith("global-default,"))).toMatch(
      /^global-default, +0, +true, +false, +0, +0, +1, /,
    );
    expect((await server.call("GET", `${root}/dump_queues`)).text).toMatch(/\nglobal-default, +\d+, +0, +0, +0\n/);
    expect((await server.call("GET", `${root}/dump_requests`)).text).toMatch(/^PriorityLevelName, FlowSchemaName, /);
    expect((await server.call("GET", `${root}/other`)).status).toBe(404);
  });
});

describe("--enable-priority-and-fairness=false", () => {
  it("keeps the default objects, says nothing about them, and leaves the headers away", async () => {
    server = await serverInProcess({ flags: ["--enable-priority-and-fairness=false"] });
    const schemas = await list(SCHEMAS);
    expect(schemas).toHaveLength(11);
    expect(schemas.map(({ status }) => status.conditions)).toEqual(schemas.map(() => undefined));
    const answer = await server.call("GET", "/api/v1/namespaces");
    expect(Object.keys(answer.headers).filter((name) => name.includes("-pf-"))).toEqual([]);
  });
});
