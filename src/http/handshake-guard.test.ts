import { generateKeyPairSync, type KeyPairKeyObjectResult, X509Certificate } from "node:crypto";
import { request } from "node:https";
import net, { type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { authority, type Crafted, craft } from "../authn/x509/crafted-certificate.testing.ts";
import { FakeClock } from "../base/clock.ts";
import { HandshakeGuard } from "./handshake-guard.ts";
import { listen } from "./listener.ts";
import { issueCertificate } from "./pki/issue-certificate.ts";

const from = (remoteAddress: string, bytesRead: number): Socket => ({ remoteAddress, bytesRead }) as Socket;

describe("an address is asked for certificates", () => {
  it("whatever it sends, as long as that is little or proves something", () => {
    const guard = new HandshakeGuard(new FakeClock(0));
    for (let i = 0; i < 100; i += 1) {
      const [small, good] = [from("10.0.0.1", 4_000), from("10.0.0.1", 50_000)];
      expect([guard.begin(small), guard.begin(good)]).toEqual([true, true]);
      guard.end(good, false);
      guard.end(small, true);
    }
  });

  it("no more when it has sent much for nothing, until that is forgotten", async () => {
    const clock = new FakeClock(0);
    const guard = new HandshakeGuard(clock);
    const bad = from("10.0.0.1", 60_000);
    expect(guard.begin(bad)).toBe(true);
    guard.end(bad, true);
    guard.end(bad, true);
    expect(guard.begin(from("10.0.0.1", 0))).toBe(false);
    expect(guard.begin(from("10.0.0.2", 0))).toBe(true);
    await clock.advance(61_000);
    expect(guard.begin(from("10.0.0.1", 0))).toBe(true);
  });

  it("no more while handshakes with much in them do not end", () => {
    const guard = new HandshakeGuard(new FakeClock(0));
    const waiting = [from("10.0.0.1", 20_000), from("10.0.0.1", 20_000)];
    expect(waiting.map((socket) => guard.begin(socket))).toEqual([true, true]);
    expect(guard.begin(from("10.0.0.1", 0))).toBe(false);
  });

  it.each([
    ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9", false],
    ["2001:db8:1:2::1", "2001:db8:1:3::1", true],
    ["2001:db8::1", "2001:db8::2:0:0:1", false],
    ["::ffff:10.0.0.1", "::ffff:10.0.0.2", true],
  ])("together with its network: after %s, %s is: %s", (bad, other, asked) => {
    const guard = new HandshakeGuard(new FakeClock(0));
    const socket = from(bad, 60_000);
    guard.begin(socket);
    guard.end(socket, true);
    expect(guard.begin(from(other, 0))).toBe(asked);
  });
});

describe("on a connection", () => {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
  });

  async function start(clientAuthority: Crafted) {
    const serving = await issueCertificate({
      use: "server",
      subject: { commonName: "x" },
      notBeforeMs: Date.now() - 60_000,
      notAfterMs: Date.now() + 60_000,
    });
    const seen: string[] = [];
    const listener = await listen({
      bindAddress: "127.0.0.1",
      port: 0,
      tls: serving,
      clientAuthorities: [new X509Certificate(clientAuthority.der)],
      handler: async (request) => {
        const shown = request.clientCertificate;
        seen.push(shown === undefined ? "none" : (shown.problem ?? "good"));
        await request.readBody(1024 * 1024);
        return { status: 200, headers: {} };
      },
    });
    cleanups.push(() => listener.close(100));
    const ask = (credentials: { key?: string; cert?: string }, body = "") =>
      new Promise<void>((resolve, reject) => {
        const at = { port: listener.port, host: "127.0.0.1", rejectUnauthorized: false, agent: false, method: "POST" };
        request({ ...at, ...credentials }, (answer) => answer.resume().on("end", resolve))
          .on("error", reject)
          .end(body);
      });
    return { ask, seen, port: listener.port };
  }

  it("a long chain is looked at once; then its sender is not asked for certificates for a while", async () => {
    const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const chain = [craft({ name: "root", keys, extensions: [authority()] })];
    for (let i = 0; i < 90; i += 1)
      chain.unshift(craft({ name: `below-${i}`, keys, extensions: [authority()] }, chain[0]));
    const { ask, seen } = await start(craft({ name: "trusted" }));
    await ask(credentials(keys, chain));
    await ask(credentials(keys, chain));
    expect(seen).toEqual(["CERT_CHAIN_TOO_LONG", "none"]);
  });

  it("a large request that arrives with the end of a handshake without a certificate wastes nothing", async () => {
    const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const trusted = craft({ name: "trusted", keys, extensions: [authority()] });
    const { ask, seen } = await start(trusted);
    await ask({}, "x".repeat(100 * 1024));
    await ask(credentials(keys, [craft({ name: "client", keys }, trusted)]));
    expect(seen).toEqual(["none", "good"]);
  });

  it("a client that speaks no TLS wastes nothing, and is told", async () => {
    const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const trusted = craft({ name: "trusted", keys, extensions: [authority()] });
    const { ask, seen, port } = await start(trusted);
    const plain = net.connect(port, "127.0.0.1");
    // As much as the listener takes in one read: what it leaves unread resets the connection.
    plain.write(`POST / HTTP/1.1\r\nHost: x\r\n\r\n${"x".repeat(32 * 1024)}`);
    const answer = await text(plain);
    expect(answer).toMatch(/^HTTP\/1\.0 400 .*\r\n\r\nClient sent an HTTP request to an HTTPS server\.\n$/);
    await ask(credentials(keys, [craft({ name: "client", keys }, trusted)]));
    expect(seen).toEqual(["good"]);
  });
});

const credentials = ({ privateKey }: KeyPairKeyObjectResult, chain: readonly Crafted[]) => ({
  key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
  cert: chain.map(({ der }) => new X509Certificate(der).toString()).join(""),
});
