// What has to be written so that the slices of a Service are right. Pure. Requirements: document 3, "EndpointSlice".

import type { Stored } from "../../client/informer.ts";
import type { Node } from "../../kinds/core/node.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Service } from "../../kinds/core/service.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import type { EndpointSlice } from "../../kinds/discovery/endpoint-slice.ts";
import type { IpFamily } from "../../kinds/networking/ip-fields.ts";
import type { Names } from "../../meta/names.ts";
import { hasNoClusterIp } from "../service-backends/backend-pod.ts";
import { packSlices, type SlicePlan, type SliceShape } from "../slices/pack-slices.ts";
import { desiredEndpoints, familiesOf } from "./desired-endpoints.ts";
import { hintByShares, hintCloseEndpoints, isTopologyAware } from "./hints.ts";
import type { ZoneShares } from "./zone-shares.ts";

interface SlicesRequest {
  readonly service: Stored<Service>;
  readonly pods: readonly Stored<Pod>[];
  /** Those of the Service that this controller manages and that do not end. */
  readonly existing: readonly Stored<EndpointSlice>[];
  readonly nodeOf: (name: string) => Node | undefined;
  readonly shares: () => ZoneShares;
  readonly maxEndpoints: number;
  /** When the change happened that led here; undefined when that is not known. */
  readonly triggerTime: string | undefined;
  readonly names: Names;
}

export interface PlannedSlices extends SlicePlan {
  /** A sentence for each pod that is left out although it should not be. */
  readonly problems: readonly string[];
  /** For Services whose topology mode is Auto: by family, why there are no hints, or undefined when there are. */
  readonly hints: ReadonlyMap<IpFamily, string | undefined>;
}

export function planSlices(request: SlicesRequest): PlannedSlices {
  const { service, existing, names } = request;
  const families = familiesOf(service);
  const problems = new Set<string>();
  const hints = new Map<IpFamily, string | undefined>();
  const topologyAware = isTopologyAware(service, names);
  const plans: SlicePlan[] = families.map((family) => {
    const held = existing.filter(({ addressType }) => addressType === family);
    const desired = desiredEndpoints({ ...request, family });
    for (const problem of desired.problems) problems.add(problem);
    const endpoints = desired.groups.flatMap((group) => group.endpoints);
    if (topologyAware) {
      const known = held.flatMap((slice) => slice.endpoints ?? []);
      hints.set(family, hintByShares(endpoints, known, request.shares()));
    } else hintCloseEndpoints(endpoints, service.spec.trafficDistribution);
    const { maxEndpoints } = request;
    return packSlices({
      existing: held,
      groups: desired.groups,
      shape: shapeOf(service, family, names),
      maxEndpoints,
      keepEmpty: true,
    });
  });
  // Families that the Service no longer has. What is neither of them is not ours to judge.
  const dropped = existing.filter(
    ({ addressType }) => addressType !== "FQDN" && !families.includes(addressType as IpFamily),
  );
  const timed = <S extends Draft<EndpointSlice>>(slice: S): S => withTriggerTime(slice, request.triggerTime, names);
  return {
    create: plans.flatMap(({ create }) => create.map(timed)),
    update: plans.flatMap(({ update }) => update.map(timed)),
    remove: [...plans.flatMap(({ remove }) => remove), ...dropped],
    problems: [...problems],
    hints,
  };
}

function shapeOf(service: Stored<Service>, family: IpFamily, names: Names): SliceShape {
  const { name, uid, labels } = service.metadata;
  const { headlessServiceLabel, serviceNameLabel, managedByLabel, sliceController } = names;
  const { [headlessServiceLabel]: _, ...own } = labels ?? {};
  return {
    addressType: family,
    generateName: `${name}-`,
    owner: { apiVersion: "v1", kind: "Service", name, uid, controller: true, blockOwnerDeletion: true },
    labels: {
      ...own,
      ...(hasNoClusterIp(service) ? { [headlessServiceLabel]: "" } : {}),
      [serviceNameLabel]: name,
      [managedByLabel]: sliceController,
    },
  };
}

function withTriggerTime<S extends Draft<EndpointSlice>>(slice: S, time: string | undefined, names: Names): S {
  const { [names.endpointsTriggerTimeAnnotation]: _, ...annotations } = slice.metadata?.annotations ?? {};
  if (time !== undefined) annotations[names.endpointsTriggerTimeAnnotation] = time;
  return { ...slice, metadata: { ...slice.metadata, annotations } };
}
