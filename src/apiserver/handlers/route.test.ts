// From a target to its handler: which verbs a resource has, where its scope lets it stand, and what nobody serves.
// Requirements: document 1, "Path shapes", "Verbs", "Other HTTP behaviour".

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asUser, type ServerInProcess, serverInProcess } from "../server.testing.ts";

let server: ServerInProcess;
beforeAll(async () => {
  server = await serverInProcess({ flags: ["--disable-admission-plugins=ServiceAccount"] });
  const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
  expect((await server.call("POST", "/api/v1/namespaces/default/pods", pod)).status).toBe(201);
});
afterAll(() => server.close());

const NS = "/api/v1/namespaces/default";

describe("a path", () => {
  const rows: [method: string, path: string, code: number, what: string][] = [
    ["GET", `${NS}/pods`, 200, "a collection"],
    ["GET", `${NS}/pods/p`, 200, "an object"],
    ["GET", "/api/v1/pods", 200, "all namespaces, read"],
    ["POST", "/api/v1/pods", 405, "all namespaces, written"],
    ["DELETE", "/api/v1/pods", 405, "all namespaces, deleted"],
    ["GET", "/api/v1/pods/p", 404, "an object without its namespace"],
    ["GET", "/api/v1/nodes", 200, "a cluster-wide collection"],
    ["GET", `${NS}/nodes`, 404, "a cluster-wide collection in a namespace"],
    ["GET", `${NS}/persistentvolumes/x`, 404, "a cluster-wide object in a namespace"],
    ["GET", "/api/v1/namespaces/default", 200, "a namespace, below its own name"],
    ["POST", `${NS}/pods/p`, 405, "a create with a name"],
    ["PUT", `${NS}/pods`, 405, "an update without a name"],
    ["PATCH", `${NS}/pods`, 405, "a patch without a name"],
    ["HEAD", `${NS}/pods`, 405, "a method that nothing has"],
    ["PUT", "/api/v1/watch/namespaces/default/pods/p", 405, "a watch that is written"],
    ["DELETE", "/api/v1/watch/pods", 405, "a watch that is deleted"],
    ["GET", `${NS}/pods/..`, 400, "a name that is a step in the path"],
    ["GET", `${NS}/pods/.`, 400, "a name that is none"],
    ["GET", `${NS}/bindings`, 405, "a list of what is only an operation"],
    ["GET", `${NS}/widgets`, 404, "a resource that is not there"],
    ["GET", "/apis/apps/v9/deployments", 404, "a version that is not there"],
    ["GET", "/apis/nowhere.example/v1/widgets", 404, "a group that is not there"],
    ["GET", "/nowhere", 404, "nothing of the API"],
  ];
  it.each(rows)("%s %s is %s: %s", async (method, path, code) => {
    expect((await server.call(method, path, method === "GET" || method === "HEAD" ? undefined : {})).status).toBe(code);
  });

  it.each<[path: string, type: "text/plain" | "application/json"]>([
    ["/nowhere", "text/plain"],
    ["/apis/nowhere.example/v1/widgets", "text/plain"],
    ["/apis/apps/v9/deployments", "application/json"],
    [`${NS}/widgets`, "application/json"],
  ])("%s that nothing serves is answered in %s", async (path, type) => {
    expect((await server.call("GET", path)).headers["content-type"]).toContain(type);
  });

  it("in the words of the other dialect is told so", async () => {
    const { status, json } = await server.call("GET", "/apis/networking.platform.io/v1/ingresses");
    expect(status).toBe(404);
    expect(json.message).toContain("networking.platform.io is networking.k8s.io");
    expect(json.message).toContain("--dialect=platform");
  });
});

