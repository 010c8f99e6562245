// What runs in a container, over a WebSocket with channels: the first byte of a message says which one.
//
//   0 standard input   1 standard output   2 standard error   3 how it ended (a Status)   4 size of the terminal
//   255 (version 5 only) closes the channel whose number follows

import { isObject } from "../../base/json.ts";
import type { StatusBody } from "../../meta/status-error.ts";
import type { ApiSocket } from "../transport.ts";
import { decodeObject, encodeObject } from "./decode-object.ts";
import type { RequestSender } from "./request-sender.ts";

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ENDED = 3;
const RESIZE = 4;
const CLOSE = 255;

interface Output {
  readonly from: "stdout" | "stderr";
  readonly data: Uint8Array;
}

/** How a command ended. */
interface Exit {
  /** 0 when it went well; undefined when it could not be run or was ended from outside. */
  readonly code: number | undefined;
  readonly message: string;
}

interface CollectedOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: Exit;
}

export async function openContainerSession(
  sender: RequestSender,
  path: string,
  signal: AbortSignal | undefined,
): Promise<ContainerSession> {
  const { channelProtocol, oldChannelProtocol } = sender.names;
  const protocols = [channelProtocol, oldChannelProtocol];
  const socket = await sender.transport.connect({ path, protocols, ...(signal === undefined ? {} : { signal }) });
  return new ContainerSession(socket, socket.protocol === channelProtocol);
}

/** The default limit of collect(). */
const MAX_COLLECTED_BYTES = 16 * 1024 * 1024;

export class ContainerSession {
  readonly #socket: ApiSocket;
  readonly #closesChannels: boolean;
  #exit: Exit = { code: undefined, message: "the connection ended before the command did" };

  constructor(socket: ApiSocket, closesChannels: boolean) {
    this.#socket = socket;
    this.#closesChannels = closesChannels;
  }

  /** How it ended; known once `output` has come to its end. */
  get exit(): Exit {
    return this.#exit;
  }

  /** What it writes, in the order in which it came. Read as fast as the caller takes it. */
  async *output(): AsyncGenerator<Output, void, void> {
    for await (const message of this.#socket.messages()) {
      const data = message.subarray(1);
      switch (message[0]) {
        case STDOUT:
          if (data.length > 0) yield { from: "stdout", data };
          break;
        case STDERR:
          if (data.length > 0) yield { from: "stderr", data };
          break;
        case ENDED:
          this.#exit = exitOf(data);
          break;
        default:
          break;
      }
    }
  }

  /** Everything that it writes, as text. Fails above `maxBytes`. */
  async collect(maxBytes = MAX_COLLECTED_BYTES): Promise<CollectedOutput> {
    const pieces = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
    let size = 0;
    for await (const { from, data } of this.output()) {
      size += data.length;
      if (size > maxBytes) {
        this.close();
        throw new Error(`the command wrote more than ${maxBytes} bytes`);
      }
      pieces[from].push(data);
    }
    const text = (list: readonly Uint8Array[]) => Buffer.concat(list).toString("utf8");
    return { stdout: text(pieces.stdout), stderr: text(pieces.stderr), exit: this.#exit };
  }

  write(data: Uint8Array | string): void {
    this.#send(STDIN, Buffer.from(data));
  }

  /** When what was written has left this process: whoever writes much waits for it. */
  flushed(): Promise<void> {
    return this.#socket.flushed();
  }

  /** End of its standard input. Servers that cannot close a channel alone leave it open. */
  endInput(): void {
    if (this.#closesChannels) this.#socket.send(Uint8Array.of(CLOSE, STDIN));
  }

  resize(width: number, height: number): void {
    this.#send(RESIZE, encodeObject({ Width: width, Height: height }));
  }

  close(): void {
    this.#socket.close();
  }

  #send(channel: number, data: Uint8Array): void {
    this.#socket.send(Buffer.concat([Uint8Array.of(channel), data]));
  }
}

/** A Status: success, or a failure whose cause of reason ExitCode holds the code. */
function exitOf(data: Uint8Array): Exit {
  const status = decodeObject(data);
  if (!isObject(status)) return { code: undefined, message: "the server did not say how the command ended" };
  const { status: outcome, message = "", details } = status as unknown as StatusBody;
  if (outcome === "Success") return { code: 0, message };
  const cause = details?.causes?.find(({ reason }) => reason === "ExitCode");
  return { code: cause?.message === undefined ? undefined : Number(cause.message), message };
}
