// The one port of several processes: accepts connections, reads nothing of them, and gives each to the process that has the
// fewest open. Clients keep connections for long, so that what counts is how many each process holds, not whose turn it is.

import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

const BACKLOG = 1024;

export interface ConnectionTaker {
  /** How many connections it has. */
  readonly openConnections: number;
  take(socket: Socket): void;
}

export class FrontDoor {
  readonly #server: Server;
  readonly #takers = new Set<ConnectionTaker>();
  /** Those who came before anybody was there to serve them. */
  #early: Socket[] = [];

  private constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket) => this.#give(socket));
  }

  static open(host: string, port: number): Promise<FrontDoor> {
    const server = createServer({ pauseOnConnect: true, noDelay: true });
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host, port, backlog: BACKLOG }, () => {
        server.off("error", reject);
        resolve(new FrontDoor(server));
      });
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  add(taker: ConnectionTaker): void {
    this.#takers.add(taker);
    const early = this.#early;
    this.#early = [];
    for (const socket of early) this.#give(socket);
  }

  remove(taker: ConnectionTaker): void {
    this.#takers.delete(taker);
  }

  /** Accepts nothing any more. Open connections are their takers'. */
  close(): void {
    this.#server.close();
    for (const socket of this.#early) socket.destroy();
  }

  #give(socket: Socket): void {
    let least: ConnectionTaker | undefined;
    for (const taker of this.#takers)
      if (least === undefined || taker.openConnections < least.openConnections) least = taker;
    if (least === undefined) this.#early.push(socket);
    else least.take(socket);
  }
}

/** This process as one of those who serve. */
export class OwnConnections implements ConnectionTaker {
  openConnections = 0;
  readonly #accept: (socket: Socket) => void;

  constructor(accept: (socket: Socket) => void) {
    this.#accept = accept;
  }

  take(socket: Socket): void {
    this.openConnections += 1;
    socket.once("close", () => {
      this.openConnections -= 1;
    });
    this.#accept(socket);
  }
}
