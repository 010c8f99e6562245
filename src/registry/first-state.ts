// What a new store begins with: objects that are the same everywhere and that every first start would make one by one.
// They are made once, when the program is built, by a start of this very program.

import type { Clock } from "../base/clock.ts";
import { timeOfMs } from "../meta/time.ts";
import type { Revision, StorageEngine } from "../storage/engine.ts";
import { isStorageError } from "../storage/storage-error.ts";
import { newUid } from "./write.ts";

/** What the clock says while they are made. In a store, the time of its own first start takes its place. */
export const PREPARED_AT_MS = Date.parse("2000-01-01T00:00:00Z");

/** Where the server is while they are made. In a store, the address of the server that lays them takes its place. */
export const PREPARED_ADDRESS = "192.0.2.1";

/** Nothing in their objects depends on the machine, its addresses or its keys. */
const RESOURCES = [
  ...["clusterrolebindings", "clusterroles", "rolebindings", "roles"],
  ...["apiregistration", "flowschemas", "namespaces", "prioritylevelconfigurations", "priorityclasses"],
];
/** The Service of the API, under services its Endpoints too. */
const NETWORK_RESOURCES = ["endpointslices", "ipaddresses", "servicecidrs", "services"];

/** Keys and values, of a store in which a server has started. */
export async function prepareFirstState(engine: StorageEngine): Promise<string> {
  const { entries } = await engine.list("");
  const prepared = entries.filter(({ key }) => isOf(key, RESOURCES) || isOf(key, NETWORK_RESOURCES));
  return JSON.stringify(prepared.map(({ key, value }) => [key, Buffer.from(value).toString("utf8")]));
}

const isOf = (key: string, resources: readonly string[]): boolean =>
  resources.some((resource) => key.split("/")[2]?.startsWith(resource));

interface LaidState {
  /** The keys of what this start has put there, and at which revision: nobody need check those. */
  readonly revisions: ReadonlyMap<string, Revision>;
  /** Whether that is all of what was prepared: nobody need complete it. */
  readonly whole: boolean;
}

export const NOTHING_LAID: LaidState = { revisions: new Map(), whole: false };

/**
 * Puts them into a store that is empty, as objects of their own. Several servers may do so at once. `address`: IPv4, of a
 * server whose ports and ranges are those that nobody has set; without it nothing of its network is put there.
 */
export async function layFirstState(
  engine: StorageEngine,
  prepared: string,
  clock: Clock,
  address: string | undefined,
): Promise<LaidState> {
  const { entries } = await engine.list("", { limit: 1 });
  if (entries.length > 0) return NOTHING_LAID;
  const laid = new Map<string, Revision>();
  const now = timeOfMs(clock.nowMs());
  const all = JSON.parse(prepared) as [string, string][];
  const wanted = address === undefined ? all.filter(([key]) => !isOf(key, NETWORK_RESOURCES)) : all;
  const puts = wanted.map(async ([key, value]) => {
    const own = value.replace(UID, `"uid":"${newUid()}"`).replaceAll(PREPARED_AT, now);
    const object = isOf(key, NETWORK_RESOURCES) ? own.replaceAll(PREPARED_ADDRESS, address!) : own;
    try {
      laid.set(key, await engine.create(key, Buffer.from(object)));
    } catch (error) {
      if (!isStorageError(error, "KeyExists")) throw error;
    }
  });
  await Promise.all(puts);
  return { revisions: laid, whole: laid.size === puts.length };
}

/** Of the object itself, the first that it names. */
const UID = /"uid":"[0-9a-f-]{36}"/;
const PREPARED_AT = timeOfMs(PREPARED_AT_MS);
