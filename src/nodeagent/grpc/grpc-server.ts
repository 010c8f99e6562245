// The answering end of gRPC on a unix socket: plug-ins register here, and tests play a container runtime.

import { chmodSync, rmSync } from "node:fs";
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { GRPC_CODES, GrpcError } from "./grpc-error.ts";
import type { Method } from "./method.ts";

/** One procedure and what answers it. Made by `answers`, which keeps the types of the two together. */
export interface AnsweredProcedure {
  readonly method: Method;
  run(request: unknown, send: (message: unknown) => void, signal: AbortSignal): unknown;
}

/** A procedure with one answer. What is thrown becomes the error of the call: a GrpcError with its code. */
export function answers<RequestRead, ResponseWrite>(
  method: Method<never, RequestRead, unknown, ResponseWrite>,
  run: (request: RequestRead) => ResponseWrite | Promise<ResponseWrite>,
): AnsweredProcedure {
  return { method: method as unknown as Method, run: (request) => run(request as RequestRead) };
}

export class GrpcServer {
  readonly #server = new Server();
  readonly #socketPath: string;

  private constructor(socketPath: string, procedures: readonly AnsweredProcedure[]) {
    this.#socketPath = socketPath;
    const definition = Object.fromEntries(procedures.map((each) => [each.method.path, definitionOf(each.method)]));
    this.#server.addService(
      definition,
      Object.fromEntries(procedures.map((each) => [each.method.path, handlerOf(each)])),
    );
  }

  /** Takes the place of a socket that an earlier process has left behind. Nobody but the agent's own user may call. */
  static async listen(socketPath: string, procedures: readonly AnsweredProcedure[]): Promise<GrpcServer> {
    const server = new GrpcServer(socketPath, procedures);
    rmSync(socketPath, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.#server.bindAsync(`unix:${socketPath}`, ServerCredentials.createInsecure(), (error) =>
        error === null ? resolve() : reject(error),
      );
    });
    chmodSync(socketPath, 0o600);
    return server;
  }

  close(): void {
    this.#server.forceShutdown();
    rmSync(this.#socketPath, { force: true });
  }
}

function definitionOf({ path, streams, request, response }: Method) {
  return {
    path,
    requestStream: false,
    responseStream: streams,
    requestSerialize: (value: unknown) => request.encode(value),
    requestDeserialize: (bytes: Buffer) => request.decode(bytes),
    responseSerialize: (value: unknown) => response.encode(value),
    responseDeserialize: (bytes: Buffer) => response.decode(bytes),
  };
}

function handlerOf(answer: AnsweredProcedure) {
  return answer.method.streams
    ? (call: ServerWritableStream<unknown, unknown>) => void answerStream(answer, call)
    : (call: ServerUnaryCall<unknown, unknown>, done: sendUnaryData<unknown>) => void answerOnce(answer, call, done);
}

async function answerOnce(
  answer: AnsweredProcedure,
  call: ServerUnaryCall<unknown, unknown>,
  done: sendUnaryData<unknown>,
) {
  try {
    done(null, await answer.run(call.request, () => undefined, new AbortController().signal));
  } catch (error) {
    done(statusOf(error));
  }
}

async function answerStream(answer: AnsweredProcedure, call: ServerWritableStream<unknown, unknown>) {
  const gone = new AbortController();
  call.on("cancelled", () => gone.abort());
  try {
    await answer.run(call.request, (each) => void call.write(each), gone.signal);
    call.end();
  } catch (error) {
    call.emit("error", statusOf(error));
  }
}

function statusOf(error: unknown): { readonly code: number; readonly details: string } {
  const code = error instanceof GrpcError ? GRPC_CODES.indexOf(error.code) : GRPC_CODES.indexOf("Unknown");
  return { code, details: error instanceof Error ? error.message : String(error) };
}
