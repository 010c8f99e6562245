// Requirements: document 2, "Authentication", "Errors".

import { describe, expect, it } from "vitest";
import type { Authentication } from "../../authn/authenticator.ts";
import { silentLog } from "../../base/log.ts";
import { inProcessRequest } from "../../http/in-process.ts";
import { namesFor } from "../../meta/names.ts";
import { StatusError } from "../../meta/status-error.ts";
import { type AuthenticatedRequest, targetedRequest } from "../../registry/request.ts";
import { authenticate } from "./authenticate.ts";

async function run(outcome: Authentication, dialect: "platform" | "kubernetes" = "platform") {
  const logged: unknown[] = [];
  const log = { ...silentLog, debug: (fields: object) => void logged.push(fields) };
  const received = inProcessRequest({ method: "GET", url: "/api" });
  const request = targetedRequest(received, { type: "path", verb: "get", path: "/api" }, "1");
  let seen: AuthenticatedRequest | undefined;
  let error: StatusError | undefined;
  const step = authenticate({
    names: namesFor(dialect),
    log,
    authenticator: { authenticate: async () => outcome },
    hideCredentials: (headers) => headers,
  });
  try {
    await step(request, async (next) => {
      seen = next;
      return { status: 200, headers: {} };
    });
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) throw thrown;
    error = thrown;
  }
  return {
    user: seen?.user,
    annotations: [...request.auditAnnotations],
    error: error && [error.code, error.message],
    logged,
  };
}

describe("the step that authenticates", () => {
  it("hands the user on, and what audit is to know", async () => {
    const user = { name: "jane", groups: [] };
    const { user: seen, annotations } = await run({ result: "user", user, auditAnnotations: [["a", "b"]] });
    expect([seen, annotations]).toEqual([user, [["a", "b"]]]);
  });

  it.each([
    ["no credentials", { result: "none" }, "platform", "Unauthorized"],
    ["bad credentials", { result: "refused", error: "why" }, "platform", "Unauthorized"],
    [
      "a refusal with words for the caller",
      { result: "refused", detail: "account locked" },
      "platform",
      "Unauthorized: account locked",
    ],
    [
      "the same where upstream keeps them",
      { result: "refused", detail: "account locked" },
      "kubernetes",
      "Unauthorized",
    ],
  ] as const)("answers %s with 401", async (_, outcome, dialect, message) => {
    expect((await run(outcome, dialect)).error).toEqual([401, message]);
  });

  it("logs the reason of a refusal", async () => {
    expect((await run({ result: "refused", error: "why" })).logged).toEqual([{ why: "why", auditId: "1" }]);
  });
});
