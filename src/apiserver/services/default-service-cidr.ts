// The ServiceCIDR of the range that the server was started with.

import { equalJson } from "../../base/json.ts";
import type { Log } from "../../base/log.ts";
import type { ServiceCIDR } from "../../kinds/networking/service-cidr.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { ensureAsServer } from "../../registry/server-writes.ts";
import { timestamp, type WriteDeps } from "../../registry/write.ts";

/** The networks of the default ServiceCIDR, which may be older than the flags. */
export async function ensureDefaultServiceCidr(
  deps: WriteDeps,
  resource: ServedResource,
  cidrs: readonly string[],
  log: Log,
): Promise<readonly string[]> {
  const name = deps.names.apiService;
  const draft = { spec: { cidrs: [...cidrs] } };
  const stored = (await ensureAsServer(deps, { resource, name }, draft, (object) =>
    addSecondFamily(object as unknown as ServiceCIDR, cidrs),
  )) as unknown as ServiceCIDR;
  const networks = stored.spec.cidrs ?? [];
  if (!equalJson(networks, cidrs)) {
    log.warn({ stored: networks, flag: cidrs }, "the default ServiceCIDR does not match --service-cluster-ip-range");
    return networks;
  }
  await ensureAsServer(deps, { resource, name, subresource: "status" }, draft, (object) =>
    markReady(object as unknown as ServiceCIDR, deps),
  );
  return networks;
}

/** A cluster of one family becomes one of two. */
function addSecondFamily({ spec }: ServiceCIDR, cidrs: readonly string[]): boolean {
  if (spec.cidrs?.length !== 1 || cidrs.length !== 2 || spec.cidrs[0] !== cidrs[0]) return false;
  spec.cidrs = [...cidrs];
  return true;
}

function markReady(cidr: ServiceCIDR, deps: WriteDeps): boolean {
  if (cidr.metadata.deletionTimestamp !== undefined) return false;
  cidr.status ??= {};
  if ((cidr.status.conditions ?? []).some(({ type }) => type === "Ready")) return false;
  cidr.status.conditions = [
    ...(cidr.status.conditions ?? []),
    {
      type: "Ready",
      status: "True",
      lastTransitionTime: timestamp(deps.clock),
      reason: "",
      message: `${deps.names.productName} default Service CIDR is ready`,
    },
  ];
  return true;
}
