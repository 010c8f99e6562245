// A port of the agent without encryption and access control: for the machine itself, or for anybody where that is configured.

import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export class PlainPort {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Fails where it cannot listen. */
  static async listen(
    { address, port }: { readonly address: string; readonly port: number },
    answer: RequestListener,
  ): Promise<PlainPort> {
    const server = createServer(answer);
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, address, () => {
        server.off("error", reject);
        resolve();
      });
    });
    server.unref();
    return new PlainPort(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
