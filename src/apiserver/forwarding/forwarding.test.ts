// What passes a proxy of this server, and what does not: paths, headers and upgraded connections, over real sockets.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as httpServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import WebSocket, { WebSocketServer } from "ws";
import { inProcessRequest } from "../../http/in-process.ts";
import { raw, startListener, type TestListener } from "../../http/listener.testing.ts";
import { namesFor } from "../../meta/names.ts";
import {
  type AuthorizedRequest,
  authenticatedRequest,
  authorizedRequest,
  targetedRequest,
} from "../../registry/request.ts";
import {
  type Backend,
  echo,
  GROUP,
  registerStore,
  startAggregator,
  startBackend,
} from "../extensions/aggregation/aggregation.testing.ts";
import { forwardHttp } from "../handlers/special/forward-http.ts";
import { targetOf } from "../request-path.ts";
import type { ServerInProcess } from "../server.testing.ts";

const BASE = `/apis/${GROUP}/v1`;
const TOKEN = `${namesFor("kubernetes").webSocketTokenPrefix}c2VjcmV0`;

let server: ServerInProcess;
let backend: Backend;
let listener: TestListener;
let folder: string;
const asked: string[] = [];
let mayRead: "everything" | "discovery" = "everything";

beforeAll(async () => {
  backend = await startBackend();
  folder = mkdtempSync(join(tmpdir(), "forwarding-"));
  writeFileSync(join(folder, "ca.crt"), Buffer.from(backend.caBundle, "base64"));
  server = await startAggregator({
    flags: [
      `--requestheader-client-ca-file=${folder}/ca.crt`,
      "--requestheader-username-headers=X-Who",
      "--requestheader-extra-headers-prefix=X-More-",
    ],
    deps: {
      authorizer: {
        // What system:discovery allows, for whoever is not an administrator.
        authorize: ({ path, resource, verb }) => {
          asked.push(path ?? `${verb} ${resource?.resource} ${resource?.namespace} ${resource?.name}`);
          const isDiscovery = verb === "get" && (path === "/apis" || path?.startsWith("/apis/") === true);
          return { verdict: mayRead === "everything" || isDiscovery ? "allow" : "no-opinion", reason: "" };
        },
      },
    },
  });
  await registerStore(server, backend);
  listener = await startListener(server.handler);
});
afterAll(async () => {
  await listener.close(0);
  await server.close();
  await backend.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  backend.handle = echo;
  backend.seen.length = 0;
  asked.length = 0;
});
afterEach(() => {
  mayRead = "everything";
  backend.server.removeAllListeners("upgrade");
});

/** Without what this server asks on its own account. */
const arrived = () => backend.seen.filter(({ url }) => url.startsWith(BASE));

describe("a path to a server behind", () => {
  it.each([
    "//namespaces/a/orders/b",
    "/namespaces//orders/b",
    "/namespaces/a//orders/b",
    "/namespaces/a/orders//b",
    "%2fnamespaces%2fa%2forders%2fb",
    "/%2fnamespaces/a/orders/b",
    "/./orders/b",
    "/../v1/orders/b",
    "/orders/b/",
    "//",
  ])("is never taken for discovery, whatever its parts: %s", async (path) => {
    mayRead = "discovery";
    for (const upgrade of ["", "Connection: Upgrade\r\nUpgrade: websocket\r\n"]) {
      const answer = await raw(
        listener.port,
        `GET ${BASE}${path} HTTP/1.1\r\nHost: x\r\n${upgrade}${upgrade === "" ? "Connection: close\r\n" : ""}\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    }
    expect(arrived()).toEqual([]);
  });

  it.each([
    ["/namespaces/a/orders/b?x=%2F", "get orders a b", "/namespaces/a/orders/b?x=%2F"],
    ["/namespaces%2fa/orders%2Fb", "get orders a b", "/namespaces/a/orders/b"],
    ["/orders/%C3%A4%3F%23", "get orders  ä?#", "/orders/%C3%A4%3F%23"],
    ["/namespaces/a/orders/b/", "get orders a b", "/namespaces/a/orders/b"],
  ])("arrives as it was authorized: %s", async (path, attributes, expected) => {
    await server.call("GET", `${BASE}${path}`);
    expect(asked).toContain(attributes);
    expect(arrived().map(({ url }) => url)).toEqual([`${BASE}${expected}`]);
  });

  it.each(["//orders", "/namespaces/a//orders", "/orders/..", "/orders/./x"])(
    "leads nowhere with parts that are no names, for administrators too: %s",
    async (path) => {
      expect((await server.call("GET", `${BASE}${path}`)).status).toBe(404);
      expect(arrived()).toEqual([]);
    },
  );
});

describe("headers", () => {
  it("of credentials, of one connection and of this server do not arrive behind it", async () => {
    const hidden = {
      authorization: "Bearer secret",
      cookie: "a=b",
      "x-who": "somebody",
      "x-more-a": "b",
      "x-remote-user": "somebody",
      "impersonate-other": "1",
      connection: "close, X-Hop",
      "x-hop": "1",
      te: "trailers",
    };
    await server.call("GET", `${BASE}/orders`, undefined, { ...hidden, "x-kept": "ü" });
    const { headers } = arrived()[0]!;
    const { "x-remote-user": user, connection, ...others } = headers;
    expect([user, connection]).toEqual(["admin", "keep-alive"]);
    for (const name of Object.keys(hidden)) expect(others).not.toHaveProperty(name);
    expect(others["x-kept"]).toBe(Buffer.from("ü").toString("latin1"));
  });

  it("of a server behind do not speak for this one", async () => {
    backend.handle = (_seen, response) =>
      response
        .writeHead(200, {
          "Audit-Id": "forged",
          "Access-Control-Allow-Origin": "*",
          "Access-Control-Expose-Headers": "*",
          Connection: "X-Hop",
          "X-Hop": "1",
          "X-Kept": "1",
        })
        .end();
    const { headers } = await server.call("GET", `${BASE}/orders`, undefined, { "audit-id": "mine" });
    expect(headers).toMatchObject({ "audit-id": "mine", "x-kept": "1" });
    const names = Object.keys(headers);
    expect(names.filter((name) => name.startsWith("access-control-") || name === "x-hop")).toEqual([]);
  });
});

describe("a WebSocket", () => {
  it("leaves its token here", async () => {
    const behind = new WebSocketServer({ noServer: true });
    let seen: IncomingMessage | undefined;
    backend.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      seen = request;
      behind.handleUpgrade(request, socket, head, (web) => web.close());
    });
    const web = new WebSocket(`wss://127.0.0.1:${listener.port}${BASE}/orders/a/exec`, [TOKEN, "v5.channel.k8s.io"], {
      rejectUnauthorized: false,
    });
    await new Promise((resolve, reject) => web.once("close", resolve).once("error", reject));
    expect(seen?.headers["sec-websocket-protocol"]).toBe("v5.channel.k8s.io");
    expect(web.protocol).toBe("v5.channel.k8s.io");
  });

  it("of a watch is not told its token again", async () => {
    const url = `wss://127.0.0.1:${listener.port}/api/v1/namespaces?watch=1&timeoutSeconds=1`;
    const web = new WebSocket(url, [TOKEN, "v1.other"], { rejectUnauthorized: false });
    await new Promise((resolve, reject) => web.once("open", resolve).once("error", reject));
    expect(web.protocol).toBe("v1.other");
    web.terminate();
  });
});

