// Requirements: document 3, the status tables of Service and Ingress.

import { describe, expect, it } from "vitest";
import type { FieldError } from "../../meta/field-error.ts";
import { type ObjectOf, s } from "../../schema/builder.ts";
import { checkFields } from "../../schema/check-fields.ts";
import { portStatusMembers } from "./port-status.ts";

const portStatus = s.struct("test.v1.PortStatus", () => portStatusMembers({ port: "", protocol: "", error: "" }));
const FINE = { port: 443, protocol: "TCP" };

describe("a port in the status of a load balancer", () => {
  it.each([
    ["is fine", FINE, []],
    ["may have an error", { ...FINE, error: "MixedProtocolNotSupported" }, []],
    ["may have an error of a domain", { ...FINE, error: "example.com/QuotaExceeded" }, []],
    ["has a number", { protocol: "TCP" }, ["p.port"]],
    ["has a number from 1 on", { ...FINE, port: 0 }, ["p.port"]],
    ["has a number up to 65535", { ...FINE, port: 65_536 }, ["p.port"]],
    ["has a protocol", { port: 1 }, ["p.protocol"]],
    ["has a protocol of the list", { ...FINE, protocol: "tcp" }, ["p.protocol"]],
    ["has an error in CamelCase", { ...FINE, error: "not camel!" }, ["p.error"]],
    ["has an error that says something", { ...FINE, error: "" }, ["p.error"]],
    ["has an error after the domain", { ...FINE, error: "example.com/" }, ["p.error"]],
  ])("%s", (_what, port, fields) => {
    const errors: FieldError[] = [];
    checkFields(port as ObjectOf<typeof portStatus>, portStatus, "p", errors);
    expect(errors.map(({ field }) => field)).toEqual(fields);
  });
});
