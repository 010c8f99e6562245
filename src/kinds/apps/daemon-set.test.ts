// What daemon sets must say and keep.

import { describe, expect, it } from "vitest";
import type { Draft } from "../define-kind.ts";
import { createErrors, updateErrors } from "../validation.testing.ts";
import { type DaemonSet, daemonSet } from "./daemon-set.ts";

type Spec = NonNullable<Draft<DaemonSet>["spec"]>;

const template = { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "main", image: "i" }] } };
const draft = (spec: Partial<Spec> = {}): Draft<DaemonSet> => ({
  metadata: { name: "d" },
  spec: { selector: { matchLabels: { app: "x" } }, template, ...spec },
});
const rolling = (rollingUpdate: NonNullable<Spec["updateStrategy"]>["rollingUpdate"]) =>
  draft({ updateStrategy: { rollingUpdate: rollingUpdate! } });
const AT = "spec.updateStrategy.rollingUpdate";

describe("DaemonSet", () => {
  const rows: [string, Draft<DaemonSet>, string[]][] = [
    ["nothing wrong", draft(), []],
    [
      "no selector",
      draft({ selector: null }),
      ['spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`'],
    ],
    [
      "an empty selector",
      draft({ selector: {} }),
      ["spec.selector: Invalid value: {}: empty selector is invalid for daemonset"],
    ],
    [
      "an update that cannot move",
      rolling({ maxUnavailable: 0 }),
      [`${AT}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0`],
    ],
    [
      "two ways of moving",
      rolling({ maxUnavailable: 1, maxSurge: 1 }),
      [`${AT}.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero`],
    ],
    [
      "more than everything",
      rolling({ maxUnavailable: 0, maxSurge: "150%" }),
      [`${AT}.maxSurge: Invalid value: "150%": must not be greater than 100%`],
    ],
    [
      "an unknown strategy",
      draft({ updateStrategy: { type: "X" as "OnDelete" } }),
      [
        'spec.updateStrategy: Unsupported value: {"Type":"X","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"',
      ],
    ],
  ];
  it.each(rows)("says %s", (_name, value, expected) => {
    expect(createErrors(daemonSet, value)).toEqual(expected);
  });

  it("keeps its selector, and counters never fall below zero", () => {
    const selector = { matchExpressions: [{ key: "app", operator: "Exists" }] };
    expect(updateErrors(daemonSet, draft({ selector }), draft())).toHaveLength(1);
    const status = { currentNumberScheduled: 0, numberMisscheduled: -1, desiredNumberScheduled: 0, numberReady: 0 };
    expect(updateErrors(daemonSet, { ...draft(), status }, draft(), "status")).toEqual([
      "status.numberMisscheduled: Invalid value: -1: must be greater than or equal to 0",
    ]);
  });
});
