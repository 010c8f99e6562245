// Client certificates in real TLS handshakes, new and resumed, over HTTP/1.1 and HTTP/2.

import { connect as connectHttp2 } from "node:http2";
import { Agent, request } from "node:https";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { type Listener, listen } from "../../http/listener.ts";
import { namesFor } from "../../meta/names.ts";
import { makeAuthority, makeLeaf, type TestAuthority } from "../authn.testing.ts";
import { CertificateAuthorities } from "./certificate-authorities.ts";
import { clientCertificates } from "./client-certificate.ts";

describe("a TLS client certificate", () => {
  let authority: TestAuthority;
  let middle: TestAuthority;
  let listener: Listener;

  beforeAll(async () => {
    authority = await makeAuthority("client-ca");
    middle = await makeAuthority("middle", authority);
    const serving = await makeLeaf(authority, { commonName: "localhost", use: "server" });
    const method = clientCertificates(
      namesFor("platform"),
      new CertificateAuthorities(systemClock, [authority.certificate]),
      { withUid: true },
    );
    listener = await listen({
      bindAddress: "127.0.0.1",
      port: 0,
      tls: serving,
      handler: async (received) => {
        const outcome = await method.authenticate(received);
        return {
          status: 200,
          headers: {},
          body: Buffer.from(outcome.result === "user" ? outcome.user.name : outcome.result),
        };
      },
    });
  });
  afterAll(() => listener.close(100));

  const ask = (agent: Agent): Promise<{ text: string; resumed: boolean }> =>
    new Promise((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port: listener.port, servername: "localhost", agent }, (answer) => {
        let text = "";
        answer.on("data", (piece: Buffer) => {
          text += piece.toString();
        });
        const resumed = (answer.socket as import("node:tls").TLSSocket).isSessionReused();
        answer.on("end", () => resolve({ text, resumed }));
      });
      sent.on("error", reject);
      sent.end();
    });
  const agentFor = (leaf?: { certificatePem: string; keyPem: string }, more: object = {}) =>
    new Agent({
      ca: authority.certificatePem,
      keepAlive: false,
      ...(leaf === undefined ? {} : { cert: leaf.certificatePem, key: leaf.keyPem }),
      ...more,
    });

  it("names the user; without one there is none, and a foreign one is refused", async () => {
    const foreign = await makeAuthority("foreign");
    expect((await ask(agentFor(await makeLeaf(authority, { commonName: "jane" })))).text).toBe("jane");
    expect((await ask(agentFor())).text).toBe("none");
    expect((await ask(agentFor(await makeLeaf(foreign, { commonName: "jane" })))).text).toBe("refused");
  });

  it.each(["TLSv1.2", "TLSv1.3"] as const)(
    "with an intermediate authority holds in resumed sessions of %s",
    async (version) => {
      const leaf = await makeLeaf(middle, { commonName: `deep-${version}` });
      const agent = agentFor(
        { ...leaf, certificatePem: leaf.certificatePem + middle.certificatePem },
        { maxVersion: version },
      );
      expect(await ask(agent)).toEqual({ text: `deep-${version}`, resumed: false });
      let resumed = false;
      for (let i = 0; i < 20 && !resumed; i += 1) {
        const again = await ask(agent);
        expect(again.text).toBe(`deep-${version}`);
        resumed = again.resumed;
      }
      expect(resumed).toBe(true);
    },
  );

  it("is shown over HTTP/2 too", async () => {
    const leaf = await makeLeaf(authority, { commonName: "jane" });
    const session = connectHttp2(`https://localhost:${listener.port}`, {
      ca: authority.certificatePem,
      cert: leaf.certificatePem,
      key: leaf.keyPem,
    });
    const text = await new Promise<string>((resolve, reject) => {
      session.on("error", reject);
      const stream = session.request({ ":path": "/" });
      let read = "";
      stream.on("data", (piece: Buffer) => {
        read += piece.toString();
      });
      stream.on("end", () => resolve(read));
    });
    session.close();
    expect(text).toBe("jane");
  });
});
