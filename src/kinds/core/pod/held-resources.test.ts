import { expect, it } from "vitest";
import type { Pod } from "../pod.ts";
import { podLimits, podRequests } from "./amounts.ts";
import { asHeld } from "./held-resources.ts";

interface Amounts {
  readonly wants?: string;
  readonly has?: string;
  readonly given?: string;
}

const requests = (cpu: string | undefined) => (cpu === undefined ? {} : { requests: { cpu }, limits: { cpu } });

function podWith({ wants, has, given }: Amounts, { infeasible = false, staying = false, init = false } = {}): Pod {
  const status = {
    name: "a",
    ...(has === undefined ? {} : { resources: requests(has) }),
    ...(given === undefined ? {} : { allocatedResources: { cpu: given } }),
  };
  const container = { name: "a", resources: requests(wants), ...(staying ? { restartPolicy: "Always" } : {}) };
  const [spec, statuses] = init ? ["initContainers", "initContainerStatuses"] : ["containers", "containerStatuses"];
  const conditions = [{ type: "PodResizePending", status: "True", reason: infeasible ? "Infeasible" : "Deferred" }];
  return {
    metadata: { name: "p" },
    spec: { containers: [], [spec!]: [container] },
    status: { [statuses!]: [status], conditions },
  } as unknown as Pod;
}

it.each<[what: string, amounts: Amounts, options: object, requests: string, limits: string]>([
  ["of which nothing is told counts as it asks", { wants: "2" }, {}, "2", "2"],
  ["that waits for more counts as it asks", { wants: "2", has: "1", given: "1" }, {}, "2", "2"],
  ["that gives something back counts as it has", { wants: "1", has: "2", given: "2" }, {}, "2", "2"],
  ["that was given more counts with that", { wants: "1", has: "1", given: "2" }, {}, "2", "1"],
  ["that can never get more counts as it has", { wants: "9", has: "1", given: "1" }, { infeasible: true }, "1", "1"],
  ["is compared by amount, not by text", { wants: "1500m", has: "1.2", given: "900m" }, {}, "1500m", "1500m"],
  ["that stays beside others counts so too", { wants: "1", has: "2" }, { init: true, staying: true }, "2", "2"],
  ["that only comes before others cannot change", { wants: "1", has: "2" }, { init: true }, "1", "1"],
])("a container %s", (_, amounts, options, cpu, limit) => {
  const held = asHeld(podWith(amounts, options));
  expect([podRequests(held)["cpu"], podLimits(held)["cpu"]]).toEqual([cpu, limit]);
});

it("a pod that has what it asks for is itself", () => {
  const pod = podWith({ wants: "1", has: "1", given: "1" });
  expect(asHeld(pod)).toBe(pod);
});
