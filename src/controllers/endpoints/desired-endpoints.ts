// The Endpoints that a Service should have. Pure. Requirements: document 3, "Service", "Endpoints".

import { equalJson } from "../../base/json.ts";
import type { Stored } from "../../client/informer.ts";
import type { Endpoints } from "../../kinds/core/endpoints.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Service } from "../../kinds/core/service.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import type { IpFamily } from "../../kinds/networking/ip-fields.ts";
import type { Names } from "../../meta/names.ts";
import {
  addressOf,
  hasHostname,
  hasNoClusterIp,
  isPodEnding,
  isPodFinished,
  isPodReady,
  podIps,
  targetPortOf,
} from "../service-backends/backend-pod.ts";
import {
  entriesOf,
  packSubsets,
  type Subset,
  type SubsetAddress,
  type SubsetEntry,
  type SubsetPort,
} from "../service-backends/pack-subsets.ts";

/** More addresses do not fit into one object: slices hold them all. */
export const MAX_ADDRESSES = 1_000;
const MANAGER = "endpoint-controller";

interface EndpointsRequest {
  readonly service: Stored<Service>;
  readonly pods: readonly Stored<Pod>[];
  readonly current: Stored<Endpoints> | undefined;
  readonly triggerTime: string | undefined;
  readonly names: Names;
}

/** What to write; undefined when the current ones are right. */
export function endpointsToWrite(request: EndpointsRequest): Draft<Endpoints> | undefined {
  const { service, pods, current, triggerTime, names } = request;
  const { subsets, truncated } = truncate(packSubsets(podEntries(service, pods)));
  const labels = labelsOf(service, names);
  const { endpointsTriggerTimeAnnotation: timeKey, endpointsOverCapacityAnnotation: capacityKey } = names;
  const { [timeKey]: _, [capacityKey]: capacity, ...kept } = current?.metadata.annotations ?? {};
  const wantedCapacity = truncated ? "truncated" : undefined;
  if (
    current !== undefined &&
    capacity === wantedCapacity &&
    equalJson(current.metadata.labels ?? {}, labels) &&
    equalSubsets(current.subsets, subsets)
  )
    return undefined;
  const annotations: Record<string, string> = kept;
  if (triggerTime !== undefined) annotations[timeKey] = triggerTime;
  if (wantedCapacity !== undefined) annotations[capacityKey] = wantedCapacity;
  const { namespace = "", name } = service.metadata;
  const metadata = current === undefined ? { namespace, name } : current.metadata;
  return { metadata: { ...metadata, labels, annotations }, subsets };
}

/** All of them are cut in proportion, those that are not ready first. */
export function truncate(subsets: readonly Subset[]): { readonly subsets: Subset[]; readonly truncated: boolean } {
  const sum = (count: (subset: Subset) => number): number => subsets.reduce((total, each) => total + count(each), 0);
  const ready = sum(({ addresses }) => addresses?.length ?? 0);
  const notReady = sum(({ notReadyAddresses }) => notReadyAddresses?.length ?? 0);
  if (ready + notReady <= MAX_ADDRESSES) return { subsets: [...subsets], truncated: false };
  const cutReady = ready > MAX_ADDRESSES;
  const room = cutReady ? MAX_ADDRESSES : MAX_ADDRESSES - ready;
  const total = cutReady ? ready : notReady;
  let left = room;
  const cut = subsets.map(({ addresses = [], notReadyAddresses = [], ports }): Subset => {
    const list = cutReady ? addresses : notReadyAddresses;
    const part = list.slice(0, Math.min(left, Math.ceil((list.length / total) * room)));
    left -= part.length;
    const [kept, keptNotReady] = cutReady ? [part, []] : [addresses, part];
    return {
      ...(kept.length === 0 ? {} : { addresses: kept }),
      ...(keptNotReady.length === 0 ? {} : { notReadyAddresses: keptNotReady }),
      ...(ports === undefined ? {} : { ports }),
    };
  });
  const filled = cut.filter(({ addresses, notReadyAddresses }) => addresses ?? notReadyAddresses);
  return { subsets: filled, truncated: true };
}

function* podEntries(service: Stored<Service>, pods: readonly Stored<Pod>[]): Iterable<SubsetEntry> {
  const publishAll = service.spec.publishNotReadyAddresses === true;
  for (const pod of pods) {
    if (isPodFinished(pod) || (isPodEnding(pod) && !publishAll)) continue;
    const address = subsetAddress(service, pod);
    if (address === undefined) continue;
    const ready = publishAll || isPodReady(pod);
    if ((service.spec.ports ?? []).length === 0 && service.spec.clusterIP === "None")
      yield { address, port: undefined, ready };
    for (const servicePort of service.spec.ports ?? []) {
      const number = targetPortOf(pod, servicePort);
      if (number === undefined) continue;
      const { name = "", protocol = "TCP", appProtocol } = servicePort;
      const port: SubsetPort = {
        ...(name === "" ? {} : { name }),
        port: number,
        protocol,
        ...(appProtocol === undefined ? {} : { appProtocol }),
      };
      yield { address, port, ready };
    }
  }
}

function subsetAddress(service: Stored<Service>, pod: Stored<Pod>): SubsetAddress | undefined {
  const address = addressOf(pod, primaryFamily(service, pod));
  if (address.type !== "address") return undefined;
  const { namespace = "", name, uid } = pod.metadata;
  const { nodeName = "", hostname } = pod.spec;
  return {
    ip: address.ip,
    ...(hostname !== undefined && hasHostname(pod, service) ? { hostname } : {}),
    ...(nodeName === "" ? {} : { nodeName }),
    targetRef: { kind: "Pod", namespace, name, uid },
  };
}

/** Endpoints have one family only, the first of the Service. */
function primaryFamily({ spec }: Service, pod: Pod): IpFamily {
  const [first] = spec.ipFamilies ?? [];
  if (first !== undefined) return first as IpFamily;
  const ip = hasNoClusterIp({ spec } as Service) ? (podIps(pod.status)[0] ?? "") : (spec.clusterIP ?? "");
  return ip.includes(":") ? "IPv6" : "IPv4";
}

function labelsOf(service: Stored<Service>, { headlessServiceLabel, endpointsManagedByLabel }: Names) {
  const { [headlessServiceLabel]: _, ...labels } = service.metadata.labels ?? {};
  if (hasNoClusterIp(service)) labels[headlessServiceLabel] = "";
  labels[endpointsManagedByLabel] = MANAGER;
  return labels;
}

/** Whatever their order, and whatever version of a pod they name. */
function equalSubsets(held: Endpoints["subsets"], wanted: readonly Subset[]): boolean {
  return equalJson(packSubsets(withoutVersions(held)), packSubsets(entriesOf([...wanted])));
}

function* withoutVersions(subsets: Endpoints["subsets"]): Iterable<SubsetEntry> {
  for (const entry of entriesOf(subsets)) {
    const { targetRef } = entry.address;
    if (targetRef?.resourceVersion === undefined) yield entry;
    else {
      const { resourceVersion: _, ...reference } = targetRef;
      yield { ...entry, address: { ...entry.address, targetRef: reference } };
    }
  }
}
