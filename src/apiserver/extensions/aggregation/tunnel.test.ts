// Upgraded connections through this server to one behind, over real sockets: WebSockets, and raw bytes as SPDY has them.

import type { IncomingMessage } from "node:http";
import { request as send } from "node:https";
import type { Duplex } from "node:stream";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import WebSocket, { WebSocketServer } from "ws";
import { startListener, type TestListener } from "../../../http/listener.testing.ts";
import type { ServerInProcess } from "../../server.testing.ts";
import {
  APIS,
  type Backend,
  eventually,
  GROUP,
  registerStore,
  startAggregator,
  startBackend,
} from "./aggregation.testing.ts";

const PATH = `/apis/${GROUP}/v1/namespaces/a/orders/b/exec?stdin=true`;
const MIB = 1024 * 1024;

type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

let server: ServerInProcess;
let listener: TestListener;
let backend: Backend;
let onUpgrade: Upgrade | undefined;
const farSockets: Duplex[] = [];

beforeAll(async () => {
  [backend, server] = await Promise.all([startBackend(), startAggregator()]);
  listener = await startListener(server.handler);
  backend.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    farSockets.push(socket);
    socket.on("error", () => undefined);
    onUpgrade?.(request, socket, head);
  });
  await registerStore(server, backend);
});
afterAll(async () => {
  await listener.close(0);
  await server.close();
  await backend.close();
});
afterEach(async () => {
  // Whatever a test has done, nothing is left open behind it.
  await eventually(() => expect(farSockets.filter(({ destroyed }) => !destroyed)).toEqual([]));
  farSockets.length = 0;
});

interface Answer {
  readonly status: number;
  readonly text: string;
}

interface Opened {
  readonly head: IncomingMessage;
  readonly socket: Duplex;
  readonly first: Buffer;
}

