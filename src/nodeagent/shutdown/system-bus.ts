// A connection to the system bus: who one is, calls, and signals.

import { connect, type Socket } from "node:net";
import { type BusMessage, type BusValue, decodeMessage, encodeMessage, MAX_MESSAGE_BYTES } from "./bus-message.ts";

interface BusCall {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly args?: readonly BusValue[];
}

const DEFAULT_SOCKET = "/var/run/dbus/system_bus_socket";
const BUS = { destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus" };

/** The path of the bus's socket, of what the environment says of it; a leading NUL is an abstract name. */
export function busSocket(address = ""): string {
  const found = /(?:^|;)unix:(?:[^;]*,)?(path|abstract)=([^,;]+)/.exec(address);
  if (found === null) return DEFAULT_SOCKET;
  return found[1] === "abstract" ? `\0${found[2]}` : found[2]!;
}

export class SystemBus {
  readonly #socket: Socket;
  readonly #calls = new Map<number, { resolve(body: readonly BusValue[]): void; reject(error: Error): void }>();
  readonly #onSignal: (message: BusMessage) => void;
  #received: Buffer = Buffer.alloc(0);
  #serial = 0;

  private constructor(socket: Socket, onSignal: (message: BusMessage) => void, onClose: () => void) {
    this.#socket = socket;
    this.#onSignal = onSignal;
    socket.on("data", (bytes: Buffer) => this.#take(bytes));
    socket.on("error", () => undefined);
    socket.on("close", () => {
      for (const { reject } of this.#calls.values()) reject(new Error("the system bus has closed the connection"));
      this.#calls.clear();
      onClose();
    });
  }

  /** Fails where nobody listens, or does not know who one is. */
  static async open(
    path: string,
    { onSignal, onClose }: { readonly onSignal: (message: BusMessage) => void; readonly onClose: () => void },
  ): Promise<SystemBus> {
    const socket = await connected(path);
    try {
      await authenticate(socket);
    } catch (error) {
      socket.destroy();
      throw error;
    }
    const bus = new SystemBus(socket, onSignal, onClose);
    await bus.call({ ...BUS, member: "Hello" });
    return bus;
  }

  /** What the called one answers. */
  async call({ args = [], ...target }: BusCall): Promise<readonly BusValue[]> {
    this.#serial += 1;
    const serial = this.#serial;
    return await new Promise((resolve, reject) => {
      this.#calls.set(serial, { resolve, reject });
      this.#socket.write(encodeMessage({ type: "call", serial, ...target, body: args }));
    });
  }

  /** Asks for signals: `type='signal',interface='...'`. */
  async addMatch(rule: string): Promise<void> {
    await this.call({ ...BUS, member: "AddMatch", args: [rule] });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    try {
      for (let next = decodeMessage(this.#received); next !== undefined; next = decodeMessage(this.#received)) {
        this.#received = this.#received.subarray(next.length);
        this.#handle(next.message);
      }
      if (this.#received.length > MAX_MESSAGE_BYTES) throw new Error("more than a message waits");
    } catch {
      // What cannot be read is followed by nothing that can.
      this.#socket.destroy();
    }
  }

  #handle(message: BusMessage): void {
    if (message.type === "signal") {
      this.#onSignal(message);
      return;
    }
    const call = this.#calls.get(message.replySerial ?? 0);
    this.#calls.delete(message.replySerial ?? 0);
    if (message.type === "return") call?.resolve(message.body);
    else call?.reject(new Error(`${message.errorName ?? "error"}: ${message.body[0] ?? ""}`));
  }
}

async function connected(path: string): Promise<Socket> {
  return await new Promise((resolve, reject) => {
    const socket = connect({ path });
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
    socket.once("error", reject);
  });
}

/** The bus knows who asks by the socket; one only has to say the same. */
async function authenticate(socket: Socket): Promise<void> {
  const id = Buffer.from(String(process.getuid?.() ?? 0)).toString("hex");
  const answer = await exchange(socket, `\0AUTH EXTERNAL ${id}\r\n`);
  if (!answer.startsWith("OK")) throw new Error(`the system bus refuses the agent: ${answer}`);
  // Locks are handed out as open files: a connection that cannot take any is refused them.
  await exchange(socket, "NEGOTIATE_UNIX_FD\r\n");
  socket.write("BEGIN\r\n");
}

async function exchange(socket: Socket, text: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    let answer = "";
    const end = (run: () => void) => {
      socket.off("data", take).off("close", closed);
      run();
    };
    const closed = () => end(() => reject(new Error("the system bus has closed the connection")));
    const take = (bytes: Buffer) => {
      answer += bytes.toString("latin1");
      if (answer.includes("\r\n")) end(() => resolve(answer.trim()));
    };
    socket.on("data", take).on("close", closed);
    socket.write(text);
  });
}
