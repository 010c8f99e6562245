// What deployments must say and keep.

import { describe, expect, it } from "vitest";
import type { Draft } from "../define-kind.ts";
import { createErrors, createWarnings, updateErrors } from "../validation.testing.ts";
import { type Deployment, deployment } from "./deployment.ts";

type Spec = NonNullable<Draft<Deployment>["spec"]>;

const template = { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "main", image: "i" }] } };
const draft = (spec: Partial<Spec> = {}): Draft<Deployment> => ({
  metadata: { name: "d" },
  spec: { selector: { matchLabels: { app: "x" } }, template, ...spec },
});
const strategy = (value: unknown): Draft<Deployment> => draft({ strategy: value as NonNullable<Spec["strategy"]> });
const AT = "spec.strategy.rollingUpdate";

describe("Deployment", () => {
  const rows: [string, Draft<Deployment>, string[]][] = [
    ["nothing wrong", draft(), []],
    [
      "negative counts",
      draft({ replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1 }),
      [
        "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
        "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0",
        "spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0",
      ],
    ],
    [
      "an empty selector",
      draft({ selector: {} }),
      ["spec.selector: Invalid value: {}: empty selector is invalid for deployment"],
    ],
    [
      "no selector",
      draft({ selector: null }),
      [
        "spec.selector: Required value",
        'spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`',
      ],
    ],
    [
      "less time than pods need",
      draft({ minReadySeconds: 600 }),
      ["spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds"],
    ],
    [
      "a rolling update that recreates",
      strategy({ type: "Recreate", rollingUpdate: { maxSurge: 1 } }),
      [`${AT}: Forbidden: may not be specified when strategy \`type\` is 'Recreate'`],
    ],
    [
      "an update that cannot move",
      strategy({ rollingUpdate: { maxSurge: 0, maxUnavailable: "0%" } }),
      [`${AT}.maxUnavailable: Invalid value: "0%": may not be 0 when \`maxSurge\` is 0`],
    ],
    [
      "more than everything",
      strategy({ rollingUpdate: { maxUnavailable: "150%" } }),
      [`${AT}.maxUnavailable: Invalid value: "150%": must not be greater than 100%`],
    ],
    [
      "an unknown strategy",
      strategy({ type: "X" }),
      [
        'spec.strategy: Unsupported value: {"Type":"X","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
      ],
    ],
  ];
  it.each(rows)("says %s", (_name, value, expected) => {
    expect(createErrors(deployment, value)).toEqual(expected);
  });

  it("keeps its selector", () => {
    const selector = { matchExpressions: [{ key: "app", operator: "Exists" }] };
    expect(updateErrors(deployment, draft({ selector }), draft())).toEqual([
      'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Exists"}]}: field is immutable',
    ]);
  });

  it("never counts collisions backwards", () => {
    const status = (collisionCount: number) => ({ ...draft(), status: { collisionCount } });
    expect(updateErrors(deployment, status(1), status(2), "status")).toEqual([
      "status.collisionCount: Invalid value: 1: cannot be decremented",
    ]);
  });

  it("is warned about a name that is no label", () => {
    const [warning] = createWarnings(deployment, { ...draft(), metadata: { name: "a.b" } });
    expect(warning).toBe(
      "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
    );
  });
});
