// Failures as callers see them. Requirements: document 1, "Errors".

import { describe, expect, it } from "vitest";
import { type ApiError, isApiError, readApiError } from "./api-error.ts";
import type { ApiRequest, ApiResponse } from "./transport.ts";

const answer = (status: number, body: unknown, attempts?: number): ApiResponse => ({
  status,
  headers: new Map(),
  warnings: [],
  ...(attempts === undefined ? {} : { attempts }),
  bytes: async () => Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  stream: () => {
    throw new Error("not read in pieces");
  },
});

const status = (code: number, reason: string, message: string, details?: object) => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message,
  reason,
  ...(details === undefined ? {} : { details }),
  code,
});

const read = (method: ApiRequest["method"], path: string, response: ApiResponse): Promise<ApiError> =>
  readApiError({ method, path }, response);

describe("the message of a failure", () => {
  it.each<[ApiRequest["method"], string, string]>([
    ["GET", "/api/v1/namespaces/shop/pods/web", 'get pods "web" in namespace "shop"'],
    ["GET", "/api/v1/pods?limit=500", "list pods"],
    ["GET", "/api/v1/pods?limit=500&watch=true", "watch pods"],
    ["POST", "/api/v1/namespaces/shop/pods", 'create pods in namespace "shop"'],
    ["POST", "/api/v1/namespaces", "create namespaces"],
    ["PUT", "/api/v1/namespaces/shop/finalize", 'update namespaces/finalize "shop"'],
    ["DELETE", "/api/v1/namespaces/shop", 'delete namespaces "shop"'],
    ["DELETE", "/api/v1/namespaces/shop/pods", 'delete all pods in namespace "shop"'],
    ["PATCH", "/apis/apps/v1/namespaces/a/deployments/b/scale", 'patch deployments/scale "b" in namespace "a"'],
    ["PATCH", "/apis/x.example/v1/things/a%3Ab?force=true", 'patch things "a:b"'],
    ["PATCH", "/apis/x.example/v1/things/%zz", 'patch things "%zz"'],
    ["GET", "/version", "GET /version"],
    ["GET", "/apis/apps/v1", "GET /apis/apps/v1"],
  ])("says verb, resource and name: %s %s", async (method, path, words) => {
    const error = await read(method, path, answer(403, status(403, "Forbidden", "the server's words")));
    expect(error.message).toBe(`${words}: the server's words`);
  });

  it("says how often it was tried", async () => {
    const error = await read("GET", "/version", answer(429, status(429, "TooManyRequests", "busy"), 3));
    expect(error.message).toBe("GET /version: busy (after 3 attempts)");
    expect(error.attempts).toBe(3);
  });
});

describe("a failure", () => {
  it("carries the server's Status", async () => {
    const causes = [{ reason: "FieldValueInvalid", message: "bad", field: "spec.x" }];
    const body = status(422, "Invalid", "no", { name: "web", causes });
    const error = await read("POST", "/api/v1/namespaces/a/pods", answer(422, body));
    expect(error).toMatchObject({ code: 422, reason: "Invalid", causes, status: body });
    expect(error.request).toEqual({ method: "POST", path: "/api/v1/namespaces/a/pods" });
    expect(isApiError(error)).toBe(true);
    expect(isApiError(error, "Conflict", "Invalid")).toBe(true);
    expect(isApiError(error, "Conflict")).toBe(false);
  });

  it.each<[string, number, unknown, string, string]>([
    [
      "text of a proxy",
      502,
      "Bad Gateway\n",
      'an error on the server ("Bad Gateway") has prevented the request from succeeding',
      "",
    ],
    ["nothing", 503, "", "the server is currently unable to handle the request", "ServiceUnavailable"],
    ["another object", 404, { kind: "Pod" }, "the server could not find the requested resource", "NotFound"],
    ["a Status with odd parts", 409, { ...status(409, "x", "y"), reason: 7, details: { causes: 3 } }, "y", "Conflict"],
    ["a Status without a reason", 404, status(404, "", "it is gone"), "it is gone", "NotFound"],
    ["a Status with a reason of its own", 404, status(404, "Lost", "it is gone"), "it is gone", "Lost"],
  ])("is made from %s", async (_what, code, body, message, reason) => {
    const error = await read("GET", "/version", answer(code, body));
    expect([error.code, error.status.message, error.reason]).toEqual([code, message, reason]);
    expect(Array.isArray(error.causes)).toBe(true);
  });

  it("takes its code from the answer, whatever the body says", async () => {
    expect((await read("GET", "/version", answer(403, status(200, "", "m")))).code).toBe(403);
  });

  it("shows only the beginning of a long text", async () => {
    const error = await read("GET", "/version", answer(500, "x".repeat(1_000_000)));
    expect(error.message.length).toBeLessThan(3_000);
  });
});
