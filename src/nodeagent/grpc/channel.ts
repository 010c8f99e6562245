// The calling end of gRPC, over a unix socket or a port. It connects at the first call and again whenever the connection is lost; a
// call while there is none fails at once with the code Unavailable.

import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import type { Clock } from "../../base/clock.ts";
import { GRPC_CODES, GrpcError } from "./grpc-error.ts";
import type { Method } from "./method.ts";

export interface CallOptions {
  /** The channel's own when not given. 0 waits for ever. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Sent before the message, by name. */
  readonly headers?: Readonly<Record<string, string>>;
}

type GrpcChannelOptions = CommonOptions & ({ readonly socketPath: string } | { readonly address: string });

interface CommonOptions {
  readonly timeoutMs: number;
  readonly clock: Clock;
}

const channelOptions = {
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.min_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 1_000,
  "grpc.max_receive_message_length": 64 * 1024 * 1024,
  "grpc.use_local_subchannel_pool": 1,
  "grpc.service_config_disable_resolution": 1,
  "grpc.enable_http_proxy": 0,
  // A runtime behind a socket has no name; some servers refuse the path that would stand here otherwise.
  "grpc.default_authority": "localhost",
} as const;

export class GrpcChannel {
  readonly #client: Client;
  readonly #options: GrpcChannelOptions;

  constructor(options: GrpcChannelOptions) {
    this.#options = options;
    const address = "address" in options ? options.address : `unix:${options.socketPath}`;
    this.#client = new Client(address, credentials.createInsecure(), channelOptions);
  }

  /** Fails with GrpcError, or with the reason of the signal. */
  async call<Request, Response>(
    { path, request, response }: Method<Request, unknown, Response, never>,
    message: Request,
    { timeoutMs, signal, headers = {} }: CallOptions = {},
  ): Promise<Response> {
    signal?.throwIfAborted();
    return await new Promise<Response>((resolve, reject) => {
      const call = this.#client.makeUnaryRequest(
        path,
        (value: Request) => request.encode(value),
        (bytes: Buffer) => response.decode(bytes),
        message,
        Metadata.fromHttp2Headers(headers),
        this.#deadline(timeoutMs ?? this.#options.timeoutMs),
        (error, answer) => {
          signal?.removeEventListener("abort", cancel);
          if (signal?.aborted) reject(signal.reason);
          else if (error !== null || answer === undefined) reject(errorOf(error));
          else resolve(answer);
        },
      );
      const cancel = () => call.cancel();
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }

  /** The messages of a stream until it ends. Fails as `call` does; no time limit unless one is given. */
  async *stream<Request, Response>(
    { path, request, response }: Method<Request, unknown, Response, never>,
    message: Request,
    { timeoutMs = 0, signal }: CallOptions = {},
  ): AsyncGenerator<Response, void> {
    signal?.throwIfAborted();
    const call = this.#client.makeServerStreamRequest(
      path,
      (value: Request) => request.encode(value),
      (bytes: Buffer) => response.decode(bytes),
      message,
      new Metadata(),
      this.#deadline(timeoutMs),
    );
    const cancel = () => call.cancel();
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      for await (const each of call) yield each as Response;
    } catch (error) {
      throw signal?.aborted ? signal.reason : errorOf(isServiceError(error) ? error : null, error);
    } finally {
      signal?.removeEventListener("abort", cancel);
      call.cancel();
    }
  }

  close(): void {
    this.#client.close();
  }

  #deadline(timeoutMs: number): { readonly deadline?: number } {
    return timeoutMs === 0 ? {} : { deadline: this.#options.clock.nowMs() + timeoutMs };
  }
}

function errorOf(error: ServiceError | null, other?: unknown): GrpcError {
  if (error === null) return new GrpcError("Internal", other instanceof Error ? other.message : "empty answer");
  return new GrpcError(GRPC_CODES[error.code] ?? "Unknown", error.details);
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && "details" in error;
}
