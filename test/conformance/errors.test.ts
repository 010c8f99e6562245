// Document 1, "Errors": every status with its exact Status body.

import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, it } from "vitest";
import { serverInProcess } from "../../src/apiserver/server.testing.ts";
import { namesFor } from "../../src/meta/names.ts";
import type { Attributes } from "../../src/registry/authorizer.ts";
import { type Answer, Api, api, type Body, configMap, inBothDialects } from "./conformance.testing.ts";

/** A Status as upstream writes it. */
const failure = (code: number, reason: string, message: string, details?: object) => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message,
  reason,
  ...(details === undefined ? {} : { details }),
  code,
});

const MODIFIED = "the object has been modified; please apply your changes to the latest version and try again";

interface Case {
  readonly what: string;
  readonly ask: (server: Api, at: string) => Promise<Answer>;
  readonly body: (space: string, server: Api) => Body;
}

const CASES: readonly Case[] = [
  {
    what: "400: a body that is no object of the kind",
    ask: (server, at) => server.post(at, { ...configMap("y"), data: { k: 1 } }),
    body: () =>
      failure(
        400,
        "BadRequest",
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
      ),
  },
  {
    what: "400: Strict field validation",
    ask: (server, at) => server.post(`${at}?fieldValidation=Strict`, { ...configMap("y"), bogus: 1 }),
    body: () =>
      failure(
        400,
        "BadRequest",
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "bogus"',
      ),
  },
  {
    what: "400: a body of another kind",
    ask: (server, at) => server.post(at, { ...configMap("y"), kind: "Pod" }),
    body: () =>
      failure(
        400,
        "BadRequest",
        'Pod in version "v1" cannot be handled as a ConfigMap: converting (v1.Pod) to (core.ConfigMap): unknown conversion',
      ),
  },
  {
    what: "400: a body of a version that there is not",
    ask: (server, at) => server.post(at, { ...configMap("y"), apiVersion: "g.example.com/v9" }),
    body: (_, { names }) =>
      failure(
        400,
        "BadRequest",
        `ConfigMap in version "v9" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "g.example.com/v9"${
          names.typeListOf(undefined) === undefined ? "" : ' in scheme "pkg/api/legacyscheme/scheme.go:30"'
        }`,
      ),
  },
  {
    what: "400: a continue token with a resourceVersion",
    ask: async (server, at) => {
      const { json } = await server.get(`${at}?limit=1`);
      return server.get(`${at}?limit=1&continue=${json.metadata.continue}&resourceVersion=5`);
    },
    body: () => failure(400, "BadRequest", "specifying resource version is not allowed when using continue"),
  },
  {
    what: "400: names in path and body that disagree",
    ask: (server, at) => server.put(`${at}/x`, configMap("other")),
    body: () => failure(400, "BadRequest", "the name of the object (other) does not match the name on the URL (x)"),
  },
  {
    what: "400: namespaces in path and body that disagree",
    ask: (server, at) => server.post(at, configMap("y", {}, { namespace: "default" })),
    body: () =>
      failure(
        400,
        "BadRequest",
        "the namespace of the provided object does not match the namespace sent on the request",
      ),
  },
  {
    what: "404: an object",
    ask: (server, at) => server.get(`${at}/absent`),
    body: () => failure(404, "NotFound", 'configmaps "absent" not found', { name: "absent", kind: "configmaps" }),
  },
  {
    what: "404: an object with a name that must be quoted",
    ask: (server, at) => server.get(`${at}/a%00`),
    body: () => failure(404, "NotFound", 'configmaps "a\\x00" not found', { name: "a\0", kind: "configmaps" }),
  },
  {
    what: "404: an object of a named group",
    ask: (server) => server.get("/apis/apps/v1/namespaces/default/deployments/absent"),
    body: () =>
      failure(404, "NotFound", 'deployments.apps "absent" not found', {
        name: "absent",
        group: "apps",
        kind: "deployments",
      }),
  },
  {
    what: "404: a resource",
    ask: (server) => server.get("/api/v1/namespaces/default/bogus"),
    body: () => failure(404, "NotFound", "the server could not find the requested resource", {}),
  },
  {
    what: "404: the namespace of a new object",
    ask: (server) => server.post("/api/v1/namespaces/absent/configmaps", configMap("y")),
    body: () => failure(404, "NotFound", 'namespaces "absent" not found', { name: "absent", kind: "namespaces" }),
  },
  {
    what: "405",
    ask: (server, at) => server.put(at, configMap("y")),
    body: () => failure(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {}),
  },
  {
    what: "406",
    ask: (server, at) => server.get(at, { accept: "image/png" }),
    body: (_space, { names }) =>
      failure(
        406,
        "NotAcceptable",
        `406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, ${names.protobufMediaType}, application/json;stream=watch, ${names.protobufMediaType};stream=watch`,
        {},
      ),
  },
  {
    what: "409: a name that is taken",
    ask: (server, at) => server.post(at, configMap("x")),
    body: () => failure(409, "AlreadyExists", 'configmaps "x" already exists', { name: "x", kind: "configmaps" }),
  },
  {
    what: "409: a stale version",
    ask: (server, at) => server.put(`${at}/x`, configMap("x", {}, { resourceVersion: "1" })),
    body: () =>
      failure(409, "Conflict", `Operation cannot be fulfilled on configmaps "x": ${MODIFIED}`, {
        name: "x",
        kind: "configmaps",
      }),
  },
  {
    what: "415",
    ask: (server, at) => server.post(at, "x", { "content-type": "text/plain" }),
    body: (_space, { names }) =>
      failure(
        415,
        "UnsupportedMediaType",
        `the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, ${names.protobufMediaType}`,
      ),
  },
  {
    what: "415: a patch",
    ask: (server, at) => server.call("PATCH", `${at}/x`, {}),
    body: () => failure(415, "UnsupportedMediaType", "415: Unsupported Media Type", {}),
  },
  {
    what: "422: a wrong name",
    ask: (server, at) => server.post(at, configMap("Wrong_Name")),
    body: () => {
      const why =
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
      return failure(
        422,
        "Invalid",
        `ConfigMap "Wrong_Name" is invalid: metadata.name: Invalid value: "Wrong_Name": ${why}`,
        {
          name: "Wrong_Name",
          kind: "ConfigMap",
          causes: [
            { reason: "FieldValueInvalid", message: `Invalid value: "Wrong_Name": ${why}`, field: "metadata.name" },
          ],
        },
      );
    },
  },
  {
    what: "413",
    ask: (server, at) => server.post(at, configMap("y", { k: "x".repeat(3 * 1024 * 1024) })),
    body: () => failure(413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728", undefined),
  },
];

inBothDialects("Errors", (dialect) => {
  it.each(CASES)("$what", async ({ ask, body }) => {
    const server = await api(dialect);
    const at = await server.configMaps();
    await server.created(at, configMap("w"));
    await server.created(at, configMap("x"));
    const answer = await ask(server, at);
    const expected = body(at.split("/")[4]!, server);
    assert.deepEqual(answer.json, expected);
    assert.equal(answer.status, expected.code);
    assert.equal(answer.headers["content-type"], "application/json");
  });
});

describe("Errors: who may not", () => {
  let server: Api;
  beforeAll(async () => {
    const authorizer = {
      authorize: ({ resource }: Attributes) =>
        ({ verdict: resource?.resource === "secrets" ? "no-opinion" : "allow", reason: "" }) as const,
    };
    const authenticator = {
      authenticate: ({ headers }: { headers: { first(name: string): string | undefined } }) =>
        headers.first("authorization") === undefined
          ? ({ result: "user", user: { name: "admin", groups: [] } } as const)
          : ({ result: "refused" } as const),
    };
    server = new Api(await serverInProcess({ deps: { authorizer, authenticator } }), namesFor("kubernetes"));
  });
  afterAll(() => server.server.close());

  it("401", async () => {
    const answer = await server.get("/api/v1/namespaces", { authorization: "Bearer bad" });
    assert.deepEqual(answer.json, failure(401, "Unauthorized", "Unauthorized"));
    assert.equal(answer.status, 401);
  });

  it("403", async () => {
    const answer = await server.get("/api/v1/namespaces/default/secrets/s");
    assert.deepEqual(
      answer.json,
      failure(
        403,
        "Forbidden",
        'secrets "s" is forbidden: User "admin" cannot get resource "secrets" in API group "" in the namespace "default"',
        { name: "s", kind: "secrets" },
      ),
    );
  });
});

describe("Errors: a fault of the server", () => {
  it("500 says nothing of its cause", async () => {
    const authorizer = {
      authorize: ({ resource }: Attributes) => {
        if (resource?.resource === "secrets") throw new Error("a secret detail");
        return { verdict: "allow", reason: "" } as const;
      },
    };
    const server = new Api(await serverInProcess({ deps: { authorizer } }), namesFor("kubernetes"));
    const answer = await server.get("/api/v1/namespaces/default/secrets/s");
    assert.equal(answer.status, 500);
    assert.equal(answer.json.reason, "InternalError");
    assert.doesNotMatch(answer.text, /secret detail/);
    await server.server.close();
  });
});
