// Asks the machine's own resolvers what the cluster does not know. A question goes out under a number of its own on a socket of
// its own, and only an answer to that very question, from whom it was sent to, is believed.

import { createSocket } from "node:dgram";
import { connect } from "node:net";
import type { Clock } from "../../base/clock.ts";
import { HEADER_BYTES, lowerCase, type Question } from "../message/message.ts";
import { readQuestions } from "../message/read-message.ts";
import { FramedMessages, framed } from "../message/stream-frames.ts";

export type Transport = "udp" | "tcp";

interface Upstream {
  readonly address: string;
  readonly port: number;
}

interface ForwarderOptions {
  readonly clock: Clock;
  /** A number below 65,536 that nobody can foretell. */
  readonly randomId: () => number;
  /** In the order in which they are asked. */
  readonly upstreams: () => readonly Upstream[];
}

/** How long one server is waited for. */
const TIMEOUT_MS = 2_000;
/** Questions that wait at once: each has a socket. */
const MAX_WAITING = 512;

export class Forwarder {
  readonly #options: ForwarderOptions;
  /** One for each that waits: ends the waiting. */
  readonly #aborts = new Set<() => void>();
  #waiting = 0;
  #closed = false;

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  /** The answer under the number of `query`; undefined when nobody gave one, or too many wait already. */
  async ask(query: Uint8Array, question: Question, transport: Transport): Promise<Buffer | undefined> {
    if (this.#waiting >= MAX_WAITING) return undefined;
    this.#waiting += 1;
    try {
      for (const upstream of this.#options.upstreams()) {
        if (this.#closed) return undefined;
        const answer = await this.#askOne(upstream, query, question, transport);
        if (answer === undefined) continue;
        answer.writeUInt16BE(Buffer.from(query).readUInt16BE(0), 0);
        return answer;
      }
      return undefined;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Whoever waits gets nothing. */
  close(): void {
    this.#closed = true;
    for (const abort of this.#aborts) abort();
  }

  #askOne(upstream: Upstream, query: Uint8Array, question: Question, transport: Transport) {
    const { clock, randomId } = this.#options;
    const own = Buffer.from(query);
    const id = randomId();
    own.writeUInt16BE(id, 0);
    const isOurs = (bytes: Buffer): boolean => isAnswerTo(bytes, id, question);
    return new Promise<Buffer | undefined>((resolve) => {
      const end = (answer: Buffer | undefined): void => {
        timer.cancel();
        this.#aborts.delete(abort);
        stop();
        resolve(answer);
      };
      const abort = () => end(undefined);
      const timer = clock.setTimer(TIMEOUT_MS, abort);
      const take = (bytes: Buffer): void => {
        if (isOurs(bytes)) end(bytes);
      };
      const stop = (transport === "udp" ? sendDatagram : sendStream)(upstream, own, take, abort);
      this.#aborts.add(abort);
    });
  }
}

type Send = (
  upstream: Upstream,
  query: Buffer,
  onMessage: (bytes: Buffer) => void,
  onFailure: () => void,
) => /** Ends it. */ () => void;

const sendDatagram: Send = ({ address, port }, query, onMessage, onFailure) => {
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  socket.on("error", onFailure);
  socket.on("message", (bytes) => onMessage(bytes));
  // Heard of only when there is a way: what goes wrong is an error, as everything else.
  socket.on("connect", () => socket.send(query));
  // A connected socket hears nobody else.
  socket.connect(port, address);
  let isOpen = true;
  return () => {
    if (isOpen) socket.close();
    isOpen = false;
  };
};

const sendStream: Send = ({ address, port }, query, onMessage, onFailure) => {
  const socket = connect({ host: address, port });
  const frames = new FramedMessages();
  socket.on("error", onFailure);
  socket.on("close", onFailure);
  socket.on("data", (chunk: Buffer) => {
    for (const bytes of frames.take(chunk)) onMessage(bytes);
  });
  socket.write(framed(query));
  return () => socket.destroy();
};

function isAnswerTo(bytes: Buffer, id: number, asked: Question): boolean {
  if (bytes.length < HEADER_BYTES || bytes.readUInt16BE(0) !== id) return false;
  const [question, more] = readQuestions(bytes) ?? [];
  return (
    (bytes[2]! & 0x80) !== 0 &&
    question !== undefined &&
    more === undefined &&
    question.type === asked.type &&
    question.class === asked.class &&
    JSON.stringify(lowerCase(question.name)) === JSON.stringify(lowerCase(asked.name))
  );
}
