// Calls over real TLS on loopback, to servers that are slow, large, gone, or not who they should be.

import { createPrivateKey, X509Certificate } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { issueCertificate, type KeyedCertificate } from "../../http/pki/issue-certificate.ts";
import { startTlsServer } from "../../http/tls-server.testing.ts";
import type { HttpsTarget } from "../tls-target.ts";
import { CallTimedOut, ConnectionLost, HttpsCaller, TooManyCalls } from "./https-caller.ts";

const HOUR_MS = 3_600_000;
const LIMITS = { maxSocketsPerTarget: 2, maxTargets: 4, maxCalls: 10 };
const CALL = { method: "GET", path: "/", headers: {}, timeoutMs: 5_000, maxAnswerBytes: 1_000 } as const;

let server: Server;
let serving: KeyedCertificate;
let client: KeyedCertificate;
let target: HttpsTarget;
let handle: (request: IncomingMessage, response: ServerResponse) => void;
const sockets: Socket[] = [];

const issue = (use: "server" | "client", names: string[]) =>
  issueCertificate({
    subject: { commonName: use },
    notBeforeMs: Date.now() - HOUR_MS,
    notAfterMs: Date.now() + HOUR_MS,
    use,
    names,
  });

beforeAll(async () => {
  [serving, client] = await Promise.all([issue("server", ["shop.test", "127.0.0.1"]), issue("client", [])]);
  const options = { cert: serving.certificatePem, key: serving.keyPem, requestCert: true, rejectUnauthorized: false };
  server = createServer(options, (request, response) => handle(request, response));
  server.on("secureConnection", (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  target = { host: "127.0.0.1", port, serverName: "shop.test", authority: serving.certificatePem };
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  sockets.length = 0;
  handle = (_request, response) => response.end("hello");
});

/** A caller that is closed with the test. */
async function using<T>(run: (caller: HttpsCaller) => Promise<T>, limits = LIMITS): Promise<T> {
  const caller = new HttpsCaller(limits);
  try {
    return await run(caller);
  } finally {
    caller.close();
  }
}

describe("a call", () => {
  it.each(["100 Continue", "103 Early Hints"])("fails when the server only ever says %s", (status) =>
    using(async (caller) => {
      handle = (_request, { socket }) => socket?.write(`HTTP/1.1 ${status}\r\n\r\n`.repeat(6));
      await expect(caller.call(target, CALL)).rejects.toThrow("too many 1xx informational responses");
      handle = (_request, { socket }) =>
        socket?.write(`${`HTTP/1.1 ${status}\r\n\r\n`.repeat(5)}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi`);
      expect((await caller.call(target, CALL)).body.toString()).toBe("hi");
    }),
  );

  it("fails when the server switches protocols unasked, and leaves room for the next", () =>
    using(
      async (caller) => {
        for (let calls = 0; calls < 2; calls += 1) {
          handle = (_request, response) =>
            response.socket?.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
          await expect(caller.call(target, CALL)).rejects.toThrow("tried to switch protocols");
        }
      },
      { ...LIMITS, maxCalls: 1 },
    ));

  it("brings back status, headers and the whole body, over one kept connection", () =>
    using(async (caller) => {
      for (const status of [200, 302, 503]) {
        handle = (_request, response) => response.writeHead(status, { location: "https://127.0.0.1:1/" }).end("x");
        const answer = await caller.call(target, CALL);
        expect([answer.status, answer.headers.location, answer.body.toString()]).toEqual([
          status,
          "https://127.0.0.1:1/",
          "x",
        ]);
      }
      expect(sockets.length).toBe(1);
    }));

  it("is made again when the kept connection has been closed meanwhile", () =>
    using(async (caller) => {
      await caller.call(target, CALL);
      let calls = 0;
      handle = (request, response) => {
        calls += 1;
        if (calls === 1) request.socket.destroy();
        else response.end("again");
      };
      expect((await caller.call(target, CALL)).body.toString()).toBe("again");
    }));

  it("fails when a new connection is closed without an answer", () =>
    using(async (caller) => {
      handle = (request) => request.socket.destroy();
      const failed = caller.call(target, CALL);
      await expect(failed).rejects.toThrow(/^EOF$/);
      await expect(failed).rejects.toThrow(ConnectionLost);
    }));

  it("ends after its time", () =>
    using(async (caller) => {
      handle = () => undefined;
      await expect(caller.call(target, { ...CALL, timeoutMs: 30 })).rejects.toThrow(CallTimedOut);
    }));

  it("ends after its time also when the answer trickles", () =>
    using(async (caller) => {
      handle = (_request, response) => response.write("x");
      await expect(caller.call(target, { ...CALL, timeoutMs: 50 })).rejects.toThrow("no answer within 50 ms");
    }));

  it("ends when the caller has lost interest", () =>
    using(async (caller) => {
      const interest = new AbortController();
      handle = () => interest.abort();
      await expect(caller.call(target, { ...CALL, signal: interest.signal })).rejects.toThrow(/abort/);
    }));

  it("does not read more than its limit", () =>
    using(async (caller) => {
      handle = (_request, response) => response.end("x".repeat(1_001));
      await expect(caller.call(target, CALL)).rejects.toThrow("the answer is larger than 1000 bytes");
    }));

  it("fails when the answer stops in the middle", () =>
    using(async (caller) => {
      handle = (request, response) => {
        response.writeHead(200, { "content-length": "10" });
        response.write("half", () => request.socket.destroy());
      };
      await expect(caller.call(target, CALL)).rejects.toThrow("unexpected EOF");
    }));

  it("is refused when too many are under way", () =>
    using(
      async (caller) => {
        const answered = new Promise<void>((resolve) => {
          handle = (_request, response) => {
            resolve();
            setImmediate(() => response.end());
          };
        });
        const first = caller.call(target, CALL);
        await expect(caller.call(target, CALL)).rejects.toThrow(TooManyCalls);
        await Promise.all([first, answered]);
      },
      { ...LIMITS, maxCalls: 1 },
    ));

  it("goes on when its target is forgotten for others", () =>
    using(
      async (caller) => {
        const answers: ServerResponse[] = [];
        const arrived = new Promise<void>((resolve) => {
          handle = (request, response) => {
            if (request.url !== "/slow") return void response.end("quick");
            answers.push(response);
            resolve();
          };
        });
        const slow = caller.call(target, { ...CALL, path: "/slow" });
        await arrived;
        await caller.call({ ...target, insecure: true }, CALL);
        answers[0]!.end("slow");
        expect((await slow).body.toString()).toBe("slow");
      },
      { ...LIMITS, maxTargets: 1 },
    ));
});

describe("the other side of a call", () => {
  const others: [string, Partial<HttpsTarget>, RegExp][] = [
    [
      "must have the name that was asked for",
      { serverName: "other.test" },
      /certificate is valid for shop\.test, 127\.0\.0\.1, not other\.test$/,
    ],
    [
      "must have an address as its name, where it is called by one",
      { serverName: "127.0.0.2" },
      /certificate is valid for shop\.test, 127\.0\.0\.1, not 127\.0\.0\.2$/,
    ],
  ];
  it.each(others)("%s", (_what, change, message) =>
    using((caller) => expect(caller.call({ ...target, ...change }, CALL)).rejects.toThrow(message)),
  );

  it("must be signed by the authority", () =>
    using(async (caller) => {
      const { authority: _authority, ...unknown } = target;
      await expect(caller.call(unknown, CALL)).rejects.toThrow(
        "tls: failed to verify certificate: x509: certificate signed by unknown authority",
      );
      expect((await caller.call({ ...unknown, insecure: true }, CALL)).status).toBe(200);
    }));

  it("may be named itself, instead of the authority that has signed it", async () => {
    const life = { notBeforeMs: Date.now() - HOUR_MS, notAfterMs: Date.now() + HOUR_MS };
    const ca = await issueCertificate({ ...life, subject: { commonName: "ca" }, use: "authority" });
    const issuer = { certificate: new X509Certificate(ca.certificatePem), key: createPrivateKey(ca.keyPem) };
    const names = ["127.0.0.1"];
    const certificate = await issueCertificate(
      { ...life, subject: { commonName: "signed" }, use: "server", names },
      issuer,
    );
    const signed = await startTlsServer((_request, response) => response.end("hello"), { certificate });
    const named = { host: "127.0.0.1", port: signed.port, authority: certificate.certificatePem };
    await using(async (caller) => expect((await caller.call(named, CALL)).status).toBe(200));
    await signed.close();
  });

  it("sees the certificate that the caller shows", () =>
    using(async (caller) => {
      handle = ({ socket }, response) => response.end((socket as TLSSocket).getPeerCertificate().subject.CN);
      expect((await caller.call({ ...target, identity: client }, CALL)).body.toString()).toBe("client");
    }));
});
