// From the slices that are there to the endpoints that should be there, with few writes: what is right stays where it is,
// what is missing fills slices that change anyway, then the one it fits best, then new ones. Pure.
// Requirements: document 3, "EndpointSlice".

import { equalJson } from "../../base/json.ts";
import type { Stored } from "../../client/informer.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import type { EndpointSlice } from "../../kinds/discovery/endpoint-slice.ts";
import type { OwnerReference } from "../../meta/object.ts";
import { endpointIdentity, equalEndpoints, portsKey, type SliceEndpoint, type SlicePort } from "./slice-endpoint.ts";

/** Endpoints that offer the same ports. */
export interface EndpointGroup {
  readonly ports: readonly SlicePort[];
  readonly endpoints: readonly SliceEndpoint[];
}

/** What all slices of one owner and one family have in common. */
export interface SliceShape {
  readonly addressType: "IPv4" | "IPv6";
  readonly generateName: string;
  readonly owner: OwnerReference;
  readonly labels: Readonly<Record<string, string>>;
  /** Where given, exactly the annotations of slices; else they are nobody's business. */
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface SlicePlan {
  readonly create: readonly Draft<EndpointSlice>[];
  readonly update: readonly Stored<EndpointSlice>[];
  readonly remove: readonly Stored<EndpointSlice>[];
}

export interface PackRequest {
  /** Of this family. */
  readonly existing: readonly Stored<EndpointSlice>[];
  readonly groups: Iterable<EndpointGroup>;
  readonly shape: SliceShape;
  readonly maxEndpoints: number;
  /** Without any endpoints one empty slice without ports remains: it says that somebody has looked. */
  readonly keepEmpty: boolean;
}

export function packSlices({ existing, groups, shape, maxEndpoints, keepEmpty }: PackRequest): SlicePlan {
  const surplus: Stored<EndpointSlice>[] = [];
  const byPorts = new Map<string, Stored<EndpointSlice>[]>();
  for (const slice of [...existing].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))) {
    if (!isOwnedBy(slice, shape.owner)) {
      surplus.push(slice);
      continue;
    }
    const key = portsKey(slice.ports);
    const list = byPorts.get(key);
    if (list === undefined) byPorts.set(key, [slice]);
    else list.push(slice);
  }
  const filled = [...groups].filter(({ endpoints }) => endpoints.length > 0);
  const bins: Bin[] = [];
  for (const group of filled.length > 0 ? filled : [NOTHING]) {
    const key = portsKey(group.ports);
    for (const bin of packGroup(group, byPorts.get(key) ?? [], shape, maxEndpoints)) bins.push(bin);
    byPorts.delete(key);
  }
  for (const slices of byPorts.values()) for (const slice of slices) surplus.push(slice);
  return planOf(bins, surplus, shape, keepEmpty && filled.length === 0);
}

const NOTHING: EndpointGroup = { ports: [], endpoints: [] };

/** A slice in the making. */
interface Bin {
  readonly slice: Stored<EndpointSlice> | undefined;
  readonly ports: readonly SlicePort[];
  readonly endpoints: SliceEndpoint[];
  changed: boolean;
}

function packGroup(
  { ports, endpoints }: EndpointGroup,
  slices: readonly Stored<EndpointSlice>[],
  shape: SliceShape,
  maxEndpoints: number,
): Bin[] {
  const missing = new Map(endpoints.map((endpoint) => [endpointIdentity(endpoint), endpoint]));
  const bins = slices.map((slice): Bin => {
    const bin: Bin = { slice, ports, endpoints: [], changed: !hasShape(slice, shape) };
    for (const held of slice.endpoints ?? []) {
      const identity = endpointIdentity(held);
      const wanted = missing.get(identity);
      if (wanted === undefined || bin.endpoints.length >= maxEndpoints) {
        bin.changed = true;
        continue;
      }
      missing.delete(identity);
      bin.endpoints.push(wanted);
      if (!equalEndpoints(held, wanted)) bin.changed = true;
    }
    return bin;
  });
  const left = [...missing.values()].reverse();
  const fill = (bin: Bin): void => {
    while (left.length > 0 && bin.endpoints.length < maxEndpoints) bin.endpoints.push(left.pop()!);
    bin.changed = true;
  };
  const changing = bins.filter(({ changed, endpoints }) => changed && endpoints.length > 0);
  for (const bin of changing.sort((a, b) => b.endpoints.length - a.endpoints.length)) if (left.length > 0) fill(bin);
  while (left.length > 0) {
    let bin = bestFit(bins, left.length, maxEndpoints);
    if (bin === undefined) {
      bin = { slice: undefined, ports, endpoints: [], changed: true };
      bins.push(bin);
    }
    fill(bin);
  }
  return bins;
}

/** The slice that is fullest once `count` more are in it. */
function bestFit(bins: readonly Bin[], count: number, maxEndpoints: number): Bin | undefined {
  let best: Bin | undefined;
  for (const bin of bins) {
    const size = bin.endpoints.length;
    if (bin.changed || size === 0 || size + count > maxEndpoints) continue;
    if (best === undefined || size > best.endpoints.length) best = bin;
  }
  return best;
}

function planOf(
  bins: readonly Bin[],
  surplus: Stored<EndpointSlice>[],
  shape: SliceShape,
  keepEmpty: boolean,
): SlicePlan {
  const created: Bin[] = [];
  const update: Stored<EndpointSlice>[] = [];
  let kept = 0;
  for (const bin of bins) {
    const { slice, endpoints, changed } = bin;
    if (endpoints.length === 0 && slice !== undefined && !(keepEmpty && kept === 0)) {
      surplus.push(slice);
      continue;
    }
    kept += 1;
    if (slice === undefined) created.push(bin);
    else if (changed) update.push(updated(slice, bin, shape));
  }
  if (keepEmpty && kept === 0) created.push({ slice: undefined, ...NOTHING, endpoints: [], changed: true });
  // One write instead of two: what would go becomes what would be new.
  const remove: Stored<EndpointSlice>[] = [];
  for (const slice of surplus) {
    const bin = isOwnedBy(slice, shape.owner) ? created.pop() : undefined;
    if (bin === undefined) remove.push(slice);
    else update.push(updated(slice, bin, shape));
  }
  return { create: created.map((bin) => draftOf(bin, shape)), update, remove };
}

function updated(slice: Stored<EndpointSlice>, { ports, endpoints }: Bin, shape: SliceShape): Stored<EndpointSlice> {
  const { annotations, labels } = shape;
  const metadata = { ...slice.metadata, labels: { ...labels } };
  if (annotations !== undefined) metadata.annotations = { ...annotations };
  return { ...slice, metadata, ports: [...ports], endpoints };
}

function draftOf({ ports, endpoints }: Bin, shape: SliceShape): Draft<EndpointSlice> {
  const { addressType, generateName, owner, labels, annotations } = shape;
  return {
    metadata: {
      generateName,
      labels: { ...labels },
      ownerReferences: [{ ...owner }],
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    },
    addressType,
    ports: [...ports],
    endpoints,
  };
}

function isOwnedBy({ metadata }: Stored<EndpointSlice>, owner: OwnerReference): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ uid, kind, apiVersion }) => uid === owner.uid && kind === owner.kind && apiVersion === owner.apiVersion,
  );
}

function hasShape({ metadata }: Stored<EndpointSlice>, { labels, annotations }: SliceShape): boolean {
  return (
    equalJson(metadata.labels ?? {}, labels) &&
    (annotations === undefined || equalJson(metadata.annotations ?? {}, annotations))
  );
}
