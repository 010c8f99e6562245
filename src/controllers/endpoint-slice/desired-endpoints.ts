// What the slices of a Service should hold, of one family: from its pods and their nodes. Pure.
// Requirements: document 3, "Service", "EndpointSlice".

import type { Stored } from "../../client/informer.ts";
import type { Node } from "../../kinds/core/node.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Service } from "../../kinds/core/service.ts";
import type { IpFamily } from "../../kinds/networking/ip-fields.ts";
import type { Names } from "../../meta/names.ts";
import {
  addressOf,
  hasHostname,
  isPodEnding,
  isPodFinished,
  isPodReady,
  targetPortOf,
} from "../service-backends/backend-pod.ts";
import type { SliceEndpoint, SlicePort } from "../slices/slice-endpoint.ts";

interface DesiredEndpoints {
  /** Each with other ports. */
  readonly groups: readonly { readonly ports: readonly SlicePort[]; readonly endpoints: SliceEndpoint[] }[];
  /** A sentence for each pod that is left out although it should not be. */
  readonly problems: readonly string[];
}

interface DesiredRequest {
  readonly service: Stored<Service>;
  /** Those that the Service selects. */
  readonly pods: readonly Stored<Pod>[];
  readonly family: IpFamily;
  readonly nodeOf: (name: string) => Node | undefined;
  readonly names: Names;
}

export function desiredEndpoints({ service, pods, family, nodeOf, names }: DesiredRequest): DesiredEndpoints {
  const groups = new Map<string, { ports: readonly SlicePort[]; endpoints: SliceEndpoint[] }>();
  const problems: string[] = [];
  const publishAll = service.spec.publishNotReadyAddresses === true;
  for (const pod of pods) {
    if (isPodFinished(pod)) continue;
    const address = addressOf(pod, family);
    if (address.type === "none") continue;
    const { name } = pod.metadata;
    if (address.type === "refused") {
      problems.push(`skipping Pod ${name}: its address ${address.ip} ${address.why}`);
      continue;
    }
    const node = nodeOf(pod.spec.nodeName ?? "");
    if (node === undefined && !publishAll) {
      problems.push(`skipping Pod ${name}: Node ${pod.spec.nodeName ?? ""} Not Found`);
      continue;
    }
    const numbers = (service.spec.ports ?? []).map((port) => targetPortOf(pod, port));
    const key = numbers.join();
    let group = groups.get(key);
    if (group === undefined) {
      group = { ports: portsOf(service, numbers), endpoints: [] };
      groups.set(key, group);
    }
    group.endpoints.push(endpointOf(service, pod, address.ip, node?.metadata.labels?.[names.zoneLabel]));
  }
  return { groups: [...groups.values()], problems };
}

/** The families of the slices of a Service. */
export function familiesOf({ spec }: Service): readonly IpFamily[] {
  if ((spec.ipFamilies ?? []).length > 0) return spec.ipFamilies as IpFamily[];
  const ip = spec.clusterIP ?? "";
  if (ip === "" || ip === "None") return ["IPv4", "IPv6"];
  return [ip.includes(":") ? "IPv6" : "IPv4"];
}

/** A port whose name the pods do not have is left out; a Service without an address may do without ports. */
function portsOf({ spec }: Service, numbers: readonly (number | undefined)[]): SlicePort[] {
  return (spec.ports ?? []).flatMap(({ name = "", protocol = "TCP", appProtocol }, index): SlicePort[] => {
    const port = numbers[index];
    return port === undefined ? [] : [{ name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

function endpointOf(service: Service, pod: Stored<Pod>, ip: string, zone: string | undefined): SliceEndpoint {
  const { namespace = "", name, uid } = pod.metadata;
  const { nodeName = "", hostname } = pod.spec;
  const serving = isPodReady(pod);
  const terminating = isPodEnding(pod);
  return {
    addresses: [ip],
    conditions: {
      ready: service.spec.publishNotReadyAddresses === true || (serving && !terminating),
      serving,
      terminating,
    },
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(nodeName === "" ? {} : { nodeName }),
    ...(zone === undefined || zone === "" ? {} : { zone }),
    ...(hostname !== undefined && hasHostname(pod, service) ? { hostname } : {}),
  };
}
