// What the two ends of a port between threads say to each other: requests of a client there, answers of a server here.

import type { ApiRequest, TransportFailure } from "../transport.ts";

/** So many bytes of an answer are on their way to a reader; then it has to take some before more is sent. */
export const WINDOW_BYTES = 1024 * 1024;

export type ClientMessage =
  | { readonly type: "request"; readonly id: number; readonly request: Omit<ApiRequest, "signal"> }
  /** The reader has taken so many bytes more. */
  | { readonly type: "taken"; readonly id: number; readonly sizeBytes: number }
  /** Nobody waits for the answer any more. */
  | { readonly type: "cancel"; readonly id: number };

/** Of every answer a head, pieces and an end; a failure may come at any time, and is the end. */
export type ServerMessage =
  | {
      readonly type: "head";
      readonly id: number;
      readonly status: number;
      readonly headers: ReadonlyMap<string, string>;
      readonly warnings: readonly string[];
    }
  /** Its bytes are the next ones of the batch. */
  | { readonly type: "piece"; readonly id: number; readonly sizeBytes: number }
  | { readonly type: "end"; readonly id: number }
  | { readonly type: "failure"; readonly id: number; readonly failure: TransportFailure; readonly message: string };

/** What was said in one turn. */
export interface Batch<Message> {
  readonly messages: readonly Message[];
  readonly bytes: Uint8Array;
}
