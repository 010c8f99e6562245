import { expect, it } from "vitest";
import { formatQuantity } from "../../../meta/quantity.ts";
import { defaultPodLimits, sumRequests } from "./resources.ts";
import type { PodSpec } from "./spec.ts";

const container = (requests: Record<string, string>, stays = false) => ({
  resources: { requests },
  ...(stays ? { restartPolicy: "Always" } : {}),
});
const sumOf = (spec: object) =>
  Object.fromEntries([...sumRequests(spec as PodSpec)].map(([name, quantity]) => [name, formatQuantity(quantity)]));

it.each<[string, object, Record<string, string>]>([
  ["containers together", { containers: [container({ cpu: "1" }), container({ cpu: "2" })] }, { cpu: "3" }],
  [
    "one that comes first and takes more than all others",
    { containers: [container({ cpu: "1" })], initContainers: [container({ cpu: "5", memory: "1" })] },
    { cpu: "5", memory: "1" },
  ],
  [
    "one that comes first, beside those that stay from before",
    {
      containers: [container({ cpu: "1" })],
      initContainers: [container({ cpu: "1", gpu: "1" }, true), container({ cpu: "4" }), container({ gpu: "1" }, true)],
    },
    { cpu: "5", gpu: "2" },
  ],
])("requests of a pod: %s", (_, spec, wanted) => {
  expect(sumOf(spec)).toEqual(wanted);
});

it.each<[string, object, Record<string, string> | undefined]>([
  ["of a pod that says something as a whole", { requests: { cpu: "1" } }, { "hugepages-2Mi": "6Mi" }],
  ["beside its own", { limits: { cpu: "1" } }, { cpu: "1", "hugepages-2Mi": "6Mi" }],
  ["where it limits them itself", { limits: { "hugepages-2Mi": "8Mi" } }, { "hugepages-2Mi": "8Mi" }],
  ["where it requests them itself", { requests: { "hugepages-2Mi": "8Mi" } }, undefined],
  ["of a pod that says nothing as a whole", {}, undefined],
])("huge pages that containers may use are limits of the pod: %s", (_, resources, limits) => {
  const limited = (pages: string) => ({ resources: { limits: { memory: "1Gi", "hugepages-2Mi": pages } } });
  const spec = { resources, containers: [limited("2Mi"), limited("4Mi")] } as unknown as PodSpec;
  defaultPodLimits(spec);
  expect(spec.resources!.limits).toEqual(limits);
});

it("looks at what stays once for each that names it, not for all that come later", () => {
  const initContainers = Array.from({ length: 500 }, (_, index) => container({ [`x.io/r${index}`]: "1" }, true));
  let looks = 0;
  const get = Map.prototype.get;
  const count = function (this: Map<unknown, unknown>, key: unknown): unknown {
    looks += 1;
    return get.call(this, key);
  };
  Map.prototype.get = count;
  try {
    expect(Object.keys(sumOf({ initContainers }))).toHaveLength(500);
  } finally {
    Map.prototype.get = get;
  }
  expect(looks).toBeLessThan(10_000);
});
