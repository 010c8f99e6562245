// Templates of pods: PodTemplate, and what templates are told otherwise than pods.

import { describe, expect, it } from "vitest";
import type { FieldError } from "../../../meta/field-error.ts";
import { daemonSet } from "../../apps/daemon-set.ts";
import { deployment } from "../../apps/deployment.ts";
import { replicaSet } from "../../apps/replica-set.ts";
import { statefulSet } from "../../apps/stateful-set.ts";
import { cronJob } from "../../batch/cron-job.ts";
import { job } from "../../batch/job.ts";
import { completed, context } from "../../complete.testing.ts";
import type { Findings, Kind } from "../../define-kind.ts";
import { createErrors, updateErrors } from "../../validation.testing.ts";
import { podTemplate } from "../pod-template.ts";
import { replicationController } from "../replication-controller.ts";

const spec = { containers: [{ name: "main", image: "i" }] };

describe("PodTemplate", () => {
  it("must hold a pod that could run", () => {
    expect(createErrors(podTemplate, { metadata: { name: "t" }, template: { spec } })).toEqual([]);
    expect(createErrors(podTemplate, { metadata: { name: "t" } })).toEqual([
      "template.spec.containers: Required value",
    ]);
  });

  it("has labels and annotations of the usual form", () => {
    const template = { metadata: { labels: { a: "b c" }, annotations: { "a b": "" } }, spec };
    expect(createErrors(podTemplate, { metadata: { name: "t" }, template }).map((text) => text.split(":")[0])).toEqual([
      "template.labels",
      "template.annotations",
    ]);
  });

  it("may have spaces around images and open host ports, which become those of the container", () => {
    const open = { hostNetwork: true, containers: [{ name: "main", image: " i", ports: [{ containerPort: 80 }] }] };
    expect(createErrors(podTemplate, { metadata: { name: "t" }, template: { spec: open } })).toEqual([]);
  });

  it("has no ephemeral containers, also not after an update", () => {
    const bad = { ...spec, ephemeralContainers: [{ name: "e", image: "i" }] };
    expect(
      updateErrors(podTemplate, { metadata: {}, template: { spec: bad } }, { metadata: {}, template: { spec } }),
    ).toEqual(["template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template"]);
  });
});

describe("a template of many containers is judged in steps", () => {
  const many = { containers: Array.from({ length: 4_000 }, (_, index) => ({ name: `c${index}`, image: "i" })) };
  const template = { metadata: { labels: { a: "b" } }, spec: many };
  const selector = { matchLabels: { a: "b" } };
  const KINDS: [kind: Kind, draft: object][] = [
    [podTemplate, { template }],
    [replicationController, { spec: { selector: { a: "b" }, template } }],
    [deployment, { spec: { selector, template } }],
    [replicaSet, { spec: { selector, template } }],
    [statefulSet, { spec: { selector, template } }],
    [daemonSet, { spec: { selector, template } }],
    [job, { spec: { template: { ...template, spec: { ...many, restartPolicy: "Never" } } } }],
    [cronJob, { spec: { schedule: "* * * * *", jobTemplate: { spec: { template } } } }],
  ];
  it.each(KINDS.map(([kind, draft]) => [kind.kind, kind, draft] as const))("in a %s", (_, kind, draft) => {
    const made = completed(kind, { metadata: { name: "a" }, ...draft } as never);
    const steps = (judging: Findings<FieldError> | undefined) =>
      Array.isArray(judging) ? 0 : [...(judging ?? [])].length;
    expect(steps(kind.hooks?.validate?.(made, context))).toBeGreaterThanOrEqual(16);
    expect(steps(kind.hooks?.validateUpdate?.(made, made, context))).toBeGreaterThanOrEqual(16);
  });
});
