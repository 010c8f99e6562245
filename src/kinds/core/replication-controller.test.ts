// What replication controllers must say.

import { describe, expect, it } from "vitest";
import type { Draft } from "../define-kind.ts";
import { createErrors, updateErrors } from "../validation.testing.ts";
import { type ReplicationController, replicationController } from "./replication-controller.ts";

type Spec = NonNullable<Draft<ReplicationController>["spec"]>;

const template = { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "main", image: "i" }] } };
const draft = (spec: Partial<Spec> = {}): Draft<ReplicationController> => ({
  metadata: { name: "c" },
  spec: { template, ...spec },
});

describe("ReplicationController", () => {
  const rows: [string, Draft<ReplicationController>, string[]][] = [
    ["nothing wrong", draft(), []],
    [
      "fewer than no pods",
      draft({ replicas: -1 }),
      ["spec.replicas: Invalid value: -1: must be greater than or equal to 0"],
    ],
    ["no template", { metadata: { name: "c" }, spec: { selector: { a: "b" } } }, ["spec.template: Required value"]],
    ["no labels to select by", draft({ template: { spec: template.spec } }), ["spec.selector: Required value"]],
    [
      "a selector for others",
      draft({ selector: { app: "y" } }),
      ['spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`'],
    ],
    [
      "pods that end",
      draft({
        template: { ...template, spec: { ...template.spec, restartPolicy: "Never", activeDeadlineSeconds: 5 } },
      }),
      [
        'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported",
      ],
    ],
  ];
  it.each(rows)("says %s", (_name, value, expected) => {
    expect(createErrors(replicationController, value)).toEqual(expected);
  });

  it("counts no more parts than there are pods", () => {
    const status = { replicas: 1, readyReplicas: 2, availableReplicas: 3 };
    expect(updateErrors(replicationController, { ...draft(), status }, draft(), "status")).toEqual([
      "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 3: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas",
    ]);
  });
});
