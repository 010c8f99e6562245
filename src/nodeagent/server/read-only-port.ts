// The port that answers questions of anybody who reaches it, without encryption and access control (`readOnlyPort`); off
// unless it is configured. Only what shows the state of the node is there.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { inProcessRequest } from "../../http/in-process.ts";
import { isStreamBody, type ReceivedRequest } from "../../http/message.ts";
import type { Handler } from "../../http/pipeline.ts";

export class ReadOnlyPort {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Fails where it cannot listen. */
  static async listen(options: {
    readonly address: string;
    readonly port: number;
    readonly handler: Handler<ReceivedRequest>;
  }): Promise<ReadOnlyPort> {
    const { address, port, handler } = options;
    const server = createServer((request, response) => {
      request.resume();
      const asked = inProcessRequest({ method: request.method ?? "GET", url: request.url ?? "/" });
      Promise.resolve(handler(asked)).then(
        ({ status, headers, body = new Uint8Array() }) => {
          response.writeHead(status, { ...headers, "x-content-type-options": "nosniff" } as Record<string, string>);
          // Nothing that is shown here comes piece by piece.
          response.end(isStreamBody(body) ? undefined : body);
        },
        () => response.destroy(),
      );
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, address, () => {
        server.off("error", reject);
        resolve();
      });
    });
    server.unref();
    return new ReadOnlyPort(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
