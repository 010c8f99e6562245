// A port of a pod over a WebSocket: channel 0 carries its bytes, channel 1 what went wrong. The first message of each
// channel repeats the number of the port.

import type { ApiSocket } from "../transport.ts";
import type { RequestSender } from "./request-sender.ts";

const DATA = 0;
const FAILED = 1;
const MAX_FAILURE_CHARACTERS = 1_024;

export async function openPortForward(
  sender: RequestSender,
  path: string,
  signal: AbortSignal | undefined,
): Promise<ForwardedPort> {
  const protocols = [sender.names.oldChannelProtocol];
  return new ForwardedPort(
    await sender.transport.connect({ path, protocols, ...(signal === undefined ? {} : { signal }) }),
  );
}

export class ForwardedPort {
  readonly #socket: ApiSocket;

  constructor(socket: ApiSocket) {
    this.#socket = socket;
  }

  send(data: Uint8Array): void {
    this.#socket.send(Buffer.concat([Uint8Array.of(DATA), data]));
  }

  /** When what was sent has left this process: whoever sends much waits for it. */
  flushed(): Promise<void> {
    return this.#socket.flushed();
  }

  /** What comes from the port, until the other side closes. Fails with what the server says went wrong. */
  async *received(): AsyncGenerator<Uint8Array, void, void> {
    const begun = new Set<number>();
    for await (const message of this.#socket.messages()) {
      const [channel] = message;
      if (channel !== DATA && channel !== FAILED) continue;
      if (!begun.has(channel)) {
        begun.add(channel);
        continue;
      }
      const data = message.subarray(1);
      if (channel === FAILED)
        throw new Error(`port-forward: ${Buffer.from(data).toString("utf8", 0, MAX_FAILURE_CHARACTERS)}`);
      if (data.length > 0) yield data;
    }
  }

  close(): void {
    this.#socket.close();
  }
}
