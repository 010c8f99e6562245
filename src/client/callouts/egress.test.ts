// Requirements: document 2, "Authentication configuration file" (egressSelectorType).

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { StartError } from "../../base/start-error.ts";
import { issueCertificate, type KeyedCertificate } from "../../http/pki/issue-certificate.ts";
import { namesFor } from "../../meta/names.ts";
import { egressOfFlag } from "./egress-config.ts";
import { httpConnect } from "./http-connect.ts";
import { HttpsJson } from "./https-json.ts";

const names = namesFor("platform");
const validity = { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + 3_600_000 };
let folder: string;
let serving: KeyedCertificate;
const servers: Server[] = [];
/** What the proxy was asked for. */
const asked: string[] = [];

const listen = async (server: Server, at: number | string = 0): Promise<number> => {
  servers.push(server);
  await new Promise<void>((resolve) => {
    if (typeof at === "string") server.listen(at, () => resolve());
    else server.listen(at, "127.0.0.1", () => resolve());
  });
  return (server.address() as AddressInfo).port;
};

/** Whatever name is asked for, it leads to this port; `refuse` is answered with 403. */
function proxying(server: Server, port: () => number): Server {
  return server.on("connect", (request, socket: Socket) => {
    asked.push(request.url ?? "");
    if (request.url?.startsWith("refuse")) return socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    const far = connect(port(), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      far.pipe(socket).pipe(far);
    });
    far.on("error", () => socket.destroy());
    return socket.on("error", () => far.destroy());
  });
}

let proxyPort: number;
let securePort: number;
let socketPath: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "egress-"));
  const request = {
    use: "server" as const,
    subject: { commonName: "x" },
    names: ["inside.test", "localhost"],
    ...validity,
  };
  serving = await issueCertificate(request);
  const tls = { cert: serving.certificatePem, key: serving.keyPem };
  const target = await listen(createHttpsServer(tls, (_, answer) => answer.end('{"ok":true}')));
  proxyPort = await listen(proxying(createHttpServer(), () => target));
  securePort = await listen(proxying(createHttpsServer(tls), () => target));
  socketPath = join(folder, "proxy.sock");
  await listen(
    proxying(createHttpServer(), () => target),
    socketPath,
  );
});
afterAll(async () => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

const fetchThrough = (at: Parameters<typeof httpConnect>[0]["at"], url = "https://inside.test/x") => {
  const http = new HttpsJson({
    certificateAuthority: serving.certificatePem,
    egress: httpConnect({ name: "cluster", at }),
    timeoutMs: 5_000,
    maxBytes: 1_000,
  });
  return http.get(url).finally(() => http.close());
};

describe("a way out through a proxy", () => {
  it("leads to names that only the proxy knows, over TCP, TLS and a socket in the file system", async () => {
    asked.length = 0;
    expect(await fetchThrough({ url: new URL(`http://127.0.0.1:${proxyPort}`) })).toEqual({ ok: true });
    const tls = { authority: serving.certificatePem };
    expect(await fetchThrough({ url: new URL(`https://localhost:${securePort}`), tls })).toEqual({ ok: true });
    expect(await fetchThrough({ socketPath })).toEqual({ ok: true });
    expect(asked).toEqual(Array(3).fill("inside.test:443"));
  });

  it("says when the proxy refuses, or is not there", async () => {
    const at = { url: new URL(`http://127.0.0.1:${proxyPort}`) };
    await expect(fetchThrough(at, "https://refuse.test/")).rejects.toThrow(
      /does not reach refuse.test:443: status 403/,
    );
    await expect(fetchThrough({ socketPath: join(folder, "missing") })).rejects.toThrow(/does not reach.*ENOENT/);
  });

  it("is given up when the proxy has not said all of its answer after half a minute", async () => {
    const clock = new FakeClock();
    let said = 0;
    const port = await listen(
      createHttpServer().on("connect", (_, socket: Socket) => {
        socket.write("HTTP/1.1 200 OK\r\nx: ");
        const saying = setInterval(() => socket.write("x", () => (said += 1)), 5);
        socket.on("error", () => undefined).on("close", () => clearInterval(saying));
      }),
    );
    const { connect } = httpConnect({ name: "cluster", at: { url: new URL(`http://127.0.0.1:${port}`) } }, clock);
    const failed = expect(connect("inside.test", 443)).rejects.toThrow("no answer in time");
    await vi.waitUntil(() => said > 1);
    await clock.advance(30_000);
    await failed;
    (await httpConnect({ name: "cluster", at: { socketPath } }, clock).connect("inside.test", 443)).destroy();
    await vi.waitUntil(() => clock.waiting === 0);
  });
});

describe("the file of ways out", () => {
  const read = (selections: unknown, kind = "EgressSelectorConfiguration") => {
    const file = join(folder, "egress.yaml");
    const apiVersion = `${names.group("apiserver")}/v1beta1`;
    writeFileSync(file, JSON.stringify({ apiVersion, kind, egressSelections: selections }));
    return egressOfFlag(file, names);
  };
  const through = (transport: unknown, proxyProtocol = "HTTPConnect") => [
    { name: "cluster", connection: { proxyProtocol, transport } },
  ];

  it("names a way for each network that it speaks of", async () => {
    const config = read([
      { name: "controlplane", connection: { proxyProtocol: "Direct" } },
      ...through({ tcp: { url: `http://127.0.0.1:${proxyPort}` } }),
    ]);
    expect([config.has("controlplane"), config.has("cluster"), config.has("etcd")]).toEqual([true, true, false]);
    expect(config.controlplane).toBeUndefined();
    const socket = await config.cluster!.connect("inside.test", 443);
    socket.destroy();
  });

  it("is not needed", () => {
    const config = egressOfFlag(undefined, names);
    expect([config.controlplane, config.cluster, config.has("cluster")]).toEqual([undefined, undefined, false]);
  });

  it.each<[RegExp, unknown]>([
    [/at least one/, []],
    [/egressSelections\[0\].name/, [{ name: "master", connection: { proxyProtocol: "Direct" } }]],
    [/twice/, [through({ uds: { udsName: "/x" } })[0], through({ uds: { udsName: "/x" } })[0]]],
    [/must not be set for Direct/, through({ uds: { udsName: "/x" } }, "Direct")],
    [/GRPC is not supported/, through({ uds: { udsName: "/x" } }, "GRPC")],
    [/either tcp or uds/, through({})],
    [/either tcp or uds/, through({ tcp: { url: "http://a" }, uds: { udsName: "/x" } })],
    [/absolute path/, through({ uds: { udsName: "x" } })],
    [/http or https URL/, through({ tcp: { url: "ftp://a" } })],
    [/required for https/, through({ tcp: { url: "https://a" } })],
    [/must not be set for http/, through({ tcp: { url: "http://a", tlsConfig: {} } })],
    [/belong together/, through({ tcp: { url: "https://a", tlsConfig: { clientKey: "/dev/null" } } })],
    [/ENOENT/, through({ tcp: { url: "https://a", tlsConfig: { caBundle: "/no/such/file" } } })],
    [/etcd is reached directly/, [{ ...through({ uds: { udsName: "/x" } })[0], name: "etcd" }]],
  ])("is refused with %s", (error, selections) => {
    expect(() => read(selections)).toThrow(StartError);
    expect(() => read(selections)).toThrow(error);
  });

  it("is of one kind", () => expect(() => read([], "Other")).toThrow(/EgressSelectorConfiguration/));
});
