// A device plug-in for tests: real procedures on a real socket, devices on demand.

import { join } from "node:path";
import { type AnsweredProcedure, answers, GrpcServer } from "../grpc/grpc-server.ts";
import type { Write } from "../grpc/message.ts";
import type { Method } from "../grpc/method.ts";
import { type Device, deviceProcedures, HEALTHY } from "./device-messages.ts";

type Devices = Write<typeof deviceProcedures.listAndWatch.response>;

type PlayedDevice = Pick<Device, "id" | "health"> & Partial<Pick<Device, "topology">>;

export class PlayedPlugin {
  readonly socketPath: string;
  /** The devices of every call, in order. */
  readonly allocated: (readonly string[])[] = [];
  readonly started: (readonly string[])[] = [];
  fails = false;
  /** Which devices go well together; set before the plug-in registers. */
  prefers: string[] | undefined;
  #devices: readonly PlayedDevice[];
  readonly #listeners = new Set<(message: Devices) => void>();
  #server: GrpcServer | undefined;

  private constructor(socketPath: string, ids: readonly string[]) {
    this.socketPath = socketPath;
    this.#devices = ids.map((id) => ({ id, health: HEALTHY }));
  }

  static async start(directory: string, name: string, ids: readonly string[]): Promise<PlayedPlugin> {
    const plugin = new PlayedPlugin(join(directory, name), ids);
    await plugin.#listen();
    return plugin;
  }

  tell(devices: readonly PlayedDevice[]): void {
    this.#devices = devices;
    for (const send of this.#listeners) send({ devices });
  }

  close(): void {
    this.#server?.close();
  }

  async #listen(): Promise<void> {
    this.#server = await GrpcServer.listen(this.socketPath, [
      answers(deviceProcedures.options, () => ({
        preStartRequired: true,
        getPreferredAllocationAvailable: this.prefers !== undefined,
      })),
      answers(deviceProcedures.preferred, ({ containerRequests }) => {
        if (this.prefers === undefined) throw new Error("nobody said that this was there");
        return { containerResponses: containerRequests.map(() => ({ deviceIds: this.prefers })) };
      }),
      streamsAnswers(deviceProcedures.listAndWatch, async (_, send, signal) => {
        this.#listeners.add(send);
        send({ devices: this.#devices });
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        this.#listeners.delete(send);
      }),
      answers(deviceProcedures.allocate, ({ containerRequests }) => {
        if (this.fails) throw new Error("the device is stuck");
        for (const { deviceIds } of containerRequests) this.allocated.push(deviceIds);
        return {
          containerResponses: containerRequests.map(({ deviceIds }) => ({ envs: { WIDGETS: deviceIds.join() } })),
        };
      }),
      answers(deviceProcedures.preStart, ({ deviceIds }) => {
        this.started.push(deviceIds);
        return {};
      }),
    ]);
  }
}

/** A procedure with a stream of answers, which ends when `run` does. The signal tells that the caller is gone. */
function streamsAnswers<RequestRead, ResponseWrite>(
  method: Method<never, RequestRead, unknown, ResponseWrite>,
  run: (request: RequestRead, send: (message: ResponseWrite) => void, signal: AbortSignal) => Promise<void>,
): AnsweredProcedure {
  return {
    method: method as unknown as Method,
    run: (request, send, signal) => run(request as RequestRead, send, signal),
  };
}
