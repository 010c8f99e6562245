// Requirements: document 3, the status tables of Service and Ingress.

import { describe, expect, it } from "vitest";
import { namesFor } from "../../meta/names.ts";
import type { HookContext } from "../define-kind.ts";
import { validatePortStatuses } from "./port-status-validation.ts";

const context = (dialect: "platform" | "kubernetes") =>
  ({ names: namesFor(dialect), gateEnabled: () => true, nowMs: 0 }) as unknown as HookContext;
const FINE = { port: 443, protocol: "TCP" };

describe("a port in the status of a load balancer", () => {
  const cases: [what: string, port: Parameters<typeof validatePortStatuses>[0][number], fields: string[]][] = [
    ["is fine", FINE, []],
    ["may have an error", { ...FINE, error: "MixedProtocolNotSupported" }, []],
    ["may have an error of a domain", { ...FINE, error: "example.com/QuotaExceeded" }, []],
    ["has a number", { protocol: "TCP" }, ["p[0].port"]],
    ["has a number from 1 on", { ...FINE, port: 0 }, ["p[0].port"]],
    ["has a number up to 65535", { ...FINE, port: 65_536 }, ["p[0].port"]],
    ["has a protocol", { port: 1 }, ["p[0].protocol"]],
    ["has a protocol of the list", { ...FINE, protocol: "tcp" }, ["p[0].protocol"]],
    ["has an error in CamelCase", { ...FINE, error: "not camel!" }, ["p[0].error"]],
    ["has an error after the domain", { ...FINE, error: "example.com/" }, ["p[0].error"]],
  ];
  it.each(cases)("%s", (_what, port, fields) => {
    expect(validatePortStatuses([port], "p", context("platform")).map(({ field }) => field)).toEqual(fields);
    expect(validatePortStatuses([port], "p", context("kubernetes"))).toEqual([]);
  });
});
