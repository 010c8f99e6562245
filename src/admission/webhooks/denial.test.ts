import { describe, expect, it } from "vitest";
import { webhookDenial } from "./denial.ts";

const PROLOGUE = 'admission webhook "w" denied the request';

describe("a webhook's refusal", () => {
  it("is told in its own words", () => {
    const details = { name: "a", group: "g", kind: "k", uid: "u", retryAfterSeconds: 3, causes: [{ message: "m" }] };
    const body = webhookDenial("w", { code: 429, reason: "Busy", message: "not now", details }).toBody();
    expect(body).toMatchObject({ code: 429, reason: "Busy", message: `${PROLOGUE}: not now`, details });
  });

  it.each([
    ["a reason", { reason: "Busy" }, `${PROLOGUE}: Busy`],
    ["nothing", {}, `${PROLOGUE} without explanation`],
    ["words that are no text", { message: 5, reason: {} }, `${PROLOGUE} without explanation`],
  ])("is a failure, with %s", (_what, status, message) => {
    expect(webhookDenial("w", { code: 200, ...status }).toBody()).toMatchObject({ code: 400, message });
  });

  it("says nothing in details that is no detail", () => {
    const details = { name: {}, uid: [], kind: 7, group: null, causes: [5, null, { field: {}, message: "m" }] };
    expect(webhookDenial("w", { details }).details).toEqual({ causes: [{ message: "m" }] });
    expect(webhookDenial("w", { details: [] }).details).toBeUndefined();
  });

  it.each(["1\r\nSet-Cookie: a=b", -1, 0, 1.5, 1e99, null])("sends no header of the time %j", (retryAfterSeconds) => {
    expect(webhookDenial("w", { details: { retryAfterSeconds } }).details).toEqual({});
  });

  it("has a length", () => {
    const long = "x".repeat(1_000_000);
    const causes = Array.from({ length: 10_000 }, () => ({ message: long, field: long }));
    const denial = webhookDenial("w", { message: long, reason: long, details: { name: long, causes } });
    expect(JSON.stringify(denial.toBody()).length).toBeLessThan(200_000);
  });
});