/** An upgraded connection, or the answer that came instead. */
function upgrade(headers: Record<string, string> = {}): Promise<Opened | Answer> {
  return new Promise((resolve, reject) => {
    const sent = send({
      host: "127.0.0.1",
      port: listener.port,
      path: PATH,
      rejectUnauthorized: false,
      agent: false,
      headers: { connection: "Upgrade", upgrade: "SPDY/3.1", authorization: "Bearer secret", ...headers },
    });
    sent.on("upgrade", (head, socket, first) => {
      socket.on("error", () => undefined);
      resolve({ head, socket, first });
    });
    sent.on("response", (answer) => {
      let text = "";
      answer.on("data", (piece) => {
        text += piece;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

async function opened(headers?: Record<string, string>): Promise<Opened> {
  const outcome = await upgrade(headers);
  if ("socket" in outcome) return outcome;
  throw new Error(`not upgraded: ${outcome.status} ${outcome.text}`);
}

const SWITCH = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Own: 1\r\n\r\n";

const closed = (socket: Duplex) =>
  new Promise<void>((resolve) => (socket.destroyed ? resolve() : socket.once("close", () => resolve())));

describe("a WebSocket to a server behind", () => {
  it("carries messages both ways, with the protocol that both sides chose", async () => {
    const behind = new WebSocketServer({ noServer: true, handleProtocols: () => "v5.channel.k8s.io" });
    let seen: IncomingMessage | undefined;
    onUpgrade = (request, socket, head) =>
      behind.handleUpgrade(request, socket, head, (web) => {
        seen = request;
        web.on("message", (data, isBinary) => web.send(data, { binary: isBinary }));
      });
    const web = new WebSocket(`wss://127.0.0.1:${listener.port}${PATH}`, ["v4.channel.k8s.io", "v5.channel.k8s.io"], {
      rejectUnauthorized: false,
    });
    await new Promise((resolve, reject) => web.once("open", resolve).once("error", reject));
    expect(web.protocol).toBe("v5.channel.k8s.io");
    const answers: unknown[] = [];
    web.on("message", (data, isBinary) => answers.push(isBinary ? (data as Buffer).length : String(data)));
    web.send("hello");
    web.send(Buffer.alloc(3 * MIB));
    await eventually(() => expect(answers).toEqual(["hello", 3 * MIB]));
    expect(seen?.url).toBe(PATH);
    expect(seen?.headers).toMatchObject({ "x-remote-user": "admin", host: `127.0.0.1:${backend.port}` });
    expect(seen?.headers.authorization).toBeUndefined();
    const end = new Promise<number>((resolve) => web.once("close", resolve));
    web.close(1000);
    expect(await end).toBe(1000);
  });
});

describe("a raw upgrade", () => {
  it("passes on the head of the answer and what came right after it", async () => {
    onUpgrade = (_request, socket) => socket.write(`${SWITCH}early`);
    const { head, socket, first } = await opened();
    expect([head.headers["x-own"], head.headers.upgrade]).toEqual(["1", "SPDY/3.1"]);
    expect(head.rawHeaders).toContain("X-Own");
    let text = first.toString();
    socket.on("data", (piece) => {
      text += piece;
    });
    await eventually(() => expect(text).toBe("early"));
    socket.destroy();
  });

  it("ends here when the server behind ends in order, after its last bytes", async () => {
    onUpgrade = (_request, socket) => {
      socket.write(SWITCH);
      socket.end(Buffer.alloc(2 * MIB));
    };
    const { socket, first } = await opened();
    let size = first.length;
    socket.on("data", (piece: Buffer) => {
      size += piece.length;
    });
    await closed(socket);
    expect(size).toBe(2 * MIB);
  });

  it("ends behind when the client ends in order, after its last bytes", async () => {
    let size = 0;
    const ended = new Promise<void>((resolve) => {
      onUpgrade = (_request, socket) => {
        socket.on("data", (piece: Buffer) => {
          size += piece.length;
        });
        socket.on("end", resolve);
        socket.write(SWITCH);
      };
    });
    const { socket } = await opened();
    socket.end(Buffer.alloc(2 * MIB));
    await ended;
    expect(size).toBe(2 * MIB);
    await closed(socket);
  });

  it("loses nothing to a server that reads late", async () => {
    const total = 16 * MIB;
    onUpgrade = (_request, socket) => socket.pause().write(SWITCH);
    const { socket } = await opened();
    for (let sent = 0; sent < total; sent += MIB) socket.write(Buffer.alloc(MIB));
    socket.end();
    let before = -1;
    await vi.waitFor(
      () => {
        const was = before;
        before = socket.writableLength;
        expect(before).toBe(was);
      },
      { interval: 200, timeout: 5_000 },
    );
    const far = farSockets[0]!;
    let size = 0;
    far.on("data", (piece: Buffer) => {
      size += piece.length;
    });
    far.resume();
    await closed(far);
    expect(size).toBe(total);
  });

  it("ends here when the server behind fails", async () => {
    onUpgrade = (_request, socket) => socket.write(SWITCH);
    const { socket } = await opened();
    socket.resume();
    farSockets[0]!.destroy();
    await closed(socket);
  });

  it("ends behind when the client fails", async () => {
    onUpgrade = (_request, socket) => socket.write(SWITCH);
    const { socket } = await opened();
    const far = farSockets[0]!.resume();
    socket.destroy();
    await closed(far);
  });

  it("goes no faster than the client reads", async () => {
    const total = 64 * MIB;
    let written = 0;
    onUpgrade = async (_request, socket) => {
      socket.write(SWITCH);
      for (const piece = Buffer.alloc(MIB); written < total && !socket.destroyed; ) {
        written += piece.length;
        if (!socket.write(piece)) await new Promise((resolve) => socket.once("drain", resolve));
      }
      socket.end();
    };
    const { socket, first } = await opened();
    socket.pause();
    let before = -1;
    await vi.waitFor(
      () => {
        const was = before;
        before = written;
        expect(written).toBe(was);
      },
      { interval: 200, timeout: 5_000 },
    );
    expect(written).toBeLessThan(total);
    let size = first.length;
    socket.on("data", (piece: Buffer) => {
      size += piece.length;
    });
    socket.resume();
    await closed(socket);
    expect(size).toBe(total);
  });

  it.each([400, 403, 500])("that is refused with %d is answered so, with the reason", async (status) => {
    onUpgrade = (_request, socket) =>
      socket.end(`HTTP/1.1 ${status} No\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\nreason`);
    expect(await upgrade()).toEqual({ status, text: "reason" });
  });

  it.each([200, 302])("that is answered with %d has failed", async (status) => {
    onUpgrade = (_request, socket) =>
      socket.end(`HTTP/1.1 ${status} Yes\r\nLocation: https://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n`);
    expect(await upgrade()).toEqual({ status: 503, text: `invalid upgrade response: status code ${status}\n` });
  });

  it("that is cut off has failed", async () => {
    onUpgrade = (_request, socket) => socket.destroy();
    const outcome = (await upgrade()) as Answer;
    expect(outcome.status).toBe(503);
    expect(outcome.text).toBe("unexpected EOF\n");
  });

  it("is not tried while the server behind is unavailable", async () => {
    await server.call("POST", APIS, {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: "v1.none.example.test" },
      spec: {
        group: "none.example.test",
        version: "v1",
        groupPriorityMinimum: 1,
        versionPriority: 1,
        service: { namespace: "default", name: "none" },
      },
    });
    const web = new WebSocket(`wss://127.0.0.1:${listener.port}/apis/none.example.test/v1/x`, {
      rejectUnauthorized: false,
    });
    const error = await new Promise<Error>((resolve) => web.once("error", resolve));
    expect(error.message).toContain("503");
  });
});
