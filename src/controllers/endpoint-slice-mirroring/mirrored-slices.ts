// The slices that mirror Endpoints which somebody else writes. Pure. Requirements: document 3, "EndpointSlice": what reads
// slices sees the backends of every Service.

import type { Stored } from "../../client/informer.ts";
import type { Endpoints } from "../../kinds/core/endpoints.ts";
import type { Service } from "../../kinds/core/service.ts";
import type { EndpointSlice } from "../../kinds/discovery/endpoint-slice.ts";
import { type IpFamily, readIp, validateEndpointIp } from "../../kinds/networking/ip-fields.ts";
import { formatIp } from "../../meta/ip.ts";
import type { Names } from "../../meta/names.ts";
import { entriesOf, packSubsets, type Subset, type SubsetAddress } from "../service-backends/pack-subsets.ts";
import { type EndpointGroup, packSlices, type SlicePlan, type SliceShape } from "../slices/pack-slices.ts";
import type { SliceEndpoint, SlicePort } from "../slices/slice-endpoint.ts";

/** Whether there is anything to mirror: Endpoints of a Service without selector, that do not ask to be left alone. */
export function isMirrored(
  endpoints: Stored<Endpoints> | undefined,
  service: Stored<Service> | undefined,
  names: Names,
): endpoints is Stored<Endpoints> {
  if (endpoints === undefined || service === undefined) return false;
  const { labels, annotations } = endpoints.metadata;
  return (
    Object.keys(service.spec.selector ?? {}).length === 0 &&
    labels?.[names.skipMirrorLabel] !== "true" &&
    !Object.hasOwn(annotations ?? {}, names.leaderAnnotation)
  );
}

export interface MirrorPlan extends SlicePlan {
  /** Addresses that are none. */
  readonly invalid: number;
  /** Addresses beyond what is mirrored of a subset. */
  readonly skipped: number;
}

const FAMILIES = ["IPv4", "IPv6"] as const;

export function planMirror(
  endpoints: Stored<Endpoints>,
  existing: readonly Stored<EndpointSlice>[],
  maxPerSubset: number,
  names: Names,
): MirrorPlan {
  const groups: Record<IpFamily, EndpointGroup[]> = { IPv4: [], IPv6: [] };
  let [invalid, skipped] = [0, 0];
  for (const subset of packSubsets(entriesOf(endpoints.subsets))) {
    const mirrored = mirrorSubset(subset, maxPerSubset);
    invalid += mirrored.invalid;
    skipped += mirrored.skipped;
    const ports = (subset.ports ?? []).map(({ name = "", port, protocol = "TCP", appProtocol }): SlicePort => {
      return { name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) };
    });
    for (const family of FAMILIES) groups[family].push({ ports, endpoints: mirrored.endpoints[family] });
  }
  const plans = FAMILIES.map((family) =>
    packSlices({
      existing: existing.filter(({ addressType }) => addressType === family),
      groups: groups[family],
      shape: shapeOf(endpoints, family, names),
      maxEndpoints: maxPerSubset,
      keepEmpty: false,
    }),
  );
  return {
    create: plans.flatMap(({ create }) => create),
    update: plans.flatMap(({ update }) => update),
    remove: plans.flatMap(({ remove }) => remove),
    invalid,
    skipped,
  };
}

function mirrorSubset({ addresses = [], notReadyAddresses = [] }: Subset, max: number) {
  const endpoints: Record<IpFamily, SliceEndpoint[]> = { IPv4: [], IPv6: [] };
  let [added, invalid, skipped] = [0, 0, 0];
  const add = (address: SubsetAddress, ready: boolean): void => {
    if (added >= max) {
      skipped += 1;
      return;
    }
    const ip = readIp(address.ip);
    if (ip === undefined || validateEndpointIp(address.ip, "").length > 0) {
      invalid += 1;
      return;
    }
    added += 1;
    const { hostname = "", nodeName, targetRef } = address;
    endpoints[ip.family === 4 ? "IPv4" : "IPv6"].push({
      addresses: [formatIp(ip)],
      conditions: { ready },
      ...(hostname === "" ? {} : { hostname }),
      ...(nodeName === undefined ? {} : { nodeName }),
      ...(targetRef === undefined ? {} : { targetRef }),
    });
  };
  for (const address of addresses) add(address, true);
  for (const address of notReadyAddresses) add(address, false);
  return { endpoints, invalid, skipped };
}

function shapeOf({ metadata }: Stored<Endpoints>, addressType: IpFamily, names: Names): SliceShape {
  const { name, uid, labels } = metadata;
  const {
    [names.endpointsTriggerTimeAnnotation]: _,
    [names.lastAppliedAnnotation]: __,
    ...annotations
  } = metadata.annotations ?? {};
  return {
    addressType,
    generateName: `${name}-`,
    owner: { apiVersion: "v1", kind: "Endpoints", name, uid, controller: true, blockOwnerDeletion: true },
    labels: { ...labels, [names.serviceNameLabel]: name, [names.managedByLabel]: names.sliceMirroringController },
    annotations,
  };
}
