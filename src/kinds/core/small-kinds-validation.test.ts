// What namespaces, config maps, secrets, quotas, limit ranges and events must say: one row per rule.

import { describe, expect, it } from "vitest";
import type { Draft, Kind } from "../define-kind.ts";
import { event as newEvent } from "../events/event.ts";
import { createErrors, createWarnings, updateErrors } from "../validation.testing.ts";
import { configMap } from "./config-map.ts";
import { event } from "./event.ts";
import { limitRange } from "./limit-range.ts";
import { namespace } from "./namespace.ts";
import { resourceQuota } from "./resource-quota.ts";
import { secret } from "./secret.ts";
import { serviceAccount } from "./service-account.ts";

const metadata = { name: "a", namespace: "n" };
const draft = <T>(body: object) => ({ metadata, ...body }) as unknown as Draft<T>;
const errorsOf = <T>(kind: Kind<T>, body: object) => createErrors(kind, draft<T>(body));
const changesOf = <T>(kind: Kind<T>, body: object, old: object, part?: string) =>
  updateErrors(kind, draft<T>(body), draft<T>(old), part);
const base64 = (text: string) => Buffer.from(text).toString("base64");
const UNQUALIFIED = "name is neither a standard finalizer name nor is it fully qualified";

describe("a namespace", () => {
  it("has qualified finalizers, also where they are taken away", () => {
    const body = { spec: { finalizers: ["UPPER"] } };
    expect(errorsOf(namespace, body)).toEqual([`spec.finalizers: Invalid value: "UPPER": ${UNQUALIFIED}`]);
    expect(changesOf(namespace, body, {}, "finalize")).toEqual([
      `spec.finalizers[0]: Invalid value: "UPPER": ${UNQUALIFIED}`,
    ]);
  });

  it("ends only when it is deleted", () => {
    expect(changesOf(namespace, { status: { phase: "Terminating" } }, {}, "status")).toEqual([
      "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty",
    ]);
  });
});

describe("a config map", () => {
  const frozen = "Forbidden: field is immutable when `immutable` is set";

  it.each([
    [{ data: { a: "x" } }, []],
    [{ data: { "..": "x" } }, ["data[..]: Invalid value: \"..\": must not be '..'"]],
    [
      { data: { a: "x" }, binaryData: { a: "" } },
      ['data[a]: Invalid value: "a": duplicate of key present in binaryData'],
    ],
    [{ data: { a: "x".repeat(1024 * 1024 + 1) } }, ["[]: Too long: may not be more than 1048576 bytes"]],
  ])("row %#", (body, errors) => {
    expect(errorsOf(configMap, body)).toEqual(errors);
  });

  it("stays as it is once that was said", () => {
    expect(changesOf(configMap, { data: { a: "y" } }, { immutable: true, data: { a: "x" } })).toEqual([
      `immutable: ${frozen}`,
      `data: ${frozen}`,
    ]);
  });
});

describe("a secret", () => {
  const type = (name: string) => `kubernetes.io/${name}`;

  it.each([
    [{ type: type("tls"), data: {} }, ["data[tls.crt]: Required value", "data[tls.key]: Required value"]],
    [{ type: type("ssh-auth"), data: { "ssh-privatekey": "" } }, ["data[ssh-privatekey]: Required value"]],
    [{ type: type("basic-auth") }, ["data[username]: Required value", "data[password]: Required value"]],
    [{ type: type("basic-auth"), data: { username: "" } }, []],
    [
      { type: type("dockercfg"), data: { ".dockercfg": base64("{") } },
      ['data[.dockercfg]: Invalid value: "<secret contents redacted>": unexpected end of JSON input'],
    ],
    [
      { type: type("dockerconfigjson"), data: { ".dockerconfigjson": base64("[]") } },
      [
        'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": json: cannot unmarshal array into Go value of type map[string]interface {}',
      ],
    ],
    [
      { type: type("service-account-token") },
      ["metadata.annotations[kubernetes.io/service-account.name]: Required value"],
    ],
  ])("%j", (body, errors) => {
    expect(errorsOf(secret, body)).toEqual(errors);
  });

  it("takes no more text than becomes data at once", () => {
    const stringData = Object.fromEntries(Array.from({ length: 4_097 }, (_, index) => [`k${index}`, "v"]));
    expect(errorsOf(secret, { stringData })).toEqual(["stringData: Too many: 4097: must have at most 4096 items"]);
    const { k0: _, ...fewer } = stringData;
    expect(errorsOf(secret, { stringData: fewer })).toEqual([]);
  });

  it("keeps its type", () => {
    expect(changesOf(secret, {}, { type: "a/b" })).toEqual(['type: Invalid value: "Opaque": field is immutable']);
  });

  it("warns about a certificate that is none", () => {
    const body = { type: type("tls"), data: { "tls.crt": "", "tls.key": "" } };
    expect(createWarnings(secret, draft(body))).toEqual(["tls: failed to find any PEM data in certificate input"]);
  });
});

