// A storage driver for tests: real procedures on a real socket; what it mounts is a directory with one file in it.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GrpcError } from "../grpc/grpc-error.ts";
import { answers, GrpcServer } from "../grpc/grpc-server.ts";
import type { Read } from "../grpc/message.ts";
import { csiProcedures, type DriverCapability } from "./csi-messages.ts";

type Requests = {
  [Name in "stage" | "unstage" | "publish" | "unpublish" | "expand"]: Read<(typeof csiProcedures)[Name]["request"]>;
};

export class PlayedDriver {
  readonly socketPath: string;
  readonly capabilities: DriverCapability[] = ["STAGE_UNSTAGE_VOLUME"];
  /** Every call about a volume, in order. */
  readonly calls: string[] = [];
  readonly last: Partial<Requests> = {};
  fails = false;
  /** What alone fails. */
  failsAt: keyof Requests | undefined;
  #server: GrpcServer | undefined;

  private constructor(socketPath: string) {
    this.socketPath = socketPath;
  }

  static async start(directory: string): Promise<PlayedDriver> {
    const driver = new PlayedDriver(join(directory, "csi.sock"));
    await driver.#listen();
    return driver;
  }

  close(): void {
    this.#server?.close();
  }

  #note<Name extends keyof Requests>(name: Name, request: Requests[Name]): void {
    this.calls.push(name);
    this.last[name] = request as never;
    if (this.fails || this.failsAt === name) throw new GrpcError("Internal", "the disk is on fire");
  }

  async #listen(): Promise<void> {
    this.#server = await GrpcServer.listen(this.socketPath, [
      answers(csiProcedures.info, () => ({
        nodeId: "machine-7",
        maxVolumesPerNode: 3,
        accessibleTopology: { segments: { "storage.example.com/rack": "r1" } },
      })),
      answers(csiProcedures.capabilities, () => ({
        capabilities: this.capabilities.map((type) => ({ rpc: { type } })),
      })),
      answers(csiProcedures.stage, (request) => {
        this.#note("stage", request);
        return {};
      }),
      answers(csiProcedures.unstage, (request) => {
        this.#note("unstage", request);
        return {};
      }),
      answers(csiProcedures.publish, (request) => {
        this.#note("publish", request);
        if (request.volumeCapability?.block !== undefined) writeFileSync(request.targetPath, request.volumeId);
        else {
          mkdirSync(request.targetPath, { recursive: true });
          writeFileSync(join(request.targetPath, "data"), request.volumeId);
        }
        return {};
      }),
      answers(csiProcedures.unpublish, (request) => {
        this.#note("unpublish", request);
        rmSync(request.targetPath, { recursive: true, force: true });
        return {};
      }),
      answers(csiProcedures.expand, (request) => {
        this.#note("expand", request);
        return { capacityBytes: request.capacityRange?.requiredBytes ?? 0 };
      }),
      answers(csiProcedures.stats, () => ({
        usage: [{ unit: "BYTES" as const, total: 1_000, available: 400, used: 600 }],
      })),
    ]);
  }
}
