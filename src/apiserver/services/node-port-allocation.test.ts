// Node ports of very many ports of a Service: how often each is looked at.

import { describe, expect, it } from "vitest";
import type { Service, ServicePort } from "../../kinds/core/service/schema.ts";
import { allocateNodePorts } from "./node-port-allocation.ts";

const COUNT = 4_000;

const ANY_PORTS = {
  takePort: () => Promise.resolve(undefined),
  takeAnyPorts: (count: number) => Promise.resolve(Array.from({ length: count }, (_, index) => 30_000 + index)),
};

describe("very many ports", () => {
  it.each([
    ["of numbers of their own", (index: number) => index + 1, COUNT],
    ["that share a number in pairs", (index: number) => (index >> 1) + 1, COUNT / 2],
    ["that share one number", () => 53, 1],
  ])("%s are looked at a few times each", async (_what, numberOf, count) => {
    let reads = 0;
    const ports = Array.from({ length: COUNT }, (_, index): ServicePort => {
      const port = { name: `p${index}`, protocol: "TCP" } as ServicePort;
      return Object.defineProperty(port, "port", {
        get: () => {
          reads += 1;
          return numberOf(index);
        },
      });
    });
    const service = { metadata: { name: "a" }, spec: { type: "NodePort", ports } } as unknown as Service;
    expect(await allocateNodePorts(ANY_PORTS, service, undefined)).toEqual([]);
    expect(reads).toBeLessThan(10 * COUNT);
    expect(new Set(ports.map(({ nodePort }) => nodePort)).size).toBe(count);
  });
});
