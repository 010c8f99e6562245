// Where questions come in: one address and port over UDP and TCP.

import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import { createServer, type Server, type Socket } from "node:net";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Transport } from "../forward/forwarder.ts";
import { MAX_QUERY_BYTES } from "../message/message.ts";
import { FramedMessages, framed } from "../message/stream-frames.ts";

interface DnsListenerOptions {
  readonly address: string;
  /** 0: a free one. */
  readonly port: number;
  readonly clock: Clock;
  readonly answer: (bytes: Uint8Array, transport: Transport) => Promise<Uint8Array | undefined>;
  /** Who is no business of ours gets no answer: an open resolver serves attacks on others. */
  readonly mayAsk: (address: string) => boolean;
  readonly onError: (error: unknown) => void;
}

const MAX_STREAMS = 256;
/** A stream on which no question is complete for so long is ended, however busy it is. */
const IDLE_MS = 10_000;
/** Questions over UDP whose answers are awaited; beyond that they are dropped, and asked again. */
const MAX_DATAGRAMS = 1_024;
/** A free port for TCP may be taken for UDP. */
const MAX_PORT_TRIES = 16;

export class DnsListener {
  readonly #options: DnsListenerOptions;
  readonly #datagrams: DatagramSocket;
  readonly #server: Server;
  readonly #streams = new Set<Socket>();
  #waiting = 0;

  private constructor(options: DnsListenerOptions, datagrams: DatagramSocket, server: Server) {
    this.#options = options;
    this.#datagrams = datagrams;
    this.#server = server;
    datagrams.on("message", (bytes, { address, port }) => this.#takeDatagram(bytes, { address, port }));
    datagrams.on("error", options.onError);
    server.on("connection", (socket) => this.#takeStream(socket));
    server.on("error", options.onError);
    server.maxConnections = MAX_STREAMS;
  }

  /** Fails with the error of the system. */
  static async listen(options: DnsListenerOptions): Promise<DnsListener> {
    for (let tries = 1; ; tries++) {
      const server = await listenStream(options.address, options.port);
      const { port } = server.address() as { readonly port: number };
      try {
        return new DnsListener(options, await listenDatagrams(options.address, port), server);
      } catch (error) {
        server.close();
        if (options.port !== 0 || tries === MAX_PORT_TRIES) throw error;
      }
    }
  }

  get port(): number {
    return this.#datagrams.address().port;
  }

  close(): void {
    this.#datagrams.close();
    this.#server.close();
    for (const stream of this.#streams) stream.destroy();
  }

  #takeDatagram(bytes: Buffer, from: { readonly address: string; readonly port: number }): void {
    const { answer, mayAsk, onError } = this.#options;
    if (this.#waiting >= MAX_DATAGRAMS || !mayAsk(from.address)) return;
    this.#waiting += 1;
    answer(bytes, "udp")
      .then((reply) => {
        // An error of the system in sending is the asker's who has gone.
        if (reply !== undefined) this.#datagrams.send(reply, from.port, from.address, () => undefined);
      })
      .catch(onError)
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  #takeStream(socket: Socket): void {
    const { clock, mayAsk, onError } = this.#options;
    socket.on("error", () => socket.destroy());
    if (!mayAsk(socket.remoteAddress ?? "")) {
      socket.destroy();
      return;
    }
    this.#streams.add(socket);
    const frames = new FramedMessages(MAX_QUERY_BYTES);
    let idle: Timer | undefined;
    const touch = () => {
      idle?.cancel();
      idle = clock.setTimer(IDLE_MS, () => socket.destroy());
    };
    touch();
    socket.on("close", () => {
      idle?.cancel();
      this.#streams.delete(socket);
    });
    socket.on("data", (piece: Buffer) => {
      const messages = frames.take(piece);
      if (frames.isTooLong) socket.destroy();
      if (messages.length === 0 || socket.destroyed) return;
      touch();
      // One after the other: who asks more waits in the buffers of the system.
      socket.pause();
      this.#answerInOrder(socket, messages)
        .then(() => socket.resume())
        .catch((error: unknown) => {
          onError(error);
          socket.destroy();
        });
    });
  }

  async #answerInOrder(socket: Socket, messages: readonly Buffer[]): Promise<void> {
    for (const message of messages) {
      const reply = await this.#options.answer(message, "tcp");
      if (reply === undefined || socket.destroyed) {
        socket.destroy();
        return;
      }
      if (!socket.write(framed(reply))) await drained(socket);
    }
  }
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once("drain", resolve);
    socket.once("close", () => resolve());
  });
}

function listenStream(host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve(server);
    });
  });
}

function listenDatagrams(address: string, port: number): Promise<DatagramSocket> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
    socket.once("error", (error) => {
      socket.close();
      reject(error);
    });
    socket.bind({ address, port }, () => {
      socket.removeAllListeners("error");
      resolve(socket);
    });
  });
}
