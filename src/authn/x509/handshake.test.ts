// Client certificates in real TLS handshakes, over HTTP/1.1 and HTTP/2.

import { execFile } from "node:child_process";
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
  let trusted: CertificateAuthorities;

  beforeAll(async () => {
    authority = await makeAuthority("client-ca");
    middle = await makeAuthority("middle", authority);
    const serving = await makeLeaf(authority, { commonName: "localhost", use: "server" });
    trusted = new CertificateAuthorities(systemClock, [authority.certificate]);
    const method = clientCertificates(namesFor("platform"), trusted, { withUid: true });
    listener = await listen({
      bindAddress: "127.0.0.1",
      port: 0,
      tls: serving,
      clientAuthorities: trusted.certificates,
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

  const ask = (agent: Agent, port = listener.port): Promise<{ text: string; resumed: boolean }> =>
    new Promise((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port, servername: "localhost", agent }, (answer) => {
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

  it("counts whatever the length of its authority", async () => {
    // One in sixteen certificates fills the last line of its PEM text: names of growing length meet every case.
    const authorities = await Promise.all(
      Array.from({ length: 48 }, (_, length) => makeAuthority(`ca-${"x".repeat(length)}`)),
    );
    const others = await listen({
      bindAddress: "127.0.0.1",
      port: 0,
      tls: await makeLeaf(authority, { commonName: "localhost", use: "server" }),
      clientAuthorities: authorities.map(({ certificate }) => certificate),
      handler: async ({ clientCertificate }) => ({
        status: 200,
        headers: {},
        body: Buffer.from(clientCertificate?.problem ?? "accepted"),
      }),
    });
    const answers = await Promise.all(
      authorities.map(
        async (signer) => (await ask(agentFor(await makeLeaf(signer, { commonName: "jane" })), others.port)).text,
      ),
    );
    await others.close(100);
    expect(answers).toEqual(answers.map(() => "accepted"));
  });

  it.each(["TLSv1.2", "TLSv1.3"] as const)("is judged anew with every connection of %s", async (version) => {
    const leaf = await makeLeaf(middle, { commonName: `deep-${version}` });
    const agent = agentFor(
      { ...leaf, certificatePem: leaf.certificatePem + middle.certificatePem },
      { maxVersion: version },
    );
    for (let i = 0; i < 3; i += 1) expect(await ask(agent)).toEqual({ text: `deep-${version}`, resumed: false });
  });

  it("is judged by new authorities at once, on new connections; old ones end", async () => {
    const next = await makeAuthority("next-ca");
    const [old, young] = [
      await makeLeaf(authority, { commonName: "old" }),
      await makeLeaf(next, { commonName: "young" }),
    ];
    const kept = agentFor(young, { keepAlive: true });
    expect((await ask(kept)).text).toBe("refused");
    trusted.replace([next.certificate]);
    listener.setClientAuthorities(trusted.certificates);
    // The last answer on the connection that was refused; then the client comes back.
    await ask(kept);
    expect((await ask(kept)).text).toBe("young");
    expect((await ask(agentFor(old))).text).toBe("refused");
    kept.destroy();
    trusted.replace([authority.certificate]);
    listener.setClientAuthorities(trusted.certificates);
  });

  it("is asked for with the names of the authorities", async () => {
    const told = await new Promise<string>((resolve) => {
      const client = execFile("openssl", ["s_client", "-connect", `127.0.0.1:${listener.port}`], (_, stdout) =>
        resolve(stdout),
      );
      client.stdin!.end();
    });
    expect(told).toMatch(/Acceptable client certificate CA names\s+CN ?= ?client-ca/);
  });

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
