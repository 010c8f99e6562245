// The subsets of Endpoints in one form, whatever way they were written: ports that have the same addresses share a subset,
// every list is in order. Pure. Requirements: document 3, "Endpoints".

import { canonicalText } from "../../base/json.ts";
import type { Endpoints } from "../../kinds/core/endpoints.ts";

export type Subset = NonNullable<Endpoints["subsets"]>[number];
export type SubsetAddress = NonNullable<Subset["addresses"]>[number];
export type SubsetPort = NonNullable<Subset["ports"]>[number];

/** One address, with one of its ports or with none at all. */
export interface SubsetEntry {
  readonly address: SubsetAddress;
  readonly port: SubsetPort | undefined;
  readonly ready: boolean;
}

export function packSubsets(entries: Iterable<SubsetEntry>): Subset[] {
  const byPort = new Map<string, { port: SubsetPort | undefined; members: Map<string, Member> }>();
  // What an address said first (its host name, its node) is what it says with every port.
  const addresses = new Map<string, SubsetAddress>();
  for (const { address: given, port, ready } of entries) {
    const portKey = port === undefined ? "" : canonicalText(port);
    let held = byPort.get(portKey);
    if (held === undefined) {
      held = { port, members: new Map() };
      byPort.set(portKey, held);
    }
    const key = `${given.ip}/${given.targetRef?.uid ?? ""}`;
    const address = addresses.get(key) ?? given;
    addresses.set(key, address);
    const known = held.members.get(key);
    // An address is ready or it is not; what is not ready anywhere is not.
    if (known === undefined) held.members.set(key, { key, address, ready });
    else if (!ready) held.members.set(key, { ...known, ready });
  }
  const byMembers = new Map<string, { ports: SubsetPort[]; members: readonly Member[] }>();
  for (const { port, members } of byPort.values()) {
    const sorted = [...members.values()].sort((a, b) => compare(a.key, b.key));
    const membersKey = JSON.stringify(sorted.map(({ key, ready }) => [key, ready]));
    let held = byMembers.get(membersKey);
    if (held === undefined) {
      held = { ports: [], members: sorted };
      byMembers.set(membersKey, held);
    }
    if (port !== undefined) held.ports.push(port);
  }
  return [...byMembers.entries()].sort(([a], [b]) => compare(a, b)).map(([, held]) => subsetOf(held));
}

/** What subsets say, entry by entry. */
export function* entriesOf(subsets: Endpoints["subsets"] | null | undefined): Iterable<SubsetEntry> {
  for (const { addresses, notReadyAddresses, ports } of subsets ?? []) {
    for (const port of (ports ?? []).length === 0 ? [undefined] : (ports ?? [])) {
      for (const address of addresses ?? []) yield { address, port, ready: true };
      for (const address of notReadyAddresses ?? []) yield { address, port, ready: false };
    }
  }
}

interface Member {
  readonly key: string;
  readonly address: SubsetAddress;
  readonly ready: boolean;
}

function subsetOf({ ports, members }: { ports: SubsetPort[]; members: readonly Member[] }): Subset {
  const addresses = members.filter(({ ready }) => ready).map(({ address }) => address);
  const notReadyAddresses = members.filter(({ ready }) => !ready).map(({ address }) => address);
  return {
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
    ...(ports.length === 0 ? {} : { ports: ports.sort((a, b) => compare(portOrder(a), portOrder(b))) }),
  };
}

const portOrder = ({ name = "", port, protocol = "TCP" }: SubsetPort): string =>
  `${name}/${String(port).padStart(5, "0")}/${protocol}`;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
