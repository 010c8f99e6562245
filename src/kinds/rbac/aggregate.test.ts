import { expect, it } from "vitest";
import { counted } from "../../base/steps.testing.ts";
import type { ApiObject } from "../../meta/object.ts";
import { aggregatedRules } from "./aggregate.ts";

const rule = (resource: string) => ({ verbs: ["get"], apiGroups: ["x"], resources: [resource] });
const role = (name: string, labels: Record<string, string>, rules: object[] = []) =>
  ({ metadata: { name, labels }, rules }) as unknown as ApiObject;
const whole = (rules: object[] = []) =>
  ({
    ...role("whole", {}, rules),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { collect: "yes" } }] },
  }) as unknown as ApiObject;
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

it.each([
  ["roles", range(1_000).map((index) => role(`r${index}`, { collect: "no" })), 0],
  [
    "rules",
    [
      role(
        "r",
        { collect: "yes" },
        range(1_000).map((index) => rule(`r${index}`)),
      ),
    ],
    1_000,
  ],
])("others have their turn among very many %s", (_of, all, count) => {
  const { result, steps } = counted(aggregatedRules(whole([rule("old")]), all));
  expect(result).toHaveLength(count);
  expect(steps).toBeGreaterThanOrEqual(4);
});

it("others have their turn while very many rules are compared with those that are there", () => {
  const rules = range(20_000).map((index) => rule(`r${index}`));
  const collecting = counted(aggregatedRules(whole(), [role("r", { collect: "yes" }, rules)]));
  const comparing = counted(
    aggregatedRules(whole(rules), [
      role(
        "r",
        { collect: "yes" },
        rules.map((each) => ({ ...each })),
      ),
    ]),
  );
  expect(collecting.result).toHaveLength(20_000);
  expect(comparing.result).toBeUndefined();
  expect(comparing.steps).toBeGreaterThan(collecting.steps + 2);
});
