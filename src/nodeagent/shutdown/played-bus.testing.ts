// A bus with a login manager on it, as far as the agent asks.

import { createServer, type Server, type Socket } from "node:net";
import { type BusMessage, type BusValue, decodeMessage, encodeMessage } from "./bus-message.ts";

export class PlayedBus {
  readonly calls: BusMessage[] = [];
  /** What the login manager waits at most, and what it does when it shall read its configuration again. */
  maxDelaySeconds = 3_600;
  onReload: () => void = () => undefined;
  readonly #server: Server;
  /** The agent, and the helper of the init system that holds locks. */
  readonly #clients = new Set<Socket>();
  #serial = 100;

  constructor(path: string) {
    this.#server = createServer((socket) => this.#serve(socket)).listen(path);
  }

  get clientCount(): number {
    return this.#clients.size;
  }

  emit(isComing: boolean): void {
    this.#serial += 1;
    const from = { path: "/org/freedesktop/login1", interface: "org.freedesktop.login1.Manager" };
    for (const client of this.#clients)
      client.write(
        encodeMessage({
          type: "signal",
          serial: this.#serial,
          ...from,
          member: "PrepareForShutdown",
          body: [isComing],
        }),
      );
  }

  close(): void {
    for (const client of this.#clients) client.destroy();
    this.#server.close();
  }

  #serve(socket: Socket): void {
    this.#clients.add(socket);
    socket.on("close", () => this.#clients.delete(socket));
    let begun = false;
    let bytes = Buffer.alloc(0);
    socket.on("error", () => undefined);
    socket.on("data", (more: Buffer) => {
      bytes = Buffer.concat([bytes, more]);
      while (!begun && bytes.includes("\r\n")) {
        const end = bytes.indexOf("\r\n");
        const line = bytes.toString("latin1", 0, end).replace("\0", "");
        bytes = bytes.subarray(end + 2);
        if (line.startsWith("AUTH EXTERNAL")) socket.write("OK 1234\r\n");
        else if (line === "NEGOTIATE_UNIX_FD") socket.write("AGREE_UNIX_FD\r\n");
        else begun = line === "BEGIN";
      }
      for (let next = begun ? decodeMessage(bytes) : undefined; next !== undefined; next = decodeMessage(bytes)) {
        bytes = bytes.subarray(next.length);
        this.calls.push(next.message);
        this.#serial += 1;
        const body = this.#answer(next.message);
        socket.write(encodeMessage({ type: "return", serial: this.#serial, replySerial: next.message.serial, body }));
      }
    });
  }

  #answer({ member }: BusMessage): BusValue[] {
    if (member === "Hello") return [":1.1"];
    if (member === "Get") return [BigInt(this.maxDelaySeconds) * 1_000_000n];
    if (member === "KillUnit") this.onReload();
    return [];
  }
}
