import { createServer as createHttp, type IncomingMessage } from "node:http";
import { createServer as createHttp2 } from "node:http2";
import { type AddressInfo, createServer as createTcp, type Server } from "node:net";
import tls from "node:tls";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startTlsServer } from "../../http/tls-server.testing.ts";
import { GrpcError } from "../cri/cri-client.ts";
import { type CheckTarget, checkContainer, portOf } from "./check-container.ts";

const servers: { close(): unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
const listen = async (server: {
  listen(port: number, host: string, done: () => void): unknown;
  address(): unknown;
  close(): unknown;
}) => {
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
};

let exec: Awaited<ReturnType<CheckTarget["cri"]["execSync"]>> | Error;
let commands: unknown[];
beforeEach(() => {
  exec = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), exitCode: 0 };
  commands = [];
});

const target = (ports: { name: string; containerPort: number; protocol: "TCP" }[] = []): CheckTarget => ({
  cri: {
    execSync: async (request) => {
      commands.push(request);
      if (exec instanceof Error) throw exec;
      return exec;
    },
  },
  containerId: "c",
  podIp: "127.0.0.1",
  container: { ports },
  timeoutMs: 1_000,
  userAgent: "test-probe/1",
});
const signal = () => new AbortController().signal;

describe("a command", () => {
  it("succeeds with exit code 0", async () => {
    expect(await checkContainer({ exec: { command: ["true", "x"] } }, target(), signal())).toMatchObject({
      result: "success",
    });
    expect(commands).toEqual([{ containerId: "c", cmd: ["true", "x"], timeout: 1 }]);
  });

  it("fails with another code, and says what it printed", async () => {
    exec = { stdout: Buffer.from("out "), stderr: Buffer.from("err"), exitCode: 1 };
    expect(await checkContainer({ exec: { command: ["false"] } }, target(), signal())).toEqual({
      result: "failure",
      message: "out err",
    });
  });

  it("fails when it takes too long", async () => {
    exec = new GrpcError("DeadlineExceeded", "late");
    const outcome = await checkContainer({ exec: { command: ["sleep", "9"] } }, target(), signal());
    expect(outcome).toEqual({ result: "failure", message: 'command timed out: "sleep 9" timed out after 1s' });
    exec = new GrpcError("Canceled", "aborted");
    const late = AbortSignal.abort(new DOMException("late", "TimeoutError"));
    expect(await checkContainer({ exec: { command: ["sleep", "9"] } }, target(), late)).toEqual(outcome);
  });

  it("that cannot be run says nothing of the container", async () => {
    exec = new GrpcError("Unknown", 'exec: "nosuch": not found');
    expect(await checkContainer({ exec: { command: ["nosuch"] } }, target(), signal())).toEqual({
      result: "unknown",
      message: 'rpc error: code = Unknown desc = exec: "nosuch": not found',
    });
  });
});

