// What a call to etcd can fail with, and its translation into StorageError. etcd tells several errors of one gRPC code
// apart only by their description, which is part of its interface: the table below holds those that we must know.

import { StorageError, type StorageErrorDetails } from "../storage-error.ts";

type FailureKind =
  | "compacted"
  | "future"
  | "noSpace"
  | "tooLarge"
  | "leaseNotFound"
  | "corrupt"
  /** Another try, perhaps at another endpoint, may work. */
  | "transient"
  /** There has been no connection for longer than an operation waits for one. */
  | "unreachable"
  /** The server refuses us: credentials, or a request that it does not know. */
  | "refused";

export class EtcdFailure extends Error {
  readonly kind: FailureKind;
  /** Whether the request may have been carried out although it failed. */
  readonly mayHaveHappened: boolean;

  constructor(kind: FailureKind, mayHaveHappened: boolean, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "EtcdFailure";
    this.kind = kind;
    this.mayHaveHappened = mayHaveHappened;
  }
}

/** The part of a gRPC error that we look at. */
export interface GrpcStatus {
  readonly code: number;
  readonly details: string;
}

const byDescription: ReadonlyMap<string, FailureKind> = new Map([
  ["etcdserver: mvcc: required revision has been compacted", "compacted"],
  ["etcdserver: mvcc: required revision is a future revision", "future"],
  // The write that meets the quota is done all the same: see OutcomeFinder.despiteNoSpace.
  ["etcdserver: mvcc: database space exceeded", "noSpace"],
  ["etcdserver: request is too large", "tooLarge"],
  ["etcdserver: requested lease not found", "leaseNotFound"],
  ["etcdserver: corrupt cluster", "corrupt"],
  // These two refuse before anything is proposed to the cluster, so another try is safe.
  ["etcdserver: too many requests", "transient"],
  ["etcdserver: no leader", "transient"],
]);

// gRPC's own numbers of the status codes that we tell apart.
const INVALID_ARGUMENT = 3;
const PERMISSION_DENIED = 7;
const RESOURCE_EXHAUSTED = 8;
const UNIMPLEMENTED = 12;
const DATA_LOSS = 15;
const UNAUTHENTICATED = 16;

export function failureOf(status: GrpcStatus, endpoint: string): EtcdFailure {
  const message = `etcd at ${endpoint}: ${status.details}`;
  const known = byDescription.get(status.details);
  if (known !== undefined) return new EtcdFailure(known, false, message, status);
  switch (status.code) {
    case RESOURCE_EXHAUSTED:
      // Not one of etcd's own refusals above: a message beyond the limit of the transport.
      return new EtcdFailure("tooLarge", false, message, status);
    case DATA_LOSS:
      return new EtcdFailure("corrupt", true, message, status);
    case INVALID_ARGUMENT:
    case PERMISSION_DENIED:
    case UNIMPLEMENTED:
    case UNAUTHENTICATED:
      return new EtcdFailure("refused", false, message, status);
    default:
      return new EtcdFailure("transient", true, message, status);
  }
}

/** For failures whose meaning does not depend on the request; the caller has dealt with compacted and future. */
export function toStorageError(failure: unknown, details: StorageErrorDetails = {}): unknown {
  if (!(failure instanceof EtcdFailure)) return failure;
  const all = { ...details, cause: failure };
  switch (failure.kind) {
    case "compacted":
      return new StorageError("RevisionGone", "the revision has been compacted", all);
    case "future":
      return new StorageError("RevisionInFuture", "the revision has not happened yet", all);
    case "noSpace":
      return new StorageError("NoSpace", "etcd is out of space: compact, defragment and disarm its alarm", all);
    case "tooLarge":
      return new StorageError("TooLarge", "the value is larger than etcd accepts in one request", all);
    case "corrupt":
      return new StorageError("Corrupt", failure.message, all);
    case "leaseNotFound":
    case "transient":
    case "unreachable":
    case "refused":
      return new StorageError("Unavailable", failure.message, all);
  }
}
