// POST and PUT: what is taken, what a PUT creates and for whom. Requirements: document 1, "Operations by HTTP request",
// "Update mechanisms", "Errors".

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Attributes } from "../../registry/authorizer.ts";
import { type ServerInProcess, serverInProcess } from "../server.testing.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases";

let server: ServerInProcess;
let asked: string[];
let mayCreate: boolean;
let at = 0;
let name: string;
beforeAll(async () => {
  const authorizer = {
    authorize({ verb, resource }: Attributes) {
      asked.push(`${verb} ${resource?.resource}`);
      const allowed = mayCreate || verb !== "create";
      return { verdict: allowed ? ("allow" as const) : ("no-opinion" as const), reason: allowed ? "" : "not you" };
    },
  };
  asked = [];
  mayCreate = true;
  server = await serverInProcess({ authorization: authorizer });
});
afterAll(() => server.close());
beforeEach(() => {
  name = `o${at++}`;
  mayCreate = true;
  asked = [];
});

describe("POST", () => {
  it.each<[what: string, type: string | undefined, body: string, code: number]>([
    ["JSON", "application/json", '{"metadata":{"name":"NAME"}}', 201],
    ["YAML", "application/yaml", "metadata:\n  name: NAME\n", 201],
    ["nothing that says its type", undefined, '{"metadata":{"name":"NAME"}}', 201],
    ["a type that nobody reads", "text/plain", "x", 415],
    ["no body", "application/json", "", 400],
    ["no object", "application/json", "[]", 400],
    ["no JSON", "application/json", "{", 400],
  ])("of %s", async (_, type, body, code) => {
    const headers = { "content-type": type ?? "" };
    const { status } = await server.call("POST", CONFIG_MAPS, body.replace("NAME", name), headers);
    expect(status).toBe(code);
  });

  it("answers in the form that was asked for", async () => {
    const body = { metadata: { name } };
    const accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    const { status, json } = await server.call("POST", CONFIG_MAPS, body, { accept });
    expect([status, json.kind, json.metadata.name]).toEqual([201, "PartialObjectMetadata", name]);
  });

  it("is refused before anything is read when no form of the answer fits", async () => {
    const { status } = await server.call("POST", CONFIG_MAPS, { metadata: { name } }, { accept: "text/csv" });
    expect(status).toBe(406);
    expect((await server.call("GET", `${CONFIG_MAPS}/${name}`)).status).toBe(404);
  });
});

describe("PUT", () => {
  it("replaces what is there", async () => {
    await server.call("POST", CONFIG_MAPS, { metadata: { name }, data: { a: "1" } });
    const { status, json } = await server.call("PUT", `${CONFIG_MAPS}/${name}`, {
      metadata: { name },
      data: { b: "2" },
    });
    expect([status, json.data]).toEqual([200, { b: "2" }]);
    expect(asked).not.toContain("create configmaps/");
  });

  it.each([
    ["another name", { metadata: { name: "other" } }, /does not match the name on the URL/],
    ["no name", { metadata: {} }, /name must be provided/],
  ])("with %s is 400", async (_, body, message) => {
    const { status, json } = await server.call("PUT", `${CONFIG_MAPS}/${name}`, body);
    expect([status, json.message]).toEqual([400, expect.stringMatching(message)]);
  });

  it("of another object, by uid, is a conflict", async () => {
    await server.call("POST", CONFIG_MAPS, { metadata: { name } });
    const { status, json } = await server.call("PUT", `${CONFIG_MAPS}/${name}`, { metadata: { name, uid: "other" } });
    expect([status, json.message]).toEqual([409, expect.stringContaining("UID in precondition: other")]);
  });

  it.each<[path: string, body: object, code: number]>([
    [CONFIG_MAPS, {}, 404],
    [LEASES, { spec: {} }, 201],
  ])("of what is not there creates it where the kind says so: %s", async (path, body, code) => {
    const { status } = await server.call("PUT", `${path}/${name}`, { metadata: { name }, ...body });
    expect(status).toBe(code);
  });

  it.each([
    ["PUT", "application/json"],
    ["PATCH", "application/apply-patch+yaml"],
  ])("and apply need the verb create for that: %s", async (method, type) => {
    const body = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name }, spec: {} };
    const write = () => server.call(method, `${LEASES}/${name}?fieldManager=m`, body, { "content-type": type });
    mayCreate = false;
    const refused = await write();
    expect([refused.status, refused.json.reason]).toEqual([403, "Forbidden"]);
    expect(refused.json.message).toMatch(/cannot create resource "leases".*: not you$/);
    mayCreate = true;
    asked = [];
    expect((await write()).status).toBe(201);
    expect(asked.filter((one) => one === "create leases")).toHaveLength(1);
    // It is there: nobody asks for more than the verb of the request.
    asked = [];
    mayCreate = false;
    // (A lease is not replaced by who does not say which version is meant.)
    expect((await write()).status).toBe(method === "PUT" ? 422 : 200);
    expect(asked).not.toContain("create leases");
  });
});
