// Many watches of one collection, by either protocol.

import { type ClientHttp2Session, connect } from "node:http2";
import { openSocket, requestOf } from "./load-client.ts";

interface Watches {
  readonly host: string;
  readonly port: number;
  readonly token: string;
  readonly path: string;
  readonly count: number;
}

/** How watches reach the server. `open` resolves when all of them have begun, to what ends them; `listener` is for one. */
export interface WatchWay {
  readonly name: string;
  open(watches: Watches, listener: () => (piece: Buffer) => void): Promise<() => void>;
}

const STREAMS_A_CONNECTION = 100;

/** Each on a connection of its own. */
const HTTP1_WATCHES: WatchWay = {
  name: "",
  async open({ host, port, token, path, count }, listener) {
    const begin = async () => {
      const socket = await openSocket(port, host);
      socket.write(requestOf({ method: "GET", path }, token));
      await new Promise<void>((resolve) => socket.once("data", () => resolve()));
      return socket.on("data", listener());
    };
    const sockets = await Promise.all(Array.from({ length: count }, begin));
    return () => {
      for (const socket of sockets) socket.destroy();
    };
  },
};

/** As many on one connection as servers allow. */
const HTTP2_WATCHES: WatchWay = {
  name: " over HTTP/2",
  async open({ host, port, token, path, count }, listener) {
    const sessions = Array.from({ length: count / STREAMS_A_CONNECTION }, () =>
      connect(`https://${host}:${port}`, { rejectUnauthorized: false }),
    );
    const headers = { ":path": path, authorization: `Bearer ${token}` };
    const begin = (session: ClientHttp2Session) =>
      new Promise<void>((resolve, reject) => {
        session
          .request(headers)
          .once("error", reject)
          .once("response", () => resolve())
          .on("data", listener());
      });
    const streams = sessions.flatMap((session) => Array.from({ length: STREAMS_A_CONNECTION }, () => begin(session)));
    await Promise.all(streams);
    return () => {
      for (const session of sessions) session.destroy();
    };
  },
};

export const WATCH_WAYS: readonly WatchWay[] = [HTTP1_WATCHES, HTTP2_WATCHES];
