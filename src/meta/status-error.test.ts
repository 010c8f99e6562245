import { describe, expect, it } from "vitest";
import { type FieldError, invalid } from "./field-error.ts";
import { badRequest, invalidObject, notFoundObject } from "./status-error.ts";

const MAX_ANSWER_BYTES = 64 * 1024;
const long = "x".repeat(3_000_000);

const sizeOf = (errors: readonly FieldError[]): number =>
  Buffer.byteLength(JSON.stringify(invalidObject("", "Pod", "a", errors).toBody()));

describe("an answer about many mistakes", () => {
  const many = (make: (index: number) => FieldError) => Array.from({ length: 100_000 }, (_, index) => make(index));
  const rows: [string, FieldError[]][] = [
    ["short ones", many((index) => invalid(`a[${index}]`, index, "b"))],
    ["equal ones", many(() => invalid("a", "b", "c"))],
    ["long values", many(() => invalid("a", long, "b"))],
    ["control characters", many((index) => invalid(`a[${index}]`, "\u0001".repeat(1000), "b"))],
    ["long lists", ((list) => many(() => invalid("a", list, "b")))(new Array(100_000).fill("x"))],
    ["long details and fields", many(() => invalid(long, "", long))],
  ];
  it.each(rows)("stays small with %s", (_name, errors) => {
    expect(sizeOf(errors)).toBeLessThan(MAX_ANSWER_BYTES);
  });

  it("tells how many it leaves out", () => {
    const errors = many((index) => invalid(`a[${index}]`, index, "b"));
    const { message, details } = invalidObject("", "Pod", "a", errors);
    const told = details!.causes!.length;
    expect(told).toBeGreaterThan(100);
    expect(message).toMatch(new RegExp(`, and at least ${100_000 - told} more]$`));
  });

  it("tells each text once and each finding", () => {
    const error = invalid("a", 1, "b");
    const { message, details } = invalidObject("apps", "Deployment", "d", [error, error]);
    expect(message).toBe('Deployment.apps "d" is invalid: a: Invalid value: 1: b');
    expect(details!.causes).toHaveLength(2);
  });
});

describe("every other answer", () => {
  it("cuts what it repeats", () => {
    expect(badRequest(long).message.length).toBeLessThan(MAX_ANSWER_BYTES);
    const missing = notFoundObject({ group: "", resource: "pods" }, long);
    expect(JSON.stringify(missing.toBody()).length).toBeLessThan(1024);
  });
});
