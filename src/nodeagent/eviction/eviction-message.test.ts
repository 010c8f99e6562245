import { expect, it } from "vitest";
import { podWith } from "../pods/runtime-pod.testing.ts";
import { evictionMessage } from "./eviction-message.ts";
import { type Observations, resourceOf, thresholdsOf } from "./signals.ts";

const NOTHING = {
  ...{ evictionHard: {}, evictionSoft: {}, evictionSoftGracePeriod: {}, evictionMinimumReclaim: {} },
  enforceNodeAllocatable: [],
};

it.each([
  ["nodefs.inodesFree", "50%", 1_000, "Threshold quantity: 2000, available: 1k. "],
  ["nodefs.inodesFree", "2k", 1_249, "Threshold quantity: 2k, available: 1249. "],
  ["pid.available", "3000", 2_999, "Threshold quantity: 3k, available: 2999. "],
  ["nodefs.available", "25%", 512, "Threshold quantity: 1k, available: 512. "],
  ["nodefs.available", "1Ki", 1_023, "Threshold quantity: 1Ki, available: 1023. "],
] as const)("%s below %s: %i are left", (signal, value, available, numbers) => {
  const [threshold] = thresholdsOf({ ...NOTHING, evictionHard: { [signal]: value } });
  const observations: Observations = new Map([[signal, { available, capacity: 4_000 }]]);
  const text = evictionMessage(podWith({}), undefined, resourceOf(signal), { threshold: threshold!, observations });
  expect(text).toBe(`The node was low on resource: ${resourceOf(signal)}. ${numbers}`);
});
