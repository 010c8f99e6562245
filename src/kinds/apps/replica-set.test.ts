// What replica sets must say and keep.

import { describe, expect, it } from "vitest";
import type { Draft } from "../define-kind.ts";
import { createErrors, updateErrors } from "../validation.testing.ts";
import { type ReplicaSet, replicaSet } from "./replica-set.ts";

type Spec = NonNullable<Draft<ReplicaSet>["spec"]>;

const template = { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "main", image: "i" }] } };
const draft = (spec: Partial<Spec> = {}): Draft<ReplicaSet> => ({
  metadata: { name: "r" },
  spec: { selector: { matchLabels: { app: "x" } }, template, ...spec },
});

describe("ReplicaSet", () => {
  it("runs pods that its selector finds", () => {
    expect(createErrors(replicaSet, draft())).toEqual([]);
    expect(createErrors(replicaSet, draft({ selector: { matchLabels: { app: "y" } } }))).toEqual([
      'spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`',
    ]);
  });

  it("runs pods without an end", () => {
    const ending = {
      ...template,
      spec: { ...template.spec, restartPolicy: "OnFailure" as const, activeDeadlineSeconds: 5 },
    };
    expect(createErrors(replicaSet, draft({ template: ending }))).toEqual([
      'spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"',
      "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported",
    ]);
  });

  it("says what is wrong with its selector before it looks at the pods", () => {
    const errors = createErrors(replicaSet, draft({ selector: { matchLabels: { "a b": "x" } } }));
    expect(errors.map((text) => text.split(":")[0])).toEqual(["spec.selector.matchLabels", "spec.selector"]);
    expect(errors[1]).toBe('spec.selector: Invalid value: {"matchLabels":{"a b":"x"}}: invalid label selector');
  });

  it("keeps its selector", () => {
    expect(updateErrors(replicaSet, draft({ selector: null }), draft())).toEqual([
      "spec.selector: Required value",
      'spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`',
      "spec.selector: Invalid value: null: field is immutable",
    ]);
  });

  it("counts no more parts than there are pods", () => {
    const status = { replicas: 1, fullyLabeledReplicas: 3, readyReplicas: -1 };
    expect(updateErrors(replicaSet, { ...draft(), status }, draft(), "status")).toEqual([
      "status.readyReplicas: Invalid value: -1: must be greater than or equal to 0",
      "status.fullyLabeledReplicas: Invalid value: 3: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 0: cannot be greater than readyReplicas",
    ]);
  });
});
