// The options of writes and deletes: from the query or the body. Requirements: document 1, "Query parameters", "DeleteOptions".

import { describe, expect, it } from "vitest";
import { inProcessRequest } from "../../http/in-process.ts";
import { namesFor } from "../../meta/names.ts";
import { StatusError } from "../../meta/status-error.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import { readDeleteOptions, UNSAFE } from "./delete-options.ts";
import type { HandlerContext } from "./handler-context.ts";
import { readWriteOptions } from "./write-options.ts";

const context = (unsafe = false) =>
  ({
    names: namesFor("kubernetes"),
    maxBodyBytes: 1_000_000,
    gateEnabled: (gate: string) => unsafe && gate === "AllowUnsafeMalformedObjectDeletion",
  }) as unknown as HandlerContext;

async function refusal(read: () => unknown): Promise<[number, string]> {
  try {
    await read();
  } catch (error) {
    if (error instanceof StatusError) return [error.code, error.message];
    throw error;
  }
  throw new Error("accepted");
}

describe("the options of a write", () => {
  const read = (query: string) => readWriteOptions(context(), new URLSearchParams(query), "CreateOptions");

  it.each([
    ["", { dryRun: false, fieldManager: "", fieldValidation: "Warn", force: undefined }],
    ["dryRun=All", { dryRun: true }],
    ["dryRun=", { dryRun: false }],
    ["dryRun=All&dryRun=All", { dryRun: true }],
    ["fieldManager=me", { fieldManager: "me" }],
    ["fieldValidation=Strict", { fieldValidation: "Strict" }],
    ["fieldValidation=Ignore", { fieldValidation: "Ignore" }],
    ["force=true", { force: true }],
    ["force=0", { force: false }],
  ])("are read from %s", (query, expected) => {
    expect(read(query)).toMatchObject(expected);
  });

  it.each([
    ["dryRun=Some", 'dryRun: Unsupported value: ["Some"]: supported values: "All"'],
    ["dryRun=All&dryRun=Some", "dryRun: Unsupported value"],
    ["fieldValidation=strict", 'fieldValidation: Unsupported value: "strict"'],
    [`fieldManager=${"x".repeat(129)}`, "fieldManager"],
    ["fieldManager=a%0Ab", "fieldManager"],
  ])("are refused with %.40s", async (query, words) => {
    const [code, message] = await refusal(() => read(query));
    expect(code).toBe(422);
    expect(message).toContain("CreateOptions");
    expect(message).toContain(words);
  });
});

describe("the options of a delete", () => {
  const read = (query: string, body?: unknown, unsafe = false, name = "x") => {
    const received = inProcessRequest({
      method: "DELETE",
      url: `/api/v1/namespaces/a/pods/${name}?${query}`,
      headers: { "content-type": "application/json" },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const resource = { kind: {}, custom: false };
    return readDeleteOptions(context(unsafe), {
      request: Object.assign(received, { goOn: () => undefined }),
      target: { name },
      resource,
    } as unknown as ResourceRequest);
  };

  it.each<[string, string, unknown, object]>([
    ["nothing", "", undefined, { dryRun: false, ignoreReadErrors: false }],
    ["null", "", "null", { dryRun: false }],
    [
      "the query",
      "gracePeriodSeconds=5&propagationPolicy=Orphan",
      undefined,
      { gracePeriodSeconds: 5, propagationPolicy: "Orphan" },
    ],
    ["the body", "", { gracePeriodSeconds: 0, dryRun: ["All"] }, { gracePeriodSeconds: 0, dryRun: true }],
    ["the body where both are given", "gracePeriodSeconds=5", { orphanDependents: true }, { orphanDependents: true }],
    ["preconditions", "", { preconditions: { uid: "u" } }, { preconditions: { uid: "u" } }],
    [
      "preconditions in the query",
      "uid=u&resourceVersion=5",
      undefined,
      { preconditions: { uid: "u", resourceVersion: "5" } },
    ],
    ["a body that says its kind", "", { kind: "DeleteOptions", apiVersion: "v1" }, { dryRun: false }],
  ])("are read from %s", async (_, query, body, expected) => {
    expect(await read(query, body)).toMatchObject(expected);
  });

  it("shows webhooks what was sent, with its kind", async () => {
    expect((await read("", { gracePeriodSeconds: 3 })).sent).toEqual({
      kind: "DeleteOptions",
      apiVersion: "meta.k8s.io/v1",
      gracePeriodSeconds: 3,
    });
  });

  it("takes the version in the query of a collection for the list's, not the objects'", async () => {
    expect(await read("resourceVersion=5", undefined, false, "")).not.toHaveProperty("preconditions");
  });

  it.each<[string, string, unknown, number, string]>([
    ["another kind", "", { kind: "Pod" }, 400, "must be of type DeleteOptions"],
    ["no object", "", "[1]", 400, "must be DeleteOptions"],
    ["no JSON", "", "{", 400, "json parse error"],
    ["a member of another type", "", { gracePeriodSeconds: "soon" }, 400, "json parse error"],
    ["a policy of nobody's", "propagationPolicy=Sometimes", undefined, 422, "Unsupported value"],
    [
      "both ways to say what becomes of dependents",
      "propagationPolicy=Orphan&orphanDependents=true",
      undefined,
      422,
      "cannot be both set",
    ],
    ["half a dry run", "dryRun=Half", undefined, 422, "dryRun: Unsupported value"],
  ])("are refused with %s", async (_, query, body, code, words) => {
    const [status, message] = await refusal(() => read(query, body));
    expect(status).toBe(code);
    expect(message).toContain(words);
  });

  it.each<[string, string, unknown]>([
    ["the query", `${UNSAFE}=true&gracePeriodSeconds=0`, undefined],
    ["the body", "", { [UNSAFE]: true, gracePeriodSeconds: 0 }],
  ])("leave out of %s the wish to delete what cannot be read where no gate allows it", async (_, query, body) => {
    const { ignoreReadErrors, gracePeriodSeconds, sent } = await read(query, body);
    expect({ ignoreReadErrors, gracePeriodSeconds }).toEqual({ ignoreReadErrors: false, gracePeriodSeconds: 0 });
    expect(sent).not.toHaveProperty(UNSAFE);
  });

  it("may ask to delete what cannot be read, alone and where it is allowed", async () => {
    expect((await read(`${UNSAFE}=true`, undefined, true)).ignoreReadErrors).toBe(true);
    const [, message] = await refusal(() => read(`${UNSAFE}=true&gracePeriodSeconds=0`, undefined, true));
    expect(message).toContain("cannot be set together with .gracePeriodSeconds");
  });
});
