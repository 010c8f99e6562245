// When the change happened that endpoints show next.

import { expect, it } from "vitest";
import type { Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Service } from "../../kinds/core/service.ts";
import { TriggerTimes } from "./trigger-times.ts";

const at = (second: number): string => `2030-01-01T00:00:${String(second).padStart(2, "0")}Z`;
const service = (created: number) => ({ metadata: { name: "s", creationTimestamp: at(created) } }) as Stored<Service>;
const pod = (name: string, ready?: number) =>
  ({
    metadata: { name },
    status: {
      conditions: ready === undefined ? [] : [{ type: "Ready", status: "True", lastTransitionTime: at(ready) }],
    },
  }) as unknown as Stored<Pod>;

it("is that of the Service at first, then of the earliest pod that has changed since", () => {
  const times = new TriggerTimes();
  expect(times.next("k", service(1), [pod("a", 5)])).toBe(at(1));
  expect(times.next("k", service(1), [pod("a", 5)]), "nothing has changed").toBeUndefined();
  expect(times.next("k", service(1), [pod("a", 9), pod("b", 7), pod("c")])).toBe(at(7));
  expect(times.next("k", service(1), [pod("b", 7)]), "a pod that goes has no time").toBeUndefined();
});

it("is that of another Service of the name, and begins anew once the first is forgotten", () => {
  const times = new TriggerTimes();
  times.next("k", service(1), []);
  expect(times.next("k", service(4), [])).toBe(at(4));
  times.forget("k");
  expect(times.next("k", service(4), [pod("a", 8)])).toBe(at(4));
});
