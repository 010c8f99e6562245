// Requirements: document 2, "Webhook token authentication", "Webhook authorization".

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterAll, describe, expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { afterThisTurn } from "../../base/next-turn.ts";
import { asSlowWork } from "../../base/steps.testing.ts";
import { issueCertificate } from "../../http/pki/issue-certificate.ts";
import { bodyOf, startTlsServer } from "../../http/tls-server.testing.ts";
import { connectionOf, parseKubeconfig } from "../kubeconfig.ts";
import type { Egress } from "./egress.ts";
import { WebhookTransport } from "./webhook-transport.ts";

const clock = new FakeClock();
const EXEC = "client.authentication.platform.io/v1";
const pemOf = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
const base64 = (text: string) => Buffer.from(text).toString("base64");
const config = (cluster: object, user: object = {}) => ({
  "current-context": "c",
  clusters: [{ name: "k", cluster }],
  users: [{ name: "u", user }],
  contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
});
const parse = (value: object) => connectionOf(parseKubeconfig(Buffer.from(JSON.stringify(value)), "/"));

describe("the address of a webhook", () => {
  it.each(["ftp://x", "https://x/?a=b", "https://x/#a", "http://x/?a=b", "x"])("cannot be %s", (server) => {
    expect(() => new WebhookTransport(parse(config({ server })), { clock })).toThrow(TypeError);
  });

  it("cannot be one without TLS where that is needed", () => {
    const make = (server: string) => () => new WebhookTransport(parse(config({ server })), { clock, mustUseTls: true });
    expect(make("http://x")).toThrow('server "http://x" must be an https URL');
    expect(make("https://x")).not.toThrow();
  });

  it("may be one without TLS, behind a proxy too", async () => {
    const server = createServer((request, response) => {
      void bodyOf(request).then((text) => response.end(`${request.method} ${request.url} ${text}`));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const ways: string[] = [];
    const egress: Egress = {
      name: "proxy",
      connect: async (host, at) => {
        ways.push(`${host}:${at}`);
        return connect(port, "127.0.0.1");
      },
    };
    const asked: string[] = [];
    for (const [address, options] of [
      [`http://127.0.0.1:${port}/judge`, {}],
      ["http://far.example/judge", { egress }],
    ] as const) {
      const transport = new WebhookTransport(parse(config({ server: address })), { clock, ...options });
      asked.push((await transport.post({ a: 1 }, { timeoutMs: 60_000 })).body.toString());
      transport.close();
    }
    expect(asked).toEqual(['POST /judge {"a":1}', 'POST /judge {"a":1}']);
    expect(ways).toEqual(["far.example:80"]);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe("the certificates of a webhook", () => {
  it.each<[string, object, object]>([
    ["certificate-authority-data: there is no PEM", { "certificate-authority-data": base64("garbage") }, {}],
    ["certificate-authority-data", { "certificate-authority-data": base64(pemOf("")) }, {}],
    ["certificate-authority-data: base64", { "certificate-authority-data": "%%" }, {}],
    [
      "user.client-certificate-data, users[0].user.client-key-data",
      {},
      { "client-certificate-data": base64("c"), "client-key-data": base64("k") },
    ],
    ["tokenFile: ENOENT", {}, { tokenFile: "/no/such/file" }],
    ["user.exec.command", {}, { exec: { apiVersion: EXEC } }],
  ])("must be some: %s", (what, cluster, user) => {
    const make = () => new WebhookTransport(parse(config({ server: "https://x", ...cluster }, user)), { clock });
    expect(make).toThrow(what);
  });
});

it("lets others have their turn while a large question is written", async () => {
  const asked: string[] = [];
  const server = await startTlsServer((request, response) => {
    void bodyOf(request).then((text) => {
      asked.push(text);
      response.end();
    });
  });
  const cluster = { server: `https://127.0.0.1:${server.port}/`, "certificate-authority-data": server.caBundle };
  const transport = new WebhookTransport(parse(config(cluster)), { clock });
  let turns = 0;
  let turnsBeforeLast = 0;
  let isAnswered = false;
  const count = (): void => {
    turns += 1;
    if (!isAnswered) afterThisTurn(count);
  };
  const question = {
    first: Array.from({ length: 5_000 }, (_, index) => index),
    get last() {
      turnsBeforeLast = turns;
      return "";
    },
  };
  await asSlowWork(6, () => {
    count();
    return transport.post(question, { timeoutMs: 60_000 });
  });
  isAnswered = true;
  expect(turnsBeforeLast).toBeGreaterThan(5);
  expect(asked.map((text) => JSON.parse(text))).toEqual([question]);
  transport.close();
  await server.close();
});

describe("what a webhook is shown", () => {
  const folder = mkdtempSync(join(tmpdir(), "webhook-transport-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = (name: string, text: string, mode = 0o600): string => {
    writeFileSync(join(folder, name), text, { mode });
    return join(folder, name);
  };

  it("is read again when its files have changed", async () => {
    const own = new FakeClock();
    const server = await startTlsServer(
      (request, response) => {
        const { subject } = (request.socket as TLSSocket).getPeerCertificate();
        response.end(`${subject.CN} ${request.headers.authorization}`);
      },
      { requestCert: true },
    );
    const write = async (name: string): Promise<object> => {
      const valid = { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + 3_600_000 };
      const made = await issueCertificate({ subject: { commonName: name }, use: "client", ...valid });
      return {
        "client-certificate": file("client.crt", made.certificatePem),
        "client-key": file("client.key", made.keyPem),
        tokenFile: file("token", `token-${name}\n`),
      };
    };
    const cluster = { server: `https://127.0.0.1:${server.port}/`, "certificate-authority-data": server.caBundle };
    const transport = new WebhookTransport(parse(config(cluster, await write("first"))), { clock: own });
    const seen = async () => (await transport.post({}, { timeoutMs: 60_000 })).body.toString();
    expect(await seen()).toBe("first Bearer token-first");
    await write("second");
    own.advance(61_000);
    expect(await seen()).toBe("second Bearer token-second");
    transport.close();
    await server.close();
  });

  it("may come from a plug-in, which is asked again after a 401", async () => {
    const tokens: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      tokens.push(request.headers.authorization);
      response.writeHead(tokens.length === 2 ? 401 : 200).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const answer = { apiVersion: EXEC, kind: "ExecCredential", status: { token: "t$(wc -l <runs)" } };
    const script = `#!/bin/sh\ncd ${folder}\necho run >>runs\ncat <<E\n${JSON.stringify(answer)}\nE\n`;
    const exec = { apiVersion: EXEC, command: file("plugin", script, 0o700), interactiveMode: "Never" };
    const { port } = server.address() as AddressInfo;
    const transport = new WebhookTransport(parse(config({ server: `http://127.0.0.1:${port}` }, { exec })), { clock });
    for (let call = 0; call < 3; call += 1) await transport.post({}, { timeoutMs: 60_000 });
    expect(tokens).toEqual(["Bearer t1", "Bearer t1", "Bearer t2"]);
    transport.close();
    await new Promise((resolve) => server.close(resolve));
  });
});
