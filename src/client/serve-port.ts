// Answers the requests of a client in another thread, with a transport of this one: whoever has the other end of the port acts
// as this transport does, and no otherwise.

import type { MessagePort } from "node:worker_threads";
import { Outbox } from "./port/outbox.ts";
import { type Batch, type ClientMessage, type ServerMessage, WINDOW_BYTES } from "./port/port-messages.ts";
import { type ApiRequest, type Transport, TransportError } from "./transport.ts";

/** Until the port is closed, at either end: then what is under way is cancelled. The transport stays open. */
export function servePort(port: MessagePort, transport: Transport): void {
  const outbox = new Outbox<ServerMessage>(port);
  const answers = new Map<number, Answer>();
  port.on("message", ({ messages }: Batch<ClientMessage>) => {
    for (const message of messages) {
      const { type, id } = message;
      if (type === "taken") answers.get(id)?.taken(message.sizeBytes);
      else if (type === "cancel") answers.get(id)?.cancel();
      else {
        const answer = new Answer(id, outbox);
        answers.set(id, answer);
        void answer.give(transport, message.request).finally(() => answers.delete(id));
      }
    }
  });
  port.on("close", () => {
    for (const answer of answers.values()) answer.cancel();
  });
}

/** The answer to one request, on its way. */
class Answer {
  readonly #id: number;
  readonly #outbox: Outbox<ServerMessage>;
  readonly #cancel = new AbortController();
  #untakenBytes = 0;
  /** Wakes whoever waits for the reader. */
  #onRoom: () => void = () => undefined;

  constructor(id: number, outbox: Outbox<ServerMessage>) {
    this.#id = id;
    this.#outbox = outbox;
  }

  /** Never fails: the reader is told. */
  async give(transport: Transport, request: Omit<ApiRequest, "signal">): Promise<void> {
    const id = this.#id;
    const { signal } = this.#cancel;
    try {
      const response = await transport.request({ ...request, signal });
      const { status, headers, warnings } = response;
      this.#outbox.add({ type: "head", id, status, headers, warnings });
      for await (const piece of response.stream()) {
        this.#outbox.add({ type: "piece", id, sizeBytes: piece.length }, piece);
        this.#untakenBytes += piece.length;
        if (this.#untakenBytes >= WINDOW_BYTES) await this.#room();
      }
      this.#outbox.add({ type: "end", id });
    } catch (error) {
      if (!signal.aborted) this.#outbox.add({ type: "failure", id, ...reasonOf(error) });
    }
  }

  taken(sizeBytes: number): void {
    this.#untakenBytes -= sizeBytes;
    if (this.#untakenBytes < WINDOW_BYTES) this.#onRoom();
  }

  cancel(): void {
    this.#cancel.abort(new TransportError("lost", "the reader has gone"));
    this.#onRoom();
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#onRoom = resolve;
      if (this.#cancel.signal.aborted) resolve();
    });
  }
}

function reasonOf(error: unknown): Pick<TransportError, "failure" | "message"> {
  const message = error instanceof Error ? error.message : String(error);
  return { failure: error instanceof TransportError ? error.failure : "lost", message };
}
