// How many addresses and node ports are taken and left, and how often some were given, under upstream's names.

import type { Metrics } from "../../base/metrics.ts";
import type { IpAddress } from "../../meta/ip.ts";
import type { ServicePools } from "./service-pools.ts";

/** Whether the client named what it wants. */
type Scope = "static" | "dynamic";

export interface AllocationObserver {
  /** From now on tells of these. */
  follow(pools: ServicePools): void;
  /** One of this range was given, or not. */
  address(range: string, scope: Scope, given: boolean): void;
  port(scope: Scope, given: boolean): void;
}

export const UNOBSERVED: AllocationObserver = { follow: () => {}, address: () => {}, port: () => {} };

export function allocatorMetrics(metrics: Metrics): AllocationObserver {
  const addresses = allocator(metrics, "clusterip_allocator", "ips", "addresses of Services", ["cidr"]);
  const ports = allocator(metrics, "nodeport_allocator", "ports", "node ports", []);
  return {
    follow(pools) {
      addresses.taken.onCollect(() => {
        for (const family of [4, 6] as const) {
          for (const { text, size, takenCount } of pools.addresses({ family }).ranges()) {
            addresses.taken.with(text).set(takenCount);
            addresses.left.with(text).set(Number(size) - takenCount);
          }
        }
        ports.taken.with().set(pools.ports.takenCount);
        ports.left.with().set(pools.ports.size - pools.ports.takenCount);
      });
    },
    address: (range, scope, given) => (given ? addresses.given : addresses.refused).with(range, scope).inc(),
    port: (scope, given) => (given ? ports.given : ports.refused).with(scope).inc(),
  };
}

function allocator(metrics: Metrics, name: string, unit: string, what: string, labels: readonly string[]) {
  const spec = (suffix: string, help: string, more: readonly string[] = []) =>
    ({ name: `kube_apiserver_${name}_${suffix}`, help, labels: [...labels, ...more], stability: "ALPHA" }) as const;
  return {
    taken: metrics.gauge(spec(`allocated_${unit}`, `How many ${what} are taken.`)),
    left: metrics.gauge(spec(`available_${unit}`, `How many ${what} are free.`)),
    given: metrics.counter(
      spec("allocation_total", `How many ${what} were given, by whether one was named.`, ["scope"]),
    ),
    refused: metrics.counter(spec("allocation_errors_total", `How many ${what} could not be given.`, ["scope"])),
  };
}

/** The first range that has the address, as metrics name it. */
export const rangeOf = (pools: ServicePools, ip: IpAddress): string => pools.addresses(ip).rangeWith(ip)?.text ?? "";
