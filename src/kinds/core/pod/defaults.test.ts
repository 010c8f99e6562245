// Defaults of very many containers come in steps, wherever a pod stands.

import { expect, it } from "vitest";
import type { JsonObject } from "../../../base/json.ts";
import { counted } from "../../../base/steps.testing.ts";
import type { Steps } from "../../../base/steps.ts";
import { conform } from "../../../schema/conform.ts";
import { applyDefaults } from "../../../schema/default.ts";
import { ALL_KINDS } from "../../all-kinds.ts";
import { context } from "../../complete.testing.ts";
import { defaultPod, defaultPodTemplate } from "./defaults.ts";
import type { Pod } from "./schema.ts";
import type { PodTemplateSpec } from "./template-schema.ts";

it.each([
  ["Pod", []],
  ["PodTemplate", ["template"]],
  ["ReplicationController", ["spec", "template"]],
  ["ReplicaSet", ["spec", "template"]],
  ["Deployment", ["spec", "template"]],
  ["StatefulSet", ["spec", "template"]],
  ["DaemonSet", ["spec", "template"]],
  ["Job", ["spec", "template"]],
  ["CronJob", ["spec", "jobTemplate", "spec", "template"]],
])("of the containers of a %s", (name, path) => {
  const kind = ALL_KINDS.find((each) => each.kind === name)!;
  const containers = (count: number): JsonObject[] => Array.from({ length: count }, () => ({}));
  const within = (count: number): JsonObject =>
    path.reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), { spec: { containers: containers(count) } });
  const filled = (count: number) => {
    const { value } = conform({ metadata: {}, ...within(count) }, kind.schema, { unknownFields: "keep" });
    applyDefaults(value, kind.schema);
    const work = kind.hooks!.default!(value as never, context);
    return { value, steps: typeof work === "object" ? counted(work).steps : 0 };
  };
  expect(filled(500).steps).toBe(0);
  const { value, steps } = filled(1_200);
  expect(steps).toBeGreaterThan(1);
  expect(JSON.stringify(value).match(/"terminationMessagePolicy":"File"/g)).toHaveLength(1_200);
});

it("of a pod that its template leaves open come in a step of their own", () => {
  const pod = () =>
    ({
      metadata: {},
      spec: { containers: Array.from({ length: 1_200 }, () => ({ resources: {} })) },
      status: {},
    }) as unknown as Pod;
  const whole = pod();
  const filled = counted(defaultPod(whole, context) as Steps<void>);
  expect(filled.steps).toBe(
    counted(defaultPodTemplate(pod() as unknown as PodTemplateSpec, context) as Steps<void>).steps + 1,
  );
  expect(whole.spec.enableServiceLinks).toBe(true);
});
