// What services of other API servers must say.

import { describe, expect, it } from "vitest";
import { createErrors, updateErrors } from "../validation.testing.ts";
import { apiService } from "./api-service.ts";

const good = {
  group: "g.test",
  version: "v1",
  groupPriorityMinimum: 1,
  versionPriority: 1,
  service: { name: "s", namespace: "n" },
  insecureSkipTLSVerify: true,
};
const body = (spec: object, name = "v1.g.test") => ({ metadata: { name }, spec: { ...good, ...spec } });
const local = { service: undefined, insecureSkipTLSVerify: undefined };

describe("an API service", () => {
  it.each([
    [body({}), []],
    [body(local), []],
    [body({}, "x"), ['metadata.name: Invalid value: "x": must be `spec.version+"."+spec.group`: "v1.g.test"']],
    [
      body({ group: "", version: "v2" }, "v2."),
      ["spec.group: Required value: only v1 may have an empty group and it better be legacy kube"],
    ],
    [
      body({ version: "V1" }, "V1.g.test"),
      [expect.stringContaining('spec.version: Invalid value: "V1": a DNS-1035 label must consist of')],
    ],
    [
      body({ groupPriorityMinimum: 20001, versionPriority: 0 }),
      [
        "spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000",
        "spec.versionPriority: Invalid value: 0: must be positive and less than 1000",
      ],
    ],
    [
      body({ ...local, insecureSkipTLSVerify: true }),
      ["spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify"],
    ],
    [body({ service: {} }), ["spec.service.namespace: Required value", "spec.service.name: Required value"]],
    [
      body({ service: { ...good.service, port: 70000 } }),
      ["spec.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive"],
    ],
    [
      body({ caBundle: "AAAA" }),
      ["spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present"],
    ],
  ])("%j", (draft, errors) => {
    expect(createErrors(apiService, draft)).toEqual(errors);
  });

  it("has conditions that are true, false or unknown", () => {
    const status = { conditions: [{ type: "Available", status: "Maybe" }] };
    expect(updateErrors(apiService, { ...body({}), status }, body({}), "status")).toEqual([
      'status.conditions[0].status: Unsupported value: "Maybe": supported values: "True", "False", "Unknown"',
    ]);
  });
});
