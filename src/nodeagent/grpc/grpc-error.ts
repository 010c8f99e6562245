// Why a call over gRPC failed: one of the protocol's codes by name, and what the peer said.

export const GRPC_CODES = [
  "OK",
  "Canceled",
  "Unknown",
  "InvalidArgument",
  "DeadlineExceeded",
  "NotFound",
  "AlreadyExists",
  "PermissionDenied",
  "ResourceExhausted",
  "FailedPrecondition",
  "Aborted",
  "OutOfRange",
  "Unimplemented",
  "Internal",
  "Unavailable",
  "DataLoss",
  "Unauthenticated",
] as const;

/** In the order of their numbers, from 0. */
type GrpcCode = (typeof GRPC_CODES)[number];

export class GrpcError extends Error {
  readonly code: GrpcCode;

  constructor(code: GrpcCode, message: string) {
    super(message);
    this.name = "GrpcError";
    this.code = code;
  }
}

export function isGrpcError(error: unknown, ...codes: readonly GrpcCode[]): error is GrpcError {
  return error instanceof GrpcError && (codes.length === 0 || codes.includes(error.code));
}