it("a service account warns about an annotation that goes away", () => {
  const annotations = { "kubernetes.io/enforce-mountable-secrets": "true" };
  expect(createWarnings(serviceAccount, { metadata: { ...metadata, annotations } })).toHaveLength(1);
});

describe("a resource quota", () => {
  it.each([
    [{ hard: { pods: "1" } }, []],
    [{ hard: { cpu: "-1" } }, ['spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0']],
    [{ hard: { pods: "1500m" } }, ['spec.hard[pods]: Invalid value: "1500m": must be an integer']],
    [{ scopes: ["X"] }, ['spec.scopes: Invalid value: ["X"]: unsupported scope']],
    [
      { scopes: ["BestEffort"], hard: { cpu: "1" } },
      ['spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource'],
    ],
    [
      { scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In" }] } },
      [
        "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
      ],
    ],
  ])("%j", (spec, errors) => {
    expect(errorsOf(resourceQuota, { spec })).toEqual(errors);
  });

  it("keeps its scopes", () => {
    expect(changesOf(resourceQuota, { spec: {} }, { spec: { scopes: ["BestEffort"] } })).toEqual([
      "spec.scopes: Invalid value: null: field is immutable",
    ]);
  });
});

describe("a limit range", () => {
  it.each([
    [[{ type: "Pod", max: { cpu: "2" }, min: { cpu: "1" } }], []],
    [
      [{ type: "Pod", max: { cpu: "1" }, min: { cpu: "2" } }],
      ['spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1'],
    ],
    [[{ type: "Pod" }, { type: "Pod" }], ['spec.limits[1].type: Duplicate value: "Pod"']],
    [
      [{ type: "PersistentVolumeClaim" }],
      [
        "spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided",
      ],
    ],
    [
      [{ type: "Pod", max: { cpu: "4" }, min: { cpu: "2" }, maxLimitRequestRatio: { cpu: "3" } }],
      ['spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is greater than max/min = 2.000000'],
    ],
  ])("%j", (limits, errors) => {
    expect(errorsOf(limitRange, { spec: { limits } })).toEqual(errors);
  });
});

describe("an event", () => {
  const report = {
    eventTime: "2025-01-01T00:00:00.000000Z",
    reportingController: "c",
    reportingInstance: "i",
    action: "a",
    reason: "r",
    type: "Normal",
    regarding: { namespace: "n" },
  };

  it("of the core group stands in the namespace of its object", () => {
    expect(errorsOf(event, { involvedObject: { namespace: "other" } })).toEqual([
      'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
    ]);
  });

  it.each([
    [{}, []],
    [{ reason: "" }, ["reason: Required value"]],
    [{ type: "Odd" }, ['type: Invalid value: "": has invalid value: Odd']],
    [
      { series: { count: 1, lastObservedTime: null } },
      ['series.count: Invalid value: "": should be at least 2', "series.lastObservedTime: Required value"],
    ],
    [{ deprecatedCount: 1 }, ['count: Invalid value: "": needs to be unset']],
  ])("of the events group with %j", (part, errors) => {
    expect(errorsOf(newEvent, { ...report, ...part })).toEqual(errors);
  });

  it("of the events group stays as it was reported", () => {
    expect(changesOf(newEvent, { ...report, reason: "x" }, report)).toEqual([
      'reason: Invalid value: "x": field is immutable',
    ]);
  });
});
