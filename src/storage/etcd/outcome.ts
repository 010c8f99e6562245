// Finds out what became of a write whose answer was lost with the connection. Only what the store proves is reported;
// the rest is Undecided: never a success that was not, never a conflict with one's own first try.
//
// What proves what. The write compares on the revision it expects, and revisions are never used twice, so at most one
// commit ever replaces that revision: its successor. If the successor holds our bytes and came after we began, and no other
// writer of this process tried the same, the successor is ours. (Another process that at the same moment replaced the same
// revision by the very same bytes cannot be told from us.) A delete has no bytes, so only its not having happened can be
// proved.

import type { Revision } from "../engine.ts";
import { isStorageError, StorageError } from "../storage-error.ts";
import type { DatedEntry, EtcdReader } from "./reader.ts";

export interface WriteIntent {
  readonly type: "create" | "update" | "delete";
  readonly key: string;
  /** The revision that the write replaces; 0 for a create. */
  readonly expected: Revision;
  /** undefined for a delete. */
  readonly value: Uint8Array | undefined;
}

interface BegunWrite {
  readonly intent: WriteIntent;
  /** The newest revision known before the first try: our commit can only come after it. */
  readonly newestBefore: Revision;
}

interface Rivals {
  active: number;
  /** Whether there has been more than one since there was any. */
  several: boolean;
}

// How many commits on top of ours are looked through before giving up.
const MAX_STEPS_BACK = 32;

export class OutcomeFinder {
  readonly #reader: EtcdReader;
  readonly #rivals = new Map<string, Rivals>();

  constructor(reader: EtcdReader) {
    this.#reader = reader;
  }

  begin(intent: WriteIntent): BegunWrite {
    const id = identity(intent);
    const rivals = this.#rivals.get(id);
    if (rivals === undefined) this.#rivals.set(id, { active: 1, several: false });
    else {
      rivals.active++;
      rivals.several = true;
    }
    return { intent, newestBefore: this.#reader.newestSeen };
  }

  end(began: BegunWrite): void {
    const id = identity(began.intent);
    const rivals = this.#rivals.get(id);
    if (rivals !== undefined && --rivals.active === 0) this.#rivals.delete(id);
  }

  /** A create whose only try was interrupted. */
  async ofInterruptedCreate(began: BegunWrite, cause: unknown): Promise<Revision> {
    const { key } = began.intent;
    const held = await this.#read(began, cause);
    // Absent may mean: not done, not done yet, or done and deleted since.
    if (held === undefined) throw undecided(began, cause);
    if (held.createRevision <= began.newestBefore) throw refusal(began.intent, held);
    const first = held.createRevision === held.revision ? held : await this.#read(began, cause, held.createRevision);
    if (first !== undefined && this.#isOurs(began, first)) return first.revision;
    throw undecided(began, cause, `${key} was created by someone at revision ${held.createRevision}`);
  }

  /** An update or delete that was interrupted and, sent again, found another revision than it expects. */
  async afterRefusal(began: BegunWrite, held: DatedEntry | undefined): Promise<Revision> {
    const { intent } = began;
    const aliveSinceExpected = held !== undefined && held.createRevision <= intent.expected;
    if (!aliveSinceExpected) throw undecided(began);
    if (intent.type === "delete") throw refusal(intent, held);

    const successor = await this.#successorOfExpected(began, held);
    if (this.#isOurs(began, successor)) return successor.revision;
    if (sameBytes(successor, intent) && successor.revision > began.newestBefore) throw undecided(began);
    throw refusal(intent, held);
  }

  /** The revision of a write that etcd did although it answered "no space": so it treats the one that meets the quota. */
  async despiteNoSpace(began: BegunWrite): Promise<Revision | undefined> {
    const { type, expected } = began.intent;
    const held = await this.#read(began, undefined);
    if (held === undefined || type === "delete") return undefined;
    if (type === "create" ? held.createRevision <= began.newestBefore : held.revision <= expected) return undefined;
    try {
      return type === "create"
        ? await this.ofInterruptedCreate(began, undefined)
        : await this.afterRefusal(began, held);
    } catch (error) {
      if (isStorageError(error)) return undefined;
      throw error;
    }
  }

  /** Walks from what the key holds now back to the commit that replaced the expected revision. */
  async #successorOfExpected(began: BegunWrite, held: DatedEntry): Promise<DatedEntry> {
    let entry = held;
    for (let step = 0; step < MAX_STEPS_BACK; step++) {
      const before = await this.#read(began, undefined, entry.revision - 1);
      if (before === undefined) break;
      if (before.revision <= began.intent.expected) return entry;
      entry = before;
    }
    throw undecided(began);
  }

  #isOurs(began: BegunWrite, entry: DatedEntry): boolean {
    const alone = this.#rivals.get(identity(began.intent))?.several === false;
    return alone && entry.revision > began.newestBefore && sameBytes(entry, began.intent);
  }

  async #read(began: BegunWrite, cause: unknown, revision?: Revision): Promise<DatedEntry | undefined> {
    try {
      return await this.#reader.get(began.intent.key, revision);
    } catch (error) {
      throw isStorageError(error, "RevisionGone", "Unavailable") ? undecided(began, cause ?? error) : error;
    }
  }
}

/** What a failed comparison means when no earlier try can be to blame. */
export function refusal(intent: WriteIntent, held: DatedEntry | undefined): StorageError {
  const { key } = intent;
  if (intent.type === "create") return new StorageError("KeyExists", `${key} exists`, { key });
  if (held === undefined) return new StorageError("KeyNotFound", `${key} does not exist`, { key });
  const current = { key, value: held.value, revision: held.revision };
  const message = `${key} is at revision ${held.revision}, not ${intent.expected}`;
  return new StorageError("RevisionMismatch", message, { key, current });
}

function undecided(began: BegunWrite, cause?: unknown, finding = "the store cannot tell"): StorageError {
  const { key, type } = began.intent;
  return new StorageError(
    "Undecided",
    `the connection to etcd was lost during ${type}; whether it happened: ${finding}`,
    {
      key,
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

function sameBytes(entry: DatedEntry, intent: WriteIntent): boolean {
  return intent.value !== undefined && Buffer.compare(entry.value, intent.value) === 0;
}

function identity(intent: WriteIntent): string {
  return `${intent.expected} ${intent.key}`;
}
