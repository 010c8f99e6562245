// What a new store begins with: objects that are the same everywhere and that every first start would make one by one.
// They are made once, when the program is built, by a start of this very program.

import type { Clock } from "../base/clock.ts";
import { timeOfMs } from "../meta/time.ts";
import type { EntryOptions, Revision, StorageEngine, StoredEntry } from "../storage/engine.ts";
import { isStorageError } from "../storage/storage-error.ts";
import {
  ownTimeOf,
  type PreparedObject,
  type PreparedObjects,
  placeOf,
  UID,
  writePrepared,
} from "./prepared-objects.ts";
import { serverIdentity } from "./server-identity.ts";
import { newUid } from "./write.ts";

/**
 * Where the server is while they are made, and what its machine is called. In a store, the words of the server that lays
 * them take their place.
 */
export const PREPARED_ADDRESS = "192.0.2.1";
export const PREPARED_HOST = "prepared.invalid";

export const RBAC_RESOURCES = ["clusterrolebindings", "clusterroles", "rolebindings", "roles"] as const;
/** Nothing in their objects depends on the machine, its addresses or its keys. */
const RESOURCES = [
  ...RBAC_RESOURCES,
  ...["apiregistration", "flowschemas", "namespaces", "prioritylevelconfigurations", "priorityclasses"],
  ...["configmaps", "serviceaccounts"],
];
/** The Lease by which a server says that it is there. */
const IDENTITY_RESOURCES = ["leases"];
/** The Service of the API, under services its Endpoints too. */
export const NETWORK_RESOURCES = ["endpointslices", "ipaddresses", "servicecidrs", "services"];
const ALL_RESOURCES = [...RESOURCES, ...NETWORK_RESOURCES, ...IDENTITY_RESOURCES];

/** What objects say of the server that lays them. */
export interface OwnWords {
  /** IPv4, of a server whose ports and ranges are those that nobody has set; without it nothing of its network is laid. */
  readonly address: string | undefined;
  /** Without it no Lease is laid. */
  readonly identity: { readonly serverId: string; readonly host: string; readonly holder: string } | undefined;
}

/** Of a store in which a server has started, the file that readPrepared reads. */
export async function prepareFirstState(engine: StorageEngine): Promise<Buffer> {
  const { entries } = await engine.list("");
  const prepared = entries.filter(({ key }) => ALL_RESOURCES.some((resource) => placeOf(key).startsWith(resource)));
  return writePrepared(prepared.map(({ key, value }) => [key, value]));
}

/** What stands in the store as it was prepared: nobody need check that, or complete it. */
export class FirstState {
  #prepared: PreparedObjects;
  /** What this start has put there. */
  readonly #laid = new Map<string, Revision>();
  /** What it has been shown. */
  readonly #found = new Set<string>();

  constructor(prepared: PreparedObjects = new Map()) {
    this.#prepared = prepared;
  }

  expect(prepared: PreparedObjects): void {
    this.#prepared = prepared;
  }

  /** Puts everything into a store that is empty, as objects of its own. Several servers may do so at once. */
  async lay(engine: StorageEngine, clock: Clock, words: OwnWords): Promise<void> {
    const { entries } = await engine.list("", { limit: 1 });
    if (entries.length > 0) return;
    const now = ownTimeOf(timeOfMs(clock.nowMs()));
    const puts: Promise<void>[] = [];
    for (const prepared of this.#prepared.values()) {
      const own = inOwnWords(prepared, prepared.ownedBy(newUid(), now), words);
      if (own !== undefined) puts.push(this.#put(engine, ...own));
    }
    await Promise.all(puts);
  }

  /** Puts more of what was prepared into the store, as objects of its own; what is there already stays. */
  async layMore(engine: StorageEngine, clock: Clock, prepared: readonly PreparedObject[]): Promise<void> {
    const now = ownTimeOf(timeOfMs(clock.nowMs()));
    const own = ownUids();
    for (const object of prepared) {
      const text = object.at(now).toString().replaceAll(UIDS, own);
      // Decoded as well, as every write has it: whoever watches would check what a server has made already.
      await this.#put(engine, object.key, Buffer.from(text), { attachment: JSON.parse(text) });
    }
  }

  /** Whether what is stored under the key differs from what was prepared in nothing but its own identity and time. */
  has(key: string, revision: Revision, value: Uint8Array): boolean {
    const same = this.#laid.get(key) === revision || this.#isPrepared(key, value);
    if (same) this.#found.add(key);
    return same;
  }

  readonly isAsPrepared = ({ key, revision, value }: StoredEntry): boolean => this.has(key, revision, value);

  /** Whether all that was prepared of these resources is there: this start has put it there, or `has` had it when asked. */
  hasAllOf(resources: readonly string[]): boolean {
    const wanted = [...this.#prepared.values()].filter(({ place }) => resources.includes(place));
    return wanted.length > 0 && wanted.every(({ key }) => this.#laid.has(key) || this.#found.has(key));
  }

  /** The start is over: the texts are of no more use, and large. What this start has laid is still known. */
  forgetTexts(): void {
    this.#prepared = new Map();
    this.#found.clear();
  }

  async #put(engine: StorageEngine, key: string, object: Buffer, options: EntryOptions = {}): Promise<void> {
    try {
      this.#laid.set(key, await engine.create(key, object, options));
    } catch (error) {
      if (!isStorageError(error, "KeyExists")) throw error;
    }
  }

  #isPrepared(key: string, value: Uint8Array): boolean {
    const prepared = this.#prepared.get(key);
    if (prepared === undefined) return false;
    const stored = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    const text = stored.toString();
    const [uid, time] = [UID.exec(text)?.[1], CREATED_AT.exec(text)?.[1]];
    return uid !== undefined && time !== undefined && prepared.ownedBy(uid, ownTimeOf(time)).equals(stored);
  }
}

/** Undefined for what this server does not have, or has otherwise. */
function inOwnWords(
  { key, place }: PreparedObject,
  object: Buffer,
  words: OwnWords,
): [key: string, object: Buffer] | undefined {
  const { address, identity } = words;
  if (NETWORK_RESOURCES.includes(place))
    return address === undefined
      ? undefined
      : [key, reworded(object, (text) => text.replaceAll(PREPARED_ADDRESS, address))];
  if (!IDENTITY_RESOURCES.includes(place)) return [key, object];
  if (identity === undefined) return undefined;
  const { serverId, host, holder } = identity;
  const preparedId = serverIdentity(PREPARED_HOST);
  const own = (text: string): string =>
    text
      .replaceAll(preparedId, serverId)
      .replaceAll(PREPARED_HOST, host)
      .replace(HOLDER, `"holderIdentity":"${holder}"`);
  return [key.replace(preparedId, serverId), reworded(object, own)];
}

const reworded = (object: Buffer, change: (text: string) => string): Buffer => Buffer.from(change(object.toString()));

/** The same new one wherever the same old one stands. */
function ownUids(): (uid: string) => string {
  const uids = new Map<string, string>();
  return (uid) => {
    const own = uids.get(uid) ?? newUid();
    uids.set(uid, own);
    return own;
  };
}

const UIDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const CREATED_AT = /"creationTimestamp":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)"/;
const HOLDER = /"holderIdentity":"[^"]*"/;
