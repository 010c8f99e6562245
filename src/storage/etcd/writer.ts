// Writes: one transaction each that compares the key's revision and puts or deletes.

import type { EntryOptions, Revision } from "../engine.ts";
import { guardGone, StorageError } from "../storage-error.ts";
import type { Announcement, Attachments } from "./attachments.ts";
import type { EtcdConnection } from "./connection.ts";
import { EtcdFailure, toStorageError } from "./failure.ts";
import type { KeySpace } from "./keys.ts";
import type { LeaseId, LeasePool } from "./leases.ts";
import {
  COMPARE_EQUAL,
  COMPARE_GREATER,
  COMPARE_TARGET_MOD_REVISION,
  type TxnRequest,
  toNumber,
  txnMethod,
} from "./messages.ts";
import { OutcomeFinder, refusal, type WriteIntent } from "./outcome.ts";
import { type DatedEntry, datedValue, type EtcdReader } from "./reader.ts";

interface WriterDeps {
  readonly connection: EtcdConnection;
  readonly keys: KeySpace;
  readonly reader: EtcdReader;
  readonly leases: LeasePool;
  readonly attachments: Attachments;
}

type TxnAnswer =
  | { readonly committed: Revision }
  /** A comparison failed; what the key holds instead, and whether the guard is there. */
  | { readonly held: DatedEntry | undefined; readonly isGuarded: boolean };

export class EtcdWriter {
  readonly #deps: WriterDeps;
  readonly #outcomes: OutcomeFinder;

  constructor(deps: WriterDeps) {
    this.#deps = deps;
    this.#outcomes = new OutcomeFinder(deps.reader);
  }

  async write(intent: WriteIntent, options: EntryOptions = {}): Promise<Revision> {
    const { key, expected, value } = intent;
    let announcement: Announcement | undefined;
    if (options.attachment !== undefined) {
      announcement = this.#deps.attachments.announce(key, expected, value, options.attachment);
    }
    const began = this.#outcomes.begin(intent);
    try {
      const revision = await this.#commit(intent, options, began);
      announcement?.committed(revision);
      return revision;
    } catch (error) {
      announcement?.withdrawn();
      throw toStorageError(error, { key });
    } finally {
      this.#outcomes.end(began);
    }
  }

  async #commit(
    intent: WriteIntent,
    { ttlSeconds, guard }: EntryOptions,
    began: ReturnType<OutcomeFinder["begin"]>,
  ): Promise<Revision> {
    const retry = this.#deps.connection.retries();
    let interrupted = false;
    let leaseLost = false;
    for (;;) {
      const final = (failure: unknown) => (interrupted ? unknownOutcome(intent, failure) : failure);
      const lease = await this.#lease(ttlSeconds).catch((failure: unknown) => Promise.reject(final(failure)));
      try {
        const answer = await this.#try(intent, guard, lease, retry.deadlineMs);
        if ("committed" in answer) return answer.committed;
        if (!answer.isGuarded && !(interrupted && isReplaced(intent, answer.held))) throw guardGone(intent.key, guard!);
        if (interrupted) return await this.#outcomes.afterRefusal(began, answer.held);
        throw refusal(intent, answer.held);
      } catch (failure) {
        if (!(failure instanceof EtcdFailure)) throw failure;
        if (failure.kind === "noSpace") {
          const revision = await this.#outcomes.despiteNoSpace(began);
          if (revision !== undefined) return revision;
        }
        if (failure.mayHaveHappened) {
          interrupted = true;
          // A create must not be sent again: were the first one done and the key deleted since, it would rise from the dead.
          if (intent.type === "create") return await this.#outcomes.ofInterruptedCreate(began, failure);
        }
        if (failure.kind === "leaseNotFound" && ttlSeconds !== undefined && !leaseLost) {
          leaseLost = true;
          this.#deps.leases.forget(ttlSeconds);
          continue;
        }
        await retry.afterFailure(failure).catch((last: unknown) => Promise.reject(final(last)));
      }
    }
  }

  async #lease(ttlSeconds: number | undefined): Promise<LeaseId | undefined> {
    return ttlSeconds === undefined ? undefined : await this.#deps.leases.leaseFor(ttlSeconds);
  }

  async #try(
    intent: WriteIntent,
    guard: string | undefined,
    lease: LeaseId | undefined,
    deadlineMs: number,
  ): Promise<TxnAnswer> {
    const { keys } = this.#deps;
    const guardKey = guard === undefined ? undefined : keys.toBytes(guard);
    const request = transaction(intent, keys.toBytes(intent.key), guardKey, lease);
    const response = await this.#deps.connection.callOnce(txnMethod, request, deadlineMs);
    const revision = toNumber(response.header?.revision);
    this.#deps.reader.observe(revision);
    if (response.succeeded === true) return { committed: revision };
    const [found, guarded] = response.responses.map(({ responseRange }) => responseRange);
    const held = found?.kvs[0];
    return {
      held: held === undefined ? undefined : { key: intent.key, ...datedValue(held) },
      isGuarded: guard === undefined || toNumber(guarded?.count) > 0,
    };
  }
}

/** Whether what an update or delete was to replace is there no more. */
function isReplaced({ type, expected }: WriteIntent, held: DatedEntry | undefined): boolean {
  return type !== "create" && held?.revision !== expected;
}

function transaction(
  intent: WriteIntent,
  key: Uint8Array,
  guard: Uint8Array | undefined,
  lease: LeaseId | undefined,
): TxnRequest {
  // etcd counts a missing key as revision 0, so an update that expects 0 would create: it must find nothing instead.
  const modRevision = intent.type === "create" ? 0 : intent.expected > 0 ? intent.expected : -1;
  const write =
    intent.value === undefined
      ? { requestDeleteRange: { key } }
      : { requestPut: { key, value: intent.value, ...(lease === undefined ? {} : { lease }) } };
  const target = COMPARE_TARGET_MOD_REVISION;
  const compare = [{ result: COMPARE_EQUAL, target, key, modRevision }];
  if (guard === undefined) {
    return { compare, success: [write], failure: intent.type === "create" ? [] : [{ requestRange: { key } }] };
  }
  return {
    compare: [...compare, { result: COMPARE_GREATER, target, key: guard, modRevision: 0 }],
    success: [write],
    failure: [{ requestRange: { key } }, { requestRange: { key: guard, countOnly: true } }],
  };
}

function unknownOutcome(intent: WriteIntent, cause: unknown): StorageError {
  return new StorageError("Undecided", `the connection to etcd was lost: ${intent.type} may or may not have happened`, {
    key: intent.key,
    cause,
  });
}
