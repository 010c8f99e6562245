// The networks that nodes get their parts from, by the flags. Pure.

import { parseCidr } from "../../meta/ip.ts";
import type { ControllerOptions } from "../controller-options.ts";
import { CidrPool, MAX_PART_BITS } from "./cidr-pool.ts";

const DEFAULT_SIZE = { 4: 24, 6: 64 } as const;

type NetworkOptions = Pick<
  ControllerOptions,
  "clusterCidr" | "nodeCidrMaskSize" | "nodeCidrMaskSizeIpv4" | "nodeCidrMaskSizeIpv6" | "serviceClusterIpRange"
>;

/** One for each network of --cluster-cidr, in its order; or why that cannot be. */
export function networkPools(options: NetworkOptions): readonly CidrPool[] | string {
  const networks = options.clusterCidr.flatMap((text) => parseCidr(text) ?? []);
  const [first, second] = networks;
  if (first === undefined) return "--cluster-cidr";
  if (networks.length > 2 || first.ip.family === second?.ip.family) return "--cluster-cidr with one network a family";
  const pools: CidrPool[] = [];
  for (const network of networks) {
    const { family } = network.ip;
    const own = family === 4 ? options.nodeCidrMaskSizeIpv4 : options.nodeCidrMaskSizeIpv6;
    const size = own || (networks.length === 1 ? options.nodeCidrMaskSize : 0) || DEFAULT_SIZE[family];
    const bits = size - network.prefixLength;
    if (bits < 0 || bits > MAX_PART_BITS || size > network.ip.bytes.length * 8)
      return `--node-cidr-mask-size that fits --cluster-cidr: at most ${MAX_PART_BITS} bits longer than its prefix`;
    const pool = new CidrPool(network, size);
    // Addresses of Services are nobody's: a node that had them would answer for others.
    for (const range of options.serviceClusterIpRange) pool.hold(range);
    pools.push(pool);
  }
  return pools;
}
