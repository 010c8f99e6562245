// The etcd v3 messages that the engine speaks: only the fields it needs, in etcd's own field numbers. etcd's other fields
// are skipped when read. The text is compiled at first use, so that it can travel inside a bundle.

import protobuf from "protobufjs";

/** A 64-bit number as the decoder gives it: a plain number, or an object when protobufjs finds its Long package. */
type Int64 = number | { toNumber(): number };

interface ResponseHeader {
  readonly revision?: Int64;
}

export interface KeyValue {
  readonly key: Uint8Array;
  readonly createRevision?: Int64;
  readonly modRevision?: Int64;
  readonly value?: Uint8Array;
}

export interface RangeRequest {
  readonly key: Uint8Array;
  readonly rangeEnd?: Uint8Array;
  readonly limit?: number;
  readonly revision?: number;
  readonly countOnly?: boolean;
}

export interface RangeResponse {
  readonly header?: ResponseHeader;
  readonly kvs: readonly KeyValue[];
  readonly more?: boolean;
  readonly count?: Int64;
}

interface Compare {
  readonly result: number;
  readonly target: number;
  readonly key: Uint8Array;
  readonly modRevision: number;
}

interface RequestOp {
  readonly requestRange?: RangeRequest;
  readonly requestPut?: { readonly key: Uint8Array; readonly value: Uint8Array; readonly lease?: number };
  readonly requestDeleteRange?: { readonly key: Uint8Array };
}

export interface TxnRequest {
  readonly compare: readonly Compare[];
  readonly success: readonly RequestOp[];
  readonly failure: readonly RequestOp[];
}

interface TxnResponse {
  readonly header?: ResponseHeader;
  readonly succeeded?: boolean;
  readonly responses: ReadonlyArray<{ readonly responseRange?: RangeResponse }>;
}

interface WatchCreateRequest {
  readonly key: Uint8Array;
  readonly rangeEnd: Uint8Array;
  readonly startRevision: number;
  readonly progressNotify?: boolean;
  readonly prevKv?: boolean;
  readonly fragment?: boolean;
}

export interface WatchRequest {
  readonly createRequest: WatchCreateRequest;
}

export interface WatchEvent {
  readonly type?: number;
  readonly kv: KeyValue;
  readonly prevKv?: KeyValue | null;
}

export interface WatchResponse {
  readonly header?: ResponseHeader;
  readonly created?: boolean;
  readonly canceled?: boolean;
  readonly compactRevision?: Int64;
  readonly cancelReason?: string;
  readonly fragment?: boolean;
  readonly events: readonly WatchEvent[];
}

interface LeaseGrantRequest {
  readonly TTL: number;
  readonly ID: number;
}

/** One remote procedure: its path and how its messages become bytes. */
export interface Method<Request, Response> {
  readonly path: string;
  encode(request: Request): Buffer;
  decode(bytes: Uint8Array): Response;
}

export const COMPARE_EQUAL = 0;
export const COMPARE_GREATER = 1;
export const COMPARE_TARGET_MOD_REVISION = 2;
export const EVENT_DELETE = 1;

const PROTO = `
syntax = "proto3";
package etcdserverpb;

message ResponseHeader { int64 revision = 3; }
message KeyValue { bytes key = 1; int64 create_revision = 2; int64 mod_revision = 3; bytes value = 5; }

message RangeRequest {
  bytes key = 1; bytes range_end = 2; int64 limit = 3; int64 revision = 4; bool count_only = 9;
}
message RangeResponse { ResponseHeader header = 1; repeated KeyValue kvs = 2; bool more = 3; int64 count = 4; }

message PutRequest { bytes key = 1; bytes value = 2; int64 lease = 3; }
message DeleteRangeRequest { bytes key = 1; }
message RequestOp {
  oneof request {
    RangeRequest request_range = 1; PutRequest request_put = 2; DeleteRangeRequest request_delete_range = 3;
  }
}
message ResponseOp { oneof response { RangeResponse response_range = 1; } }
message Compare { int32 result = 1; int32 target = 2; bytes key = 3; oneof target_union { int64 mod_revision = 6; } }
message TxnRequest { repeated Compare compare = 1; repeated RequestOp success = 2; repeated RequestOp failure = 3; }
message TxnResponse { ResponseHeader header = 1; bool succeeded = 2; repeated ResponseOp responses = 3; }

message CompactionRequest { int64 revision = 1; }
message CompactionResponse { ResponseHeader header = 1; }

message WatchCreateRequest {
  bytes key = 1; bytes range_end = 2; int64 start_revision = 3; bool progress_notify = 4; bool prev_kv = 6; bool fragment = 8;
}
message WatchRequest { oneof request_union { WatchCreateRequest create_request = 1; } }
message Event { int32 type = 1; KeyValue kv = 2; KeyValue prev_kv = 3; }
message WatchResponse {
  ResponseHeader header = 1; int64 watch_id = 2; bool created = 3; bool canceled = 4; int64 compact_revision = 5;
  string cancel_reason = 6; bool fragment = 7; repeated Event events = 11;
}

message LeaseGrantRequest { int64 TTL = 1; int64 ID = 2; }
message LeaseGrantResponse { ResponseHeader header = 1; }
`;

let root: protobuf.Root | undefined;

export const rangeMethod = method<RangeRequest, RangeResponse>("KV/Range", "RangeRequest", "RangeResponse");
export const txnMethod = method<TxnRequest, TxnResponse>("KV/Txn", "TxnRequest", "TxnResponse");
export const compactMethod = method<{ readonly revision: number }, { readonly header?: ResponseHeader }>(
  "KV/Compact",
  "CompactionRequest",
  "CompactionResponse",
);
export const watchMethod = method<WatchRequest, WatchResponse>("Watch/Watch", "WatchRequest", "WatchResponse");
export const leaseGrantMethod = method<LeaseGrantRequest, { readonly header?: ResponseHeader }>(
  "Lease/LeaseGrant",
  "LeaseGrantRequest",
  "LeaseGrantResponse",
);
/** Revisions stay below 2^53 (see engine.ts), so that a plain number holds them exactly. */
export function toNumber(value: Int64 | undefined): number {
  if (value === undefined) return 0;
  return typeof value === "number" ? value : value.toNumber();
}

function method<Request extends object, Response>(
  name: string,
  requestType: string,
  responseType: string,
): Method<Request, Response> {
  let request: protobuf.Type | undefined;
  let response: protobuf.Type | undefined;
  return {
    path: `/etcdserverpb.${name}`,
    encode(message) {
      request ??= lookup(requestType);
      const bytes = request.encode(message).finish();
      return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    decode(bytes) {
      response ??= lookup(responseType);
      return response.decode(bytes) as unknown as Response;
    },
  };
}

function lookup(name: string): protobuf.Type {
  root ??= protobuf.parse(PROTO).root;
  return root.lookupType(`etcdserverpb.${name}`);
}
