import { expect, it } from "vitest";
import { planReplicas } from "./replica-plan.ts";
import { wantedReplicas } from "./replicated.ts";

const cases: [wanted: number, active: number, type: string, count?: number][] = [
  [0, 0, "nothing"],
  [3, 3, "nothing"],
  [3, 1, "create", 2],
  [1, 3, "delete", 2],
  [0, 3, "delete", 3],
  [501, 0, "create", 500],
  [5_000, 4_999, "create", 1],
  [0, 5_000, "delete", 500],
];
it.each(cases)("for %d wanted and %d there: %s %s", (wanted, active, type, count) => {
  expect(planReplicas(wanted, active)).toEqual(count === undefined ? { type } : { type, count });
});

it("wants none where a count below zero slipped in", () => {
  expect(wantedReplicas({ metadata: {}, spec: { replicas: -3 } } as never)).toBe(0);
});
