// Which record of an address or a port is meant: another one of the same owner may have taken its place. Pure.

import type { ApiObject } from "../../meta/object.ts";
import type { Revision } from "../../registry/items.ts";

/** The one with this uid, or one that was written before this revision: by which its owner did not use it any more. */
export type WhichRecord = { readonly uid: string } | { readonly before: Revision };

export function isMeant({ metadata }: ApiObject, which: WhichRecord): boolean {
  return "uid" in which ? metadata.uid === which.uid : Number(metadata.resourceVersion) < which.before;
}
