import { describe, expect, it } from "vitest";
import type { Json } from "../base/json.ts";
import { counted } from "../base/steps.testing.ts";
import { inProcessRequest } from "../http/in-process.ts";
import { namesFor } from "../meta/names.ts";
import { authenticatedRequest, targetedRequest } from "../registry/request.ts";
import { auditEvent, withoutManagedFields } from "./audit-event.ts";

const names = namesFor("kubernetes");
const MANY = 5_000;

describe("an audit event", () => {
  const eventWith = (
    annotations: readonly string[],
    level: "Metadata" | "Request",
    headers: Record<string, string> = {},
  ) => {
    const received = inProcessRequest({ method: "GET", url: "/version", headers });
    const target = { type: "path", verb: "get", path: "/version" } as const;
    const sender = { name: "ann", groups: [] };
    const request = authenticatedRequest(targetedRequest(received, target, "id"), sender);
    for (const key of annotations) request.auditAnnotations.set(key, "v");
    return counted(auditEvent(names, request, { level, stage: "RequestReceived", nowMs: 0, sender }));
  };
  const patch = `${names.patchWebhookAuditPrefix}round_0_index_0`;

  it("shows the patches of webhooks where it shows bodies", () => {
    expect(eventWith(["a", patch], "Metadata").result["annotations"]).toEqual({ a: "v" });
    expect(eventWith(["a", patch], "Request").result["annotations"]).toEqual({ a: "v", [patch]: "v" });
    expect(eventWith([patch], "Metadata").result).not.toHaveProperty("annotations");
  });

  it.each<[Record<string, string>, string[]]>([
    [{}, ["127.0.0.1"]],
    [{ "x-forwarded-for": "10.0.0.1, 10.0.0.2" }, ["10.0.0.1", "10.0.0.2", "127.0.0.1"]],
    [{ "x-forwarded-for": "10.0.0.1, 127.0.0.1" }, ["10.0.0.1", "127.0.0.1"]],
    [{ "x-forwarded-for": "somebody, fd00::1, 999.1.1.1" }, ["fd00::1", "127.0.0.1"]],
    [{ "x-real-ip": "10.0.0.3" }, ["10.0.0.3", "127.0.0.1"]],
    [{ "x-real-ip": "10.0.0.1", "x-forwarded-for": "10.0.0.1" }, ["10.0.0.1", "127.0.0.1"]],
    [{ "x-real-ip": "nobody" }, ["127.0.0.1"]],
  ])("with %j names the addresses %j", (headers, addresses) => {
    expect(eventWith([], "Metadata", headers).result["sourceIPs"]).toEqual(addresses);
  });

  it("takes many annotations in steps", () => {
    const keys = Array.from({ length: MANY }, (_, index) => `k${index}`);
    const { result, steps } = eventWith(keys, "Metadata");
    expect(Object.keys(result["annotations"] as object)).toEqual(keys);
    expect(steps).toBeGreaterThan(3);
  });
});

describe("an object without its owners", () => {
  const managed = (name: string) => ({ metadata: { name, managedFields: [{ manager: "m" }] } });
  const bare = (name: string) => ({ metadata: { name } });

  it("is all that it was beside them, alone and in a list", () => {
    expect(counted(withoutManagedFields({ kind: "X", ...managed("a") })).result).toEqual({ kind: "X", ...bare("a") });
    const list = { kind: "XList", metadata: {}, items: [managed("a"), "odd", managed("b")] };
    expect(counted(withoutManagedFields(list as Json)).result).toEqual({
      ...list,
      items: [bare("a"), "odd", bare("b")],
    });
    expect(counted(withoutManagedFields(["no object"])).result).toEqual(["no object"]);
  });

  it("is made in steps where it is wide, and where there are many", () => {
    const wide = Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`k${index}`, index]));
    const many = { items: Array.from({ length: MANY }, (_, index) => managed(`n${index}`)) };
    for (const value of [wide, many]) expect(counted(withoutManagedFields(value)).steps).toBeGreaterThan(3);
  });
});