describe("a sub-resource", () => {
  const rows: [method: string, path: string, code: number, what: string][] = [
    ["GET", `${NS}/pods/p/status`, 200, "a part of the object"],
    ["GET", `${NS}/pods/p/nothing`, 404, "one that the kind has not"],
    ["GET", `${NS}/pods/p/status/more`, 404, "a path below it"],
    ["POST", `${NS}/pods/p/status`, 405, "a verb that it has not"],
    ["DELETE", `${NS}/pods/p/status`, 405, "its deletion"],
    ["HEAD", `${NS}/pods/p/status`, 405, "a method that nothing has"],
    ["GET", `${NS}/pods/p/eviction`, 405, "an operation, read"],
    ["GET", `${NS}/pods/p/scale`, 404, "a scale of what has no replicas"],
    ["GET", `${NS}/pods/none/status`, 404, "one of what is not there"],
  ];
  it.each(rows)("%s %s is %s: %s", async (method, path, code) => {
    expect((await server.call(method, path, method === "GET" || method === "HEAD" ? undefined : {})).status).toBe(code);
  });

  it("that is a part changes that part alone", async () => {
    const path = `${NS}/pods/p`;
    const { json: pod } = await server.call("GET", path);
    const body = { ...pod, spec: { ...pod.spec, nodeName: "n" }, status: { ...pod.status, message: "hello" } };
    const { status, json } = await server.call("PUT", `${path}/status`, body);
    expect([status, json.status.message, json.spec.nodeName]).toEqual([200, "hello", undefined]);
  });
});

describe("an operation in the form of a kind", () => {
  it("is done, and stored nowhere", async () => {
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const { status, json } = await server.call("POST", path, {
      spec: { resourceAttributes: { verb: "get", resource: "pods" } },
    });
    expect([status, json.status.allowed]).toEqual([201, true]);
    expect((await server.call("GET", path)).status).toBe(405);
  });
});

describe("a deprecated resource", () => {
  it.each([
    ["GET", "/api/v1/namespaces/default/endpoints", 1],
    ["GET", "/api/v1/componentstatuses", 1],
    ["GET", "/api/v1/namespaces/default/configmaps", 0],
    ["POST", "/api/v1/componentstatuses", 0],
  ])("warns who uses it: %s %s has %s warnings", async (method, path, count) => {
    const { warnings } = await server.call(method, path, method === "GET" ? undefined : {});
    expect(warnings.filter((text) => text.includes("deprecated"))).toHaveLength(count);
  });
});

it("a watch of what can only be listed says so", async () => {
  const { status, json } = await server.call("GET", "/api/v1/componentstatuses?watch=1");
  expect(status).toBe(405);
  expect(json.message).toBe('watch is not supported on resources of kind "componentstatuses"');
});

it("nobody is anybody: the user of a request is the one that the steps before have found", async () => {
  const { json } = await server.call(
    "POST",
    "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    {},
    asUser({ name: "ann", groups: ["g"] }),
  );
  expect(json.status.userInfo).toMatchObject({ username: "ann", groups: ["g"] });
});

it("a sub-resource is not there while its gate is off", async () => {
  const without = await serverInProcess({
    flags: ["--disable-admission-plugins=ServiceAccount", "--feature-gates=InPlacePodVerticalScaling=false"],
  });
  const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
  await without.call("POST", `${NS}/pods`, pod);
  const statusOf = async (at: ServerInProcess, part: string) =>
    (await at.call("PATCH", `${NS}/pods/p/${part}`, {}, { "content-type": "application/merge-patch+json" })).status;
  expect([await statusOf(server, "resize"), await statusOf(without, "resize")]).toEqual([200, 404]);
  expect(await statusOf(without, "status")).toBe(200);
  const listed = async (at: ServerInProcess) =>
    ((await at.call("GET", "/api/v1")).json as { resources: { name: string }[] }).resources.map(({ name }) => name);
  expect(await listed(server)).toContain("pods/resize");
  expect(await listed(without)).not.toContain("pods/resize");
  expect(JSON.stringify((await without.call("GET", "/openapi/v3/api/v1")).json)).not.toContain("/resize");
  await without.close();
});
