// A way through a SOCKS5 proxy (RFC 1928), with a name and a password where its address has them (RFC 1929). The proxy looks
// names up itself.

import type { Socket } from "node:net";
import { parseIp } from "../../meta/ip.ts";

const VERSION = 5;
const NO_SECRET = 0;
const NAME_AND_PASSWORD = 2;
const CONNECT = 1;
const ADDRESS_TYPE = { ipv4: 1, name: 3, ipv6: 4 } as const;
const MAX_TEXT_BYTES = 255;

const REFUSALS: readonly string[] = [
  "",
  "general failure",
  "not allowed by its rules",
  "network unreachable",
  "host unreachable",
  "connection refused",
  "time to live expired",
  "command not supported",
  "address type not supported",
];

/** Asks the proxy at the other end of `socket` for a connection; from then on the socket is one to the target. */
export async function connectBySocks5(
  socket: Socket,
  proxy: URL,
  target: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<void> {
  const [name, password] = [decodeURIComponent(proxy.username), decodeURIComponent(proxy.password)];
  const methods = name === "" ? [NO_SECRET] : [NO_SECRET, NAME_AND_PASSWORD];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
  const [version, method] = await take(socket, 2, signal);
  if (version !== VERSION) throw new Error("the proxy does not speak SOCKS5");
  if (method === NAME_AND_PASSWORD && name !== "") {
    socket.write(Buffer.concat([Buffer.from([1]), counted(name), counted(password)]));
    const [, status] = await take(socket, 2, signal);
    if (status !== 0) throw new Error("the proxy refused the name or the password");
  } else if (method !== NO_SECRET) {
    throw new Error("the proxy wants a name and a password");
  }
  const port = Buffer.alloc(2);
  port.writeUInt16BE(target.port);
  socket.write(Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), addressOf(target.host), port]));
  const [, reply = 0, , type] = await take(socket, 4, signal);
  if (reply !== 0) throw new Error(`the proxy refused: ${REFUSALS[reply] ?? `code ${reply}`}`);
  // Where the proxy itself connects from, which says nothing to us.
  const [first = 0] = type === ADDRESS_TYPE.name ? await take(socket, 1, signal) : [];
  const rest = type === ADDRESS_TYPE.name ? first : type === ADDRESS_TYPE.ipv6 ? 16 : 4;
  await take(socket, rest + 2, signal);
}

function addressOf(host: string): Buffer {
  const ip = parseIp(host);
  if (ip === undefined) return Buffer.concat([Buffer.from([ADDRESS_TYPE.name]), counted(host)]);
  return Buffer.concat([Buffer.from([ip.family === 4 ? ADDRESS_TYPE.ipv4 : ADDRESS_TYPE.ipv6]), ip.bytes]);
}

function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_TEXT_BYTES) throw new Error("a SOCKS5 proxy takes at most 255 bytes of a name");
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

/** So many bytes, when they have come. */
function take(socket: Socket, count: number, signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      socket.off("readable", onReadable).off("end", onEnd).off("error", fail).off("close", onEnd);
      signal.removeEventListener("abort", onAbort);
    };
    const fail = (error: unknown): void => {
      settle();
      reject(error);
    };
    // The listener stays until all is there: one that is added again would be told at once of what is there already.
    const onReadable = (): void => {
      const bytes = socket.read(count) as Buffer | null;
      // Less than that comes only with the end.
      if (bytes === null || bytes.length < count) return;
      settle();
      resolve(bytes);
    };
    const onEnd = (): void => fail(new Error("the proxy closed the connection"));
    const onAbort = (): void => fail(signal.reason);
    socket.on("readable", onReadable).on("end", onEnd).on("error", fail).on("close", onEnd);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort);
    if (socket.destroyed || socket.readableEnded) onEnd();
  });
}
