// Parts of slices and claims that stand behind feature gates: taints, counters, shared capacity, conditions of binding.

import { describe, expect, it } from "vitest";
import { context } from "../complete.testing.ts";
import type { Draft } from "../define-kind.ts";
import { createErrors, updateErrors } from "../validation.testing.ts";
import { type ResourceClaim, resourceClaim } from "./resource-claim.ts";
import { type ResourceSlice, resourceSlice } from "./resource-slice.ts";

const spec = { driver: "d.test", pool: { name: "p", generation: 1, resourceSliceCount: 1 }, nodeName: "n" };
const slice = (part: object) => ({ metadata: { name: "a" }, spec: { ...spec, ...part } }) as Draft<ResourceSlice>;
const device = (part: object, more: object = {}) => slice({ devices: [{ name: "a", ...part }], ...more });
const shared = { sharedCounters: [{ name: "s", counters: { c: { value: "2" } } }] };
const capacity = (requestPolicy: object, value = "10") =>
  device({ allowMultipleAllocations: true, capacity: { x: { value, requestPolicy } } });
const POLICY = "spec.devices[0].capacity[x].requestPolicy";

describe("a device", () => {
  it.each([
    ["with a taint", device({ taints: [{ key: "k", effect: "NoExecute" }] }), []],
    [
      "with a taint that has no effect",
      device({ taints: [{ key: "k" }] }),
      ["spec.devices[0].taints[0].effect: Required value"],
    ],
    [
      "with too many taints",
      device({ taints: Array.from({ length: 5 }, () => ({ key: "k", effect: "NoExecute" })) }),
      ["spec.devices[0].taints: Too many: 5: must have at most 4 items"],
    ],
    ["that takes of a counter", device({ consumesCounters: [{ counterSet: "s", counters: { c: {} } }] }, shared), []],
    [
      "that takes of no set",
      device({ consumesCounters: [{ counterSet: "x", counters: { c: {} } }] }, shared),
      [
        'spec.devices[0].consumesCounters[0].counterSet: Invalid value: "x": must reference a counterSet defined in the ResourceSlice sharedCounters',
      ],
    ],
    [
      "that takes of no counter",
      device({ consumesCounters: [{ counterSet: "s", counters: { d: {} } }] }, shared),
      [
        'spec.devices[0].consumesCounters[0].counters: Invalid value: "d": must reference a counter defined in the ResourceSlice sharedCounters',
      ],
    ],
    [
      "that takes nothing of a set, twice",
      device({ consumesCounters: [{ counterSet: "s" }, { counterSet: "s" }] }, shared),
      [
        "spec.devices[0].consumesCounters[0].counters: Required value",
        "spec.devices[0].consumesCounters[1].counters: Required value",
        'spec.devices[0].consumesCounters[1].counterSet: Duplicate value: "s"',
      ],
    ],
    [
      "in a slice whose counters have no name",
      slice({ sharedCounters: [{ counters: { C: {} } }] }),
      [
        "spec.sharedCounters[0].name: Required value",
        expect.stringContaining('spec.sharedCounters[0].counters[C]: Invalid value: "C": a lowercase RFC 1123 label'),
      ],
    ],
    [
      "in a slice with too many counters",
      slice({
        sharedCounters: [
          { name: "s", counters: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`c${i}`, { value: "1" }])) },
        ],
      }),
      ["spec.sharedCounters: Invalid value: 33: the total number of shared counters must not exceed 32"],
    ],
    [
      "at a node of its own",
      device({ nodeName: "n" }),
      [
        "spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
      ],
    ],
    [
      "at a node of its own where each has one",
      device({ nodeName: "n" }, { nodeName: undefined, perDeviceNodeSelection: true }),
      [],
    ],
    [
      "at no node where each has one",
      device({ allNodes: false }, { nodeName: undefined, perDeviceNodeSelection: true }),
      [
        "spec.devices[0].allNodes: Invalid value: false: must be either unset or set to true",
        expect.stringContaining("spec.devices[0]: Required value: exactly one of `nodeName`, `nodeSelector`, or"),
      ],
    ],
    ["with conditions", device({ bindingConditions: ["a"], bindingFailureConditions: ["b"] }), []],
    [
      "with conditions of success alone",
      device({ bindingConditions: ["a", "a"] }),
      [
        'spec.devices[0].bindingConditions[1]: Duplicate value: "a"',
        "spec.devices[0].bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions",
      ],
    ],
    [
      "with conditions of both success and failure",
      device({ bindingConditions: ["a"], bindingFailureConditions: ["a"] }),
      [
        'spec.devices[0].bindingFailureConditions[0]: Invalid value: "a": bindingFailureConditions must not overlap with bindingConditions',
      ],
    ],
  ])("%s", (_what, draft, errors) => {
    expect(createErrors(resourceSlice, draft)).toEqual(errors);
  });

  it.each([
    [capacity({}), []],
    [capacity({ default: "1", validValues: ["1", "2"] }), []],
    [capacity({ default: "2", validRange: { min: "1", max: "9", step: "1" } }), []],
    [
      device({ capacity: { x: { value: "1", requestPolicy: {} } } }),
      [`${POLICY}: Forbidden: allowMultipleAllocations must be true`],
    ],
    [capacity({ validValues: ["1"] }), [`${POLICY}.default: Required value: required when validValues is defined`]],
    [capacity({ validRange: {} }), [`${POLICY}.default: Required value: required when validRange is defined`]],
    [
      capacity({ default: "1", validValues: ["1"], validRange: { min: "1" } }),
      [
        `${POLICY}: Forbidden: exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time`,
      ],
    ],
    [
      capacity({ default: "3", validValues: ["2", "1", "11"] }),
      [
        `${POLICY}.validValues[1]: Invalid value: "1": values must be sorted in ascending order`,
        `${POLICY}.validValues[2]: Invalid value: "11": option is larger than capacity value: 10`,
        `${POLICY}.validValues: Invalid value: "3": default value is not valid according to the requestPolicy`,
      ],
    ],
    [
      capacity({ default: "1", validRange: {} }),
      [`${POLICY}.validRange.min: Required value: required when validRange is defined`],
    ],
    [
      capacity({ default: "1", validRange: { min: "2", max: "11", step: "9" } }),
      [
        `${POLICY}.validRange.min: Invalid value: "1": default is less than min: 2`,
        `${POLICY}.validRange.max: Invalid value: "11": max is larger than capacity value: 10`,
        `${POLICY}.validRange.step: Invalid value: "9": one step 11 is larger than capacity value: 10`,
        `${POLICY}.validRange.step: Invalid value: "1": value is not a multiple of a given step (9) from (2)`,
      ],
    ],
  ])("may be shared: %j", (draft, errors) => {
    expect(createErrors(resourceSlice, draft)).toEqual(errors);
  });
});

