// What the owner of a store and its workers say to each other over the channel of child processes. Connections travel with
// `connection`; the store has a stream of its own (storage/lmdb/follower-messages.ts).

import type { SharedAccountKeys } from "../../authn/build-authenticator.ts";
import type { ExpositionName } from "../../base/merge-expositions.ts";
import type { SharedAnswer } from "../../base/shared-answers.ts";
import type { ApiServerOptions } from "../../options/api-server-options.ts";

export interface WorkerSetup {
  readonly options: ApiServerOptions;
  /** Where the owner listens. */
  readonly port: number;
  /** The authority of client certificates that the owner made, in PEM. */
  readonly clientCaPem: string | undefined;
  /** A worker may be started when their files have changed, and must not be the only one to take the new ones. */
  readonly sharedKeys: SharedAccountKeys;
  /** The same holds of every other file that flags name: what the owner has read, or what is in force of it, by path. */
  readonly startFiles: ReadonlyMap<string, Uint8Array>;
  readonly quiet: boolean;
}

export type OwnerMessage =
  | ({ readonly type: "setup" } & WorkerSetup)
  | { readonly type: "connection" }
  /** What another process has learnt. */
  | { readonly type: "answer"; readonly answer: SharedAnswer }
  /** The delay before `stop` has begun. */
  | { readonly type: "announceStop" }
  | { readonly type: "stop" }
  /** Wants the worker's own metrics. */
  | { readonly type: "expose"; readonly id: number; readonly which: ExpositionName }
  /** What the worker asked for with `exposeAll`. */
  | { readonly type: "exposition"; readonly id: number; readonly text: string }
  /** What came of `auditLines`. */
  | { readonly type: "auditWritten"; readonly id: number; readonly problem: string | undefined };

export type WorkerMessage =
  | { readonly type: "ready" }
  | { readonly type: "failed"; readonly message: string }
  /** The oldest of those that have been sent. */
  | { readonly type: "connectionTaken" }
  | { readonly type: "connectionClosed" }
  /** What this worker has learnt, for all others. */
  | { readonly type: "answer"; readonly answer: SharedAnswer }
  | { readonly type: "exposed"; readonly id: number; readonly text: string }
  /** Somebody has asked this worker for the metrics of all. */
  | { readonly type: "exposeAll"; readonly id: number; readonly which: ExpositionName }
  /** For the file of --audit-log-path. */
  | { readonly type: "auditLines"; readonly id: number; readonly text: string };

/** The descriptor of the stream to the owner's store, in every worker. */
export const STORE_LINE_FD = 4;
