// The container runtime, as the agent calls it: every procedure of the interface as a promise with a deadline.
// Requirements: document 3, "Node-agent local files and sockets" (container runtime sockets).

import type { Clock } from "../../base/clock.ts";
import { type CallOptions, GrpcChannel } from "../grpc/channel.ts";
import type { Method } from "../grpc/method.ts";
import { NO_TRACER, type Tracer } from "../tracing/tracer.ts";
import { containerEvents, imageProcedures, runtimeProcedures, stateProcedures } from "./procedures.ts";
import type { ContainerEvent } from "./runtime-messages.ts";

export { GrpcError, isGrpcError } from "../grpc/grpc-error.ts";

type Procedures = typeof runtimeProcedures & typeof imageProcedures;

type Call<M> =
  M extends Method<infer Request, infer _, infer Response, infer _>
    ? (request: Request, options?: CallOptions) => Promise<Response>
    : never;

/**
 * Every call fails with GrpcError: NotFound for what the runtime does not know, Unimplemented for what it cannot do,
 * Unavailable while it does not listen, DeadlineExceeded. Fields are spelled as in the interface, in camel case; times are
 * nanoseconds since the epoch.
 */
export type CriClient = { readonly [Name in keyof Procedures]: Call<Procedures[Name]> } & {
  /** What happens to containers, until the signal. Fails with Unimplemented where the runtime does not tell. */
  containerEvents(signal?: AbortSignal): AsyncGenerator<ContainerEvent, void>;
  /** The lists without what does not change by itself. */
  readonly states: { readonly [Name in keyof typeof stateProcedures]: Call<(typeof stateProcedures)[Name]> };
  close(): void;
};

interface CriClientOptions {
  /** Paths of sockets. */
  readonly runtimeSocket: string;
  /** The runtime's own when not given. */
  readonly imageSocket?: string | undefined;
  /** For calls that name none: `runtimeRequestTimeout`. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Told of every call when it is over, by the name of its procedure. */
  readonly onCall?: OnCall | undefined;
  readonly tracer?: Tracer;
}

export type OnCall = (procedure: string, seconds: number, hasFailed: boolean) => void;

export function connectCri({
  runtimeSocket,
  imageSocket = runtimeSocket,
  timeoutMs,
  clock,
  onCall = () => undefined,
  tracer = NO_TRACER,
}: CriClientOptions): CriClient {
  const runtime = new GrpcChannel({ socketPath: runtimeSocket, timeoutMs, clock });
  const images =
    imageSocket === runtimeSocket ? runtime : new GrpcChannel({ socketPath: imageSocket, timeoutMs, clock });
  const told: Told = async (procedure, path, call) => {
    const startedMs = clock.monotonicMs();
    const tell = (hasFailed: boolean) => onCall(procedure, (clock.monotonicMs() - startedMs) / 1000, hasFailed);
    try {
      const answer = await tracer.span(path.slice(1), CLIENT_SPAN, () => call(tracer.headers()));
      tell(false);
      return answer;
    } catch (error) {
      tell(true);
      throw error;
    }
  };
  return {
    ...callsOf(runtime, runtimeProcedures, told),
    ...callsOf(images, imageProcedures, told),
    states: callsOf(runtime, stateProcedures, told),
    containerEvents: (signal) => runtime.stream(containerEvents, {}, { signal }),
    close() {
      runtime.close();
      images.close();
    },
  };
}

const CLIENT_SPAN = { kind: "SPAN_KIND_CLIENT" } as const;

type Headers = Readonly<Record<string, string>>;
type Told = <Answer>(procedure: string, path: string, call: (headers: Headers) => Promise<Answer>) => Promise<Answer>;

function callsOf<Table extends Readonly<Record<string, Method<never, unknown, unknown, never>>>>(
  channel: GrpcChannel,
  table: Table,
  told: Told,
): { readonly [Name in keyof Table]: Call<Table[Name]> } {
  const calls = Object.entries(table).map(([name, method]) => [
    name,
    (request: never, options?: CallOptions) =>
      told(name, method.path, (headers) => channel.call(method, request, { ...options, headers })),
  ]);
  return Object.fromEntries(calls) as { readonly [Name in keyof Table]: Call<Table[Name]> };
}