describe("a server that switches protocols unasked", () => {
  const SWITCH = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n";

  it("does not hang a request to an API", async () => {
    backend.handle = (_seen, response) => response.socket?.end(SWITCH);
    const { status, text } = await server.call("GET", `${BASE}/orders`);
    expect([status, text]).toEqual([503, expect.stringContaining("error trying to reach service")]);
  });

  it.each([SWITCH, "HTTP/1.1 101 Switching Protocols\r\n\r\n"])(
    "does not hang a request to a pod: %j",
    async (head) => {
      const pod = httpServer((_request, response) => void response.socket?.write(head));
      await new Promise<void>((resolve) => pod.listen(0, "127.0.0.1", resolve));
      const { port } = pod.address() as AddressInfo;
      const where = { scheme: "http", host: "127.0.0.1", port, path: "/", mount: "" } as const;
      await expect(forwardHttp(toPod(), where, 1_000)).rejects.toMatchObject({ code: 503 });
      pod.closeAllConnections();
      pod.close();
    },
  );
});

describe("the header lines of an answer", () => {
  /** Short ones, of which as many as possible fit into the bytes that are read. */
  const head = (status: string, count: number) =>
    `HTTP/1.1 ${status}\r\n${Array.from({ length: count }, (_, at) => `x-${at}: 1\r\n`).join("")}`;
  const arriving = (text: string) => text.match(/^x-\d+: 1\r$/gim)?.length ?? 0;
  const ask = (path: string, lines: string) => raw(listener.port, `GET ${path} HTTP/1.1\r\nHost: x\r\n${lines}\r\n`);

  it("arrive, each of them, or the answer is none", async () => {
    backend.handle = ({ url }, response) =>
      response.socket?.end(`${head("200 OK", Number(/\d+$/.exec(url)?.[0]))}content-length: 0\r\n\r\n`);
    const answers = await Promise.all(
      [1_300, 3_000].map((count) => ask(`${BASE}/orders/x?count=${count}`, "Connection: close\r\n")),
    );
    expect(answers.map((text) => [text.slice(0, 12), arriving(text)])).toEqual([
      ["HTTP/1.1 200", 1_300],
      ["HTTP/1.1 503", 0],
    ]);
  });

  it("arrive when protocols are switched, too", async () => {
    backend.server.on("upgrade", (_request: IncomingMessage, socket: Duplex) => {
      socket.end(`${head("101 Switching Protocols", 1_300)}connection: Upgrade\r\nupgrade: x\r\n\r\n`);
    });
    const text = await ask(`${BASE}/orders/a/exec`, "Connection: Upgrade\r\nUpgrade: x\r\n");
    expect([text.slice(0, 12), arriving(text)]).toEqual(["HTTP/1.1 101", 1_300]);
  });
});

describe("a status that there is not", () => {
  it.each([99, 600, 999])("is a server that cannot be reached: %i", async (status) => {
    backend.handle = (_seen, response) => response.socket?.end(`HTTP/1.1 ${String(status).padStart(3, "0")} X\r\n\r\n`);
    const answer = await server.call("GET", `${BASE}/orders`);
    expect([answer.status, answer.text]).toEqual([503, expect.stringContaining("error trying to reach service")]);
  });
});

function toPod(): AuthorizedRequest {
  const received = inProcessRequest({ method: "GET", url: "/api/v1/namespaces/a/pods/b/proxy/" });
  const target = targetOf("GET", received.path, received)!;
  return authorizedRequest(authenticatedRequest(targetedRequest(received, target, ""), { name: "a", groups: [] }));
}
