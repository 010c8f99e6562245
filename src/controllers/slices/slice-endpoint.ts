// Endpoints and ports of slices: which are the same, and which are equal. Pure.

import { canonicalText, equalJson } from "../../base/json.ts";
import type { EndpointSlice } from "../../kinds/discovery/endpoint-slice.ts";

export type SliceEndpoint = NonNullable<EndpointSlice["endpoints"]>[number];
export type SlicePort = NonNullable<EndpointSlice["ports"]>[number];

/** The same text for the same ports, in whatever order: endpoints with the same ports share slices. */
export function portsKey(ports: readonly SlicePort[] | null | undefined): string {
  const texts = (ports ?? []).map(({ name = "", protocol = "TCP", port, appProtocol }) =>
    canonicalText({ name, protocol, port, appProtocol }),
  );
  return texts.sort().join();
}

/** What an endpoint is, whatever state it is in. */
export function endpointIdentity({ addresses, hostname = "", targetRef }: SliceEndpoint): string {
  const sorted = (addresses ?? []).length < 2 ? (addresses ?? []) : [...(addresses ?? [])].sort();
  // Names and addresses have no spaces.
  return `${sorted.join()} ${hostname} ${targetRef?.namespace ?? ""} ${targetRef?.name ?? ""}`;
}

/** Whether an endpoint need not be written again; of the object behind it another version is the same one. */
export function equalEndpoints(a: SliceEndpoint, b: SliceEndpoint): boolean {
  return (
    a.nodeName === b.nodeName &&
    a.zone === b.zone &&
    a.hostname === b.hostname &&
    a.conditions?.ready === b.conditions?.ready &&
    a.conditions?.serving === b.conditions?.serving &&
    a.conditions?.terminating === b.conditions?.terminating &&
    equalJson(a.addresses, b.addresses) &&
    equalReferences(a.targetRef, b.targetRef) &&
    equalJson(a.hints, b.hints)
  );
}

function equalReferences(a: SliceEndpoint["targetRef"], b: SliceEndpoint["targetRef"]): boolean {
  return (
    a?.uid === b?.uid &&
    a?.name === b?.name &&
    a?.namespace === b?.namespace &&
    a?.kind === b?.kind &&
    a?.apiVersion === b?.apiVersion &&
    a?.fieldPath === b?.fieldPath
  );
}