describe("a claim", () => {
  const request = (exactly: object) => ({ requests: [{ name: "r", exactly: { deviceClassName: "c", ...exactly } }] });
  const claim = (devices: object) => ({ metadata: { name: "a" }, spec: { devices } }) as Draft<ResourceClaim>;
  const AT = "spec.devices.requests[0].exactly.tolerations[0]";

  it.each([
    [{ key: "k", operator: "Exists" }, []],
    [
      { key: "k", operator: "Exists", value: "v" },
      [`${AT}.value: Invalid value: "v": must be empty for operator \`Exists\``],
    ],
    [{ operator: "Like" }, [`${AT}.operator: Unsupported value: "Like": supported values: "Equal", "Exists"`]],
    [{ effect: "X" }, [`${AT}.effect: Unsupported value: "X": supported values: "NoExecute", "NoSchedule"`]],
  ])("tolerates %j", (toleration, errors) => {
    expect(createErrors(resourceClaim, claim(request({ tolerations: [toleration] })))).toEqual(errors);
  });

  it("has constraints by one attribute", () => {
    const draft = claim({ ...request({}), constraints: [{ requests: ["r"] }] });
    expect(createErrors(resourceClaim, draft)).toEqual(["spec.devices.constraints[0].matchAttribute: Required value"]);
    expect(createErrors(resourceClaim, draft, { ...context, gateEnabled: () => true })).toEqual([
      'spec.devices.constraints[0]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
    ]);
  });

  it("is given shares that have names of their own", () => {
    const device = { driver: "d.test", pool: "p", device: "x" };
    const result = { ...device, request: "r", shareID: "S" };
    const given = {
      ...claim(request({})),
      status: { allocation: { devices: { results: [result] } }, devices: [device] },
    };
    expect(updateErrors(resourceClaim, given, claim(request({})), "status")).toEqual([
      expect.stringContaining(
        'status.allocation.devices.results[0].shareID: Invalid value: "S": uid must be in RFC 4122',
      ),
      'status.devices[0]: Invalid value: {"Driver":{},"Pool":{},"Device":{},"ShareID":{}}: must be an allocated device in the claim',
    ]);
  });
});
