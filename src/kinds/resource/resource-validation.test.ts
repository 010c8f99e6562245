// What device classes, claims and slices must say: one row per rule.

import { describe, expect, it } from "vitest";
import { conform } from "../../schema/conform.ts";
import type { Draft } from "../define-kind.ts";
import { createErrors, updateErrors } from "../validation.testing.ts";
import { type DeviceClass, deviceClass } from "./device-class.ts";
import { type ResourceClaim, resourceClaim } from "./resource-claim.ts";
import { type ResourceClaimTemplate, resourceClaimTemplate } from "./resource-claim-template.ts";
import { type ResourceSlice, resourceSlice } from "./resource-slice.ts";

const metadata = { name: "a", namespace: "n" };
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const ONE = "exactly one of `exactly` or `firstAvailable` is required";

describe("a resource claim", () => {
  it("keeps tolerations and attributes to differ in, whatever gates are off", () => {
    const devices = {
      requests: [{ name: "a", exactly: { deviceClassName: "b", tolerations: [{ operator: "Exists" }] } }],
      constraints: [{ distinctAttribute: "a.test/b" }],
    };
    const { value } = conform({ spec: { devices } }, resourceClaim.schema, {
      unknownFields: "drop",
      gate: (name) => name === "DRAPrioritizedList",
    });
    expect(value).toMatchObject({ spec: { devices } });
  });

  const exactly = { deviceClassName: "gpu" };
  const claim = (devices: object) => ({ metadata, spec: { devices } }) as Draft<ResourceClaim>;

  it.each([
    ["good", { requests: [{ name: "a", exactly }] }, []],
    [
      "an empty request",
      { requests: [{}] },
      [
        `spec.devices.requests[0].name: Invalid value: "": ${LABEL}`,
        `spec.devices.requests[0]: Required value: ${ONE}`,
      ],
    ],
    [
      "two kinds of request at once",
      { requests: [{ name: "a", exactly, firstAvailable: [{ name: "b", deviceClassName: "c" }] }] },
      [`spec.devices.requests[0]: Invalid value: null: ${ONE}, but multiple fields are set`],
    ],
    [
      "two kinds of request at once, none of them good",
      { requests: [{ name: "a", exactly: {}, firstAvailable: [{ name: "b" }] }] },
      [
        "spec.devices.requests[0].firstAvailable[0].deviceClassName: Required value",
        "spec.devices.requests[0].exactly.deviceClassName: Required value",
        `spec.devices.requests[0]: Invalid value: null: ${ONE}, but multiple fields are set`,
      ],
    ],
    ["an attribute of several parts", { constraints: [{ matchAttribute: "a.test/b/C" }] }, []],
    [
      "a toleration of every value that has one",
      {
        requests: [{ name: "a", exactly: { ...exactly, tolerations: [{ key: "b", operator: "Exists", value: "c" }] } }],
      },
      [
        'spec.devices.requests[0].exactly.tolerations[0].value: Invalid value: "c": must be empty for operator `Exists`',
      ],
    ],
    [
      "an attribute to differ in, without a domain",
      { constraints: [{ distinctAttribute: "x" }] },
      ['spec.devices.constraints[0].distinctAttribute: Invalid value: "x": must include a domain'],
    ],
    [
      "one name twice",
      {
        requests: [
          { name: "a", exactly },
          { name: "a", exactly },
        ],
      },
      ['spec.devices.requests[1].name: Duplicate value: "a"'],
    ],
    [
      "an attribute without a domain",
      { constraints: [{ matchAttribute: "x" }] },
      ['spec.devices.constraints[0].matchAttribute: Invalid value: "x": must include a domain'],
    ],
    [
      "a configuration for no request",
      { config: [{ requests: ["b"], opaque: { driver: "d.test", parameters: {} } }] },
      [
        "spec.devices.config[0].requests[0]: Invalid value: \"b\": must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
      ],
    ],
    [
      "a number where all are asked for",
      { requests: [{ name: "a", exactly: { ...exactly, allocationMode: "All", count: 2 } }] },
      ["spec.devices.requests[0].exactly.count: Invalid value: 2: must not be specified when allocationMode is 'All'"],
    ],
  ])("with %s", (_what, devices, errors) => {
    expect(createErrors(resourceClaim, claim(devices))).toEqual(errors);
  });

  it("never asks for something else", () => {
    const errors = updateErrors(resourceClaim, claim({}), claim({ requests: [{ name: "a", exactly }] }));
    expect(errors).toEqual([
      'spec: Invalid value: {"Devices":{"Requests":null,"Constraints":null,"Config":null}}: field is immutable',
    ]);
  });

  it("is used only once it is allocated", () => {
    const user = { resource: "pods", name: "p", uid: "u" };
    const used = { ...claim({}), status: { reservedFor: [user] } } as Draft<ResourceClaim>;
    expect(updateErrors(resourceClaim, used, claim({}), "status")).toEqual([
      "status.reservedFor: Forbidden: may not be specified when `allocated` is not set",
    ]);
  });

  it("is judged in a template too", () => {
    const draft = { metadata, spec: { spec: { devices: { requests: [{ name: "a" }] } } } };
    expect(createErrors(resourceClaimTemplate, draft as Draft<ResourceClaimTemplate>)).toEqual([
      `spec.spec.devices.requests[0]: Required value: ${ONE}`,
    ]);
  });
});

