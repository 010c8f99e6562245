// The streams of a container runtime that is told by SPDY when input ends: a command that says back what it has read.

import type { Duplex } from "node:stream";
import { constants, inflateSync } from "node:zlib";

const FIN = 1;

/**
 * Answers on `socket`, which was asked to become such a connection. Compressed words of all streams are one text. `onInput` is
 * told how many bytes of input have come.
 */
export function serveEcho(socket: Duplex, onInput: (bytes: number) => void = () => undefined): void {
  socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: SPDY/3.1\r\n\r\n");
  const streams = new Map<string, number>();
  let words = Buffer.alloc(0);
  let rest = Buffer.alloc(0);
  let heard = "";
  const frame = (first: number, flags: number, body: Buffer) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(first, 0);
    head.writeUInt32BE(flags * 2 ** 24 + body.length, 4);
    return Buffer.concat([head, body]);
  };
  const opened = (body: Buffer) => {
    words = Buffer.concat([words, body.subarray(10)]);
    const names = inflateSync(words, { finishFlush: constants.Z_SYNC_FLUSH }).toString("latin1");
    streams.set(/(stdin|stdout|stderr|error|resize)$/.exec(names)?.[1] ?? "", body.readUInt32BE(0));
    socket.write(frame(0x8003_0002, 0, body.subarray(0, 4)));
  };
  const heardFrom = (stream: number, flags: number, body: Buffer) => {
    if (stream !== streams.get("stdin")) return;
    heard += body.toString();
    onInput(heard.length);
    if ((flags & FIN) === 0) return;
    const said = (name: string, text: string) => frame(streams.get(name) ?? 0, FIN, Buffer.from(text));
    // In pieces, as networks bring them.
    const answer = Buffer.concat([said("stdout", heard), said("error", '{"status":"Success"}')]);
    for (const byte of answer) socket.write(Buffer.of(byte));
  };
  socket.on("error", () => socket.destroy());
  socket.on("data", (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 8 && rest.length >= 8 + rest.readUIntBE(5, 3)) {
      const [first, flags, end] = [rest.readUInt32BE(0), rest.readUInt8(4), 8 + rest.readUIntBE(5, 3)];
      const body = rest.subarray(8, end);
      rest = rest.subarray(end);
      if (first === 0x8003_0001) opened(body);
      else if (first < 2 ** 31) heardFrom(first, flags, body);
    }
  });
}
