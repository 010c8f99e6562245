import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { request } from "node:https";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { authority, craft } from "../authn/x509/crafted-certificate.testing.ts";
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
      guard.end(good, true);
      guard.end(small, false);
    }
  });

  it("no more when it has sent much for nothing, until that is forgotten", async () => {
    const clock = new FakeClock(0);
    const guard = new HandshakeGuard(clock);
    const bad = from("10.0.0.1", 60_000);
    expect(guard.begin(bad)).toBe(true);
    guard.end(bad, false);
    guard.end(bad, false);
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
    guard.end(socket, false);
    expect(guard.begin(from(other, 0))).toBe(asked);
  });
});

describe("a long chain in a handshake", () => {
  it("is looked at once; then its sender is not asked for certificates for a while", async () => {
    const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const chain = [craft({ name: "root", keys: pair, extensions: [authority()] })];
    for (let i = 0; i < 90; i += 1)
      chain.unshift(craft({ name: `below-${i}`, keys: pair, extensions: [authority()] }, chain[0]));
    const serving = await issueCertificate({
      use: "server",
      subject: { commonName: "x" },
      notBeforeMs: Date.now() - 60_000,
      notAfterMs: Date.now() + 60_000,
    });
    const shown: (string | undefined)[] = [];
    const listener = await listen({
      bindAddress: "127.0.0.1",
      port: 0,
      tls: serving,
      clientAuthorities: [new X509Certificate(craft({ name: "trusted" }).der)],
      handler: (request) => {
        shown.push(request.clientCertificate?.problem);
        return { status: 200, headers: {} };
      },
    });
    const ask = () =>
      new Promise<void>((resolve, reject) => {
        const key = pair.privateKey.export({ type: "pkcs8", format: "pem" });
        const cert = chain.map(({ der }) => new X509Certificate(der).toString()).join("");
        const agent = false;
        const options = { port: listener.port, host: "127.0.0.1", rejectUnauthorized: false, agent, key, cert };
        request(options, (answer) => answer.resume().on("end", resolve))
          .on("error", reject)
          .end();
      });
    try {
      await ask();
      await ask();
      expect(shown).toEqual(["CERT_CHAIN_TOO_LONG", undefined]);
    } finally {
      await listener.close(100);
    }
  });
});