describe("an HTTP request", () => {
  it.each([
    [200, "success"],
    [302, "success"],
    [399, "success"],
    [400, "failure"],
    [503, "failure"],
  ])("with the answer %d is a %s", async (status, result) => {
    const port = await listen(createHttp((_, response) => void response.writeHead(status).end("body")));
    expect((await checkContainer({ httpGet: { port, path: "/", scheme: "HTTP" } }, target(), signal())).result).toBe(
      result,
    );
  });

  it("carries headers, and finds ports by name", async () => {
    let seen: IncomingMessage | undefined;
    const port = await listen(
      createHttp((request, response) => {
        seen = request;
        response.end();
      }),
    );
    const ports = [{ name: "web", containerPort: port, protocol: "TCP" as const }];
    await checkContainer(
      {
        httpGet: { port: "web", path: "/a b%20c%2Fd/100%?x=1", httpHeaders: [{ name: "Host", value: "example.com" }] },
      },
      target(ports),
      signal(),
    );
    expect([seen?.url, seen?.headers.host, seen?.headers["user-agent"]]).toEqual([
      "/a%20b%20c%2Fd/100%25?x=1",
      "example.com",
      "test-probe/1",
    ]);
  });

  it("sends every value of a header", async () => {
    let seen: string[] | undefined;
    const port = await listen(
      createHttp((request, response) => {
        seen = request.rawHeaders;
        response.end();
      }),
    );
    const httpHeaders = ["1", "2"].map((value) => ({ name: "X-A", value }));
    await checkContainer({ httpGet: { port, httpHeaders } }, target(), signal());
    expect(seen?.filter((_, index) => seen?.[index - 1]?.toLowerCase() === "x-a")).toEqual(["1", "2"]);
  });

  it.each([
    ["to the same host is followed", "/there", { result: "success", message: "there" }],
    [
      "to another host is not, and told of",
      "http://192.0.2.9/",
      { result: "success", message: "Probe terminated redirects, Response body: gone", isWarning: true },
    ],
    [
      "to nowhere neither",
      "http://[",
      { result: "success", message: "Probe terminated redirects, Response body: gone", isWarning: true },
    ],
  ])("that is sent %s", async (_, location, outcome) => {
    const port = await listen(
      createHttp((request, response) => {
        if (request.url === "/there") response.end("there");
        else response.writeHead(302, { location }).end("gone");
      }),
    );
    expect(await checkContainer({ httpGet: { port } }, target(), signal())).toEqual(outcome);
  });

  it("that is sent round and round ends", async () => {
    const port = await listen(createHttp((_, response) => void response.writeHead(302, { location: "/" }).end()));
    expect(await checkContainer({ httpGet: { port } }, target(), signal())).toMatchObject({
      result: "failure",
      message: `Get "http://127.0.0.1:${port}/": stopped after 10 redirects`,
    });
  });

  it("says what answered, when that was no HTTP, or not the kind that was asked for", async () => {
    const port = await listen(createTcp((socket) => socket.end("hello\r\n\r\n")));
    expect((await checkContainer({ httpGet: { port } }, target(), signal())).message).toBe(
      `Get "http://127.0.0.1:${port}/": net/http: HTTP/1.x transport connection broken: malformed HTTP response "hello"`,
    );
    const plain = await listen(createHttp((_, response) => void response.end()));
    expect((await checkContainer({ httpGet: { port: plain, scheme: "HTTPS" } }, target(), signal())).message).toBe(
      `Get "https://127.0.0.1:${plain}/": http: server gave HTTP response to HTTPS client`,
    );
  });

  it("takes any certificate, and parses no authorities for that", async () => {
    const server = await startTlsServer((_, response) => void response.end("there"));
    servers.push(server);
    const contexts = vi.spyOn(tls, "createSecureContext");
    const httpGet = { port: server.port, scheme: "HTTPS" as const };
    expect(await checkContainer({ httpGet }, target(), signal())).toMatchObject({ result: "success" });
    const made = contexts.mock.calls.map(([options]) => options as tls.ConnectionOptions | undefined);
    contexts.mockRestore();
    // What others of this process still do makes contexts, too.
    const trusted = made.filter((options) => options?.port === server.port).map((options) => options?.ca);
    expect(trusted).toEqual([[]]);
  });

  it("that is answered by switching protocols is a failure, not waited for", async () => {
    const head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n";
    const port = await listen(createTcp((socket) => void socket.on("data", () => socket.write(head))));
    expect(await checkContainer({ httpGet: { port } }, target(), signal())).toMatchObject({
      result: "failure",
      message: "HTTP probe failed with statuscode: 101",
    });
  });

  it("does not wait for a body without end", async () => {
    const port = await listen(createHttp((_, response) => void response.write(Buffer.alloc(64 * 1024))));
    expect((await checkContainer({ httpGet: { port } }, target(), signal())).result).toBe("success");
  });

  it("ends with its time", async () => {
    const port = await listen(createHttp(() => undefined));
    const stop = new AbortController();
    const checked = checkContainer({ httpGet: { port } }, target(), stop.signal);
    stop.abort(new DOMException("late", "TimeoutError"));
    const why = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
    expect(await checked).toMatchObject({ result: "failure", message: `Get "http://127.0.0.1:${port}/": ${why}` });
  });

  it("that nobody takes is a failure, in the words that operators know", async () => {
    const server = createHttp();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const refused = `dial tcp 127.0.0.1:${port}: connect: connection refused`;
    expect(await checkContainer({ httpGet: { port, path: "/x" } }, target(), signal())).toMatchObject({
      result: "failure",
      message: `Get "http://127.0.0.1:${port}/x": ${refused}`,
    });
    expect(await checkContainer({ tcpSocket: { port } }, target(), signal())).toEqual({
      result: "failure",
      message: refused,
    });
  });
});

