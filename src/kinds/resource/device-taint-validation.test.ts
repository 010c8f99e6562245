// Rules that taint devices.

import { describe, expect, it } from "vitest";
import { createErrors, updateErrors } from "../validation.testing.ts";
import { deviceTaintRule } from "./device-taint-rule.ts";

const body = (spec: object) => ({
  metadata: { name: "a" },
  spec: { taint: { key: "example.com/k", effect: "NoSchedule" as const }, ...spec },
});
const selecting = (deviceSelector: object) => body({ deviceSelector });

describe("a rule that taints devices", () => {
  it.each([
    [body({}), []],
    [selecting({ deviceClassName: "c", driver: "d.test", pool: "p/q", device: "x" }), []],
    [selecting({ selectors: [{ cel: { expression: "true" } }] }), []],
    [
      body({ taint: { key: "", effect: "" } }),
      [
        expect.stringContaining("spec.taint.key: Invalid value"),
        expect.any(String),
        "spec.taint.effect: Required value",
      ],
    ],
    [
      body({ taint: { key: "k", effect: "Never" } }),
      ['spec.taint.effect: Unsupported value: "Never": supported values: "NoExecute", "NoSchedule"'],
    ],
    [
      body({ taint: { key: "k", value: "a b", effect: "NoExecute" } }),
      [expect.stringContaining('spec.taint.value: Invalid value: "a b": a valid label must be')],
    ],
    [
      selecting({ deviceClassName: "" }),
      [
        expect.stringContaining(
          'spec.deviceSelector.deviceClassName: Invalid value: "": a lowercase RFC 1123 subdomain',
        ),
      ],
    ],
    [
      selecting({ driver: "D_" }),
      [expect.stringContaining('spec.deviceSelector.driver: Invalid value: "D_": a lowercase RFC 1123 subdomain')],
    ],
    [selecting({ pool: "" }), ["spec.deviceSelector.pool: Required value"]],
    [selecting({ device: "a.b" }), ['spec.deviceSelector.device: Invalid value: "a.b": must not contain dots']],
    [selecting({ selectors: [{}] }), ["spec.deviceSelector.selectors[0].cel: Required value"]],
    [
      selecting({ selectors: [{ cel: { expression: "1" } }] }),
      [
        expect.stringContaining(
          'spec.deviceSelector.selectors[0].cel.expression: Invalid value: "1": must evaluate to bool',
        ),
      ],
    ],
  ])("%j", (rule, errors) => {
    expect(createErrors(deviceTaintRule, rule)).toEqual(errors);
  });

  it("is judged again when it changes", () => {
    expect(updateErrors(deviceTaintRule, body({ taint: { key: "k", effect: "" } }), body({}))).toEqual([
      "spec.taint.effect: Required value",
    ]);
  });
});
