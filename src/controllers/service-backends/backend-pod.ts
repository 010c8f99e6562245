// Which pods answer for a Service and where: what Endpoints and EndpointSlices are made of. Pure.
// Requirements: document 3, "Service", "EndpointSlice".

import type { Pod } from "../../kinds/core/pod.ts";
import type { ServicePort } from "../../kinds/core/service/schema.ts";
import type { Service } from "../../kinds/core/service.ts";
import { type IpFamily, readIp, validateEndpointIp } from "../../kinds/networking/ip-fields.ts";
import { formatIp } from "../../meta/ip.ts";

/** Whether the endpoints of a Service are the pods that it selects: not without a selector, not for an alias of a name. */
export function followsSelector({ spec }: Service): boolean {
  return spec.type !== "ExternalName" && Object.keys(spec.selector ?? {}).length > 0;
}

/** No address of its own: names lead to the pods themselves. */
export function hasNoClusterIp({ spec }: Service): boolean {
  return spec.clusterIP === undefined || spec.clusterIP === "" || spec.clusterIP === "None";
}

export function isPodReady({ status }: Pod): boolean {
  return (status?.conditions ?? []).some(({ type, status }) => type === "Ready" && status === "True");
}

export function isPodFinished({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

export function isPodEnding({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Whether the pod has a name of its own below that of the Service. */
export function hasHostname({ metadata, spec }: Pod, service: Service): boolean {
  return (
    (spec.hostname ?? "") !== "" &&
    spec.subdomain === service.metadata.name &&
    metadata.namespace === service.metadata.namespace
  );
}

type PodAddress =
  | { readonly type: "address"; readonly ip: string }
  | { readonly type: "none" }
  /** What the pod says cannot be an endpoint. */
  | { readonly type: "refused"; readonly ip: string; readonly why: string };

/** Pods are frozen and live long: what they say is read once. */
const KNOWN: Readonly<Record<IpFamily, WeakMap<Pod, PodAddress>>> = { IPv4: new WeakMap(), IPv6: new WeakMap() };

/** The first address of a family, spelt as slices want it. */
export function addressOf(pod: Pod, family: IpFamily): PodAddress {
  const known = KNOWN[family].get(pod);
  if (known !== undefined) return known;
  const address = readAddress(pod, family);
  KNOWN[family].set(pod, address);
  return address;
}

function readAddress({ status }: Pod, family: IpFamily): PodAddress {
  for (const text of podIps(status)) {
    const ip = readIp(text);
    if ((ip === undefined ? familyOfText(text) : ip.family === 4 ? "IPv4" : "IPv6") !== family) continue;
    const problem = validateEndpointIp(text, "")[0];
    if (ip === undefined || problem !== undefined)
      return { type: "refused", ip: text, why: problem?.detail ?? "must be a valid IP address" };
    return { type: "address", ip: formatIp(ip) };
  }
  return { type: "none" };
}

export function podIps(status: Pod["status"]): readonly string[] {
  const { podIPs, podIP } = status ?? {};
  if (podIPs !== undefined && podIPs !== null && podIPs.length > 0) return podIPs.map(({ ip }) => ip ?? "");
  return podIP === undefined || podIP === "" ? [] : [podIP];
}

const familyOfText = (text: string): IpFamily => (text.includes(":") ? "IPv6" : "IPv4");

/** The number of the port of the pod that a port of the Service means; undefined when the pod has no such port. */
export function targetPortOf({ spec }: Pod, { targetPort, port, protocol = "TCP" }: ServicePort): number | undefined {
  if (targetPort === undefined || targetPort === null || targetPort === 0 || targetPort === "") return port;
  if (typeof targetPort === "number") return targetPort;
  // Containers that start first and stay are as good as the others.
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  for (const { ports } of [...(spec.containers ?? []), ...sidecars]) {
    for (const { name, containerPort, protocol: spoken = "TCP" } of ports ?? [])
      if (name === targetPort && spoken === protocol) return containerPort;
  }
  return undefined;
}