describe("a connection", () => {
  it("succeeds when it opens, and fails when it does not", async () => {
    const server: Server = createTcp();
    const port = await listen(server);
    expect((await checkContainer({ tcpSocket: { port } }, target(), signal())).result).toBe("success");
    await new Promise((resolve) => server.close(resolve));
    expect((await checkContainer({ tcpSocket: { port } }, target(), signal())).result).toBe("failure");
  });
});

describe("the health service", () => {
  const answering = (status: number | undefined, trailers: Readonly<Record<string, string>> = {}) =>
    listen(
      createHttp2((request, response) => {
        request.on("data", () => undefined);
        request.on("end", () => {
          response.writeHead(200, { "content-type": "application/grpc" });
          response.addTrailers({ "grpc-status": "0", ...trailers });
          if (status !== undefined) response.write(Buffer.from([0, 0, 0, 0, 2, 0x08, status]));
          response.end();
        });
      }),
    );
  const protocol = "this server does not implement the grpc health protocol (grpc.health.v1.Health)";
  const failed = "error: health rpc probe failed: rpc error: code =";

  it.each<[string, number | undefined, Record<string, string>, string]>([
    ["that serves", 1, {}, "service healthy"],
    ["that does not serve", 2, {}, 'service unhealthy (responded with "NOT_SERVING")'],
    ["that is not sure", 3, {}, 'service unhealthy (responded with "SERVICE_UNKNOWN")'],
    [
      "that does not know the service",
      undefined,
      { "grpc-status": "5", "grpc-message": "not%20here" },
      `${failed} NotFound desc = not here`,
    ],
    ["that does not exist", undefined, { "grpc-status": "12", "grpc-message": "no" }, `error: ${protocol}: no`],
    [
      "with a code of its own",
      undefined,
      { "grpc-status": "77", "grpc-message": "%zz" },
      `${failed} Code(77) desc = %zz`,
    ],
  ])("%s", async (_, status, trailers, message) => {
    const port = await answering(status, trailers);
    expect(await checkContainer({ grpc: { port, service: "a".repeat(200) } }, target(), signal())).toEqual({
      result: status === 1 ? "success" : "failure",
      message,
    });
  });

  it("that nobody answers for is a failure", async () => {
    const port = await answering(1);
    for (const server of servers.splice(0)) await new Promise((resolve) => (server as Server).close(resolve));
    expect(await checkContainer({ grpc: { port, service: "" } }, target(), signal())).toEqual({
      result: "failure",
      message: `timeout: failed to connect service "127.0.0.1:${port}" within 1s: context deadline exceeded`,
    });
  });
});

it.each([
  ["absent", 'strconv.Atoi: parsing "absent": invalid syntax'],
  [0, "invalid port number: 0"],
  [70_000, "invalid port number: 70000"],
])("the port %j cannot be found", (port, message) => {
  expect(() => portOf(port, { ports: [] })).toThrow(message);
});