describe("a device class", () => {
  const draft = (spec: object) => ({ metadata: { name: "a" }, spec }) as Draft<DeviceClass>;

  it.each([
    [{ selectors: [{ cel: { expression: 'device.driver == "a.test"' } }] }, []],
    [
      { selectors: [{ cel: { expression: "device.driver" } }] },
      [
        'spec.selectors[0].cel.expression: Invalid value: "device.driver": must evaluate to bool or the unknown type, not string',
      ],
    ],
    [{ selectors: [{}] }, ["spec.selectors[0].cel: Required value"]],
    [
      { config: [{ opaque: { driver: "a.test", parameters: "x" } }] },
      ['spec.config[0].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object'],
    ],
  ])("%j", (spec, errors) => {
    expect(createErrors(deviceClass, draft(spec))).toEqual(errors);
  });

  it("has no more than 32 settings", () => {
    const config = Array.from({ length: 33 }, () => ({ opaque: { driver: "a.test", parameters: {} } }));
    expect(createErrors(deviceClass, draft({ config }))).toEqual([
      "spec.config: Too many: 33: must have at most 32 items",
    ]);
  });
});

describe("a resource slice", () => {
  const spec = { driver: "d.test", pool: { name: "p", generation: 1, resourceSliceCount: 1 }, nodeName: "n" };
  const draft = (part: object) => ({ metadata: { name: "a" }, spec: { ...spec, ...part } }) as Draft<ResourceSlice>;
  const place = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

  it.each([
    [{}, []],
    [
      { allNodes: true },
      [`spec: Invalid value: "{\`nodeName\`, \`allNodes\`}": ${place}, but multiple fields are set`],
    ],
    ...[
      [{}, "null"],
      [{ nodeSelectorTerms: [] }, "[]"],
    ].map(([nodeSelector, shown]): [object, string[]] => [
      { nodeName: undefined, nodeSelector },
      [
        "spec.nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term",
        `spec.nodeSelector.nodeSelectorTerms: Invalid value: ${shown}: must have exactly one node selector term`,
      ],
    ]),
    [
      { nodeName: undefined, nodeSelector: { nodeSelectorTerms: [{}, {}] } },
      [
        `spec.nodeSelector.nodeSelectorTerms: Invalid value: [${Array(2).fill('{"MatchExpressions":null,"MatchFields":null}')}]: must have exactly one node selector term`,
      ],
    ],
    [
      { devices: [{ name: "a", capacity: { ["x".repeat(100)]: { value: "1" } } }] },
      [`spec.devices[0].capacity[${"x".repeat(47)}...${"x".repeat(46)}]: Too long: may not be more than 32 bytes`],
    ],
    [
      { pool: {} },
      ["spec.pool.name: Required value", "spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero"],
    ],
    [
      { devices: [{ name: "a", attributes: { x: {} } }] },
      ["spec.devices[0].attributes[x]: Required value: exactly one value must be specified"],
    ],
    [
      { devices: [{ name: "a", attributes: { x: { version: "v1" } } }] },
      [
        'spec.devices[0].attributes[x].version: Invalid value: "v1": must be a string compatible with semver.org spec 2.0.0',
      ],
    ],
  ])("%j", (part, errors) => {
    expect(createErrors(resourceSlice, draft(part))).toEqual(errors);
  });

  it("stays with its node", () => {
    expect(updateErrors(resourceSlice, draft({ nodeName: "x" }), draft({}))).toEqual([
      'spec.nodeName: Invalid value: "x": field is immutable',
    ]);
  });
});
