import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeAuthority, makeLeaf, type TestAuthority } from "../authn/authn.testing.ts";
import { parseFlags } from "../base/flags.ts";
import { silentLog } from "../base/log.ts";
import { Metrics } from "../base/metrics.ts";
import { type ClientInProcess, clientInProcess } from "../client/client.testing.ts";
import { ask } from "./commands.testing.ts";
import { type ComponentListener, listenAsComponent, listenerFlags } from "./component-listener.ts";

let folder: string;
let inProcess: ClientInProcess;
let listener: ComponentListener;
/** The kubeconfigs that clients were made of. */
let asked: string[] = [];

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const start = (port: number, isPortGiven = true, flags: readonly string[] = []) => {
  const metrics = new Metrics({ release: "1.34" });
  metrics.counter({ name: "things_total", help: "Things", stability: "ALPHA", labels: [] }).with().inc();
  const { options } = parseFlags(listenerFlags(1), [`--secure-port=${port}`, ...flags]);
  const { client } = inProcess;
  const clientOf = (kubeconfig: string) => {
    asked.push(kubeconfig);
    return client;
  };
  return listenAsComponent({ options, isPortGiven, log: silentLog, metrics, client, clientOf });
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plinth-listener-"));
  await writeFile(join(folder, "tokens"), 'good,jane,1,"system:monitoring"\nother,joe,2\n');
  inProcess = await clientInProcess({
    flags: ["--authorization-mode=RBAC", `--token-auth-file=${join(folder, "tokens")}`],
    authorization: "by flags",
  });
  listener = (await start(await freePort()))!;
});
afterAll(async () => {
  await listener.stop();
  await inProcess.close();
  await rm(folder, { recursive: true, force: true });
});

describe("the port of a component", () => {
  const cases: [path: string, token: string | undefined, status: number, body: RegExp][] = [
    ["/healthz", undefined, 200, /^ok$/],
    ["/readyz", undefined, 200, /^ok$/],
    ["/metrics", undefined, 403, /^Forbidden$/],
    ["/metrics", "bad", 401, /^Unauthorized$/],
    ["/metrics", "other", 403, /^Forbidden$/],
    ["/metrics", "good", 200, /^things_total 1$/m],
    ["/metrics/slis", "other", 403, /^Forbidden$/],
    ["/metrics/slis", "good", 200, /^platform_healthcheck\{name="ping",type="readyz"\} 1$/m],
    ["/", "good", 404, /not found/],
  ];
  it.each(cases)("%s with the token %s: %i", async (path, token, status, body) => {
    const answer = await ask(`https://127.0.0.1:${listener.port}${path}`, token === undefined ? {} : { token });
    expect(answer).toEqual({ status, text: expect.stringMatching(body) });
  });

  it("knows certificates of its own authorities, and users whom a proxy of its own names", async () => {
    const [users, proxies] = [await makeAuthority("users"), await makeAuthority("proxies")];
    const files = { users: join(folder, "users.pem"), proxies: join(folder, "proxies.pem") };
    await writeFile(files.users, users.certificatePem);
    await writeFile(files.proxies, proxies.certificatePem);
    const own = (await start(await freePort(), true, [
      `--client-ca-file=${files.users}`,
      `--requestheader-client-ca-file=${files.proxies}`,
      "--requestheader-allowed-names=front",
    ]))!;
    const shows = async (
      authority: TestAuthority,
      leaf: { commonName: string; organizations?: string[] },
      headers = {},
    ) => {
      const { certificatePem: cert, keyPem: key } = await makeLeaf(authority, { use: "client", ...leaf });
      return (await ask(`https://127.0.0.1:${own.port}/metrics`, { cert, key, headers })).status;
    };
    const monitor = { commonName: "jane", organizations: ["system:monitoring"] };
    const named = { "x-remote-user": "jane", "x-remote-group": "system:monitoring" };
    expect({
      monitor: await shows(users, monitor),
      other: await shows(users, { commonName: "joe" }),
      stranger: await shows(await makeAuthority("strangers"), monitor),
      proxy: await shows(proxies, { commonName: "front" }, named),
      "proxy of another name": await shows(proxies, { commonName: "back" }, named),
    }).toEqual({ monitor: 200, other: 403, stranger: 401, proxy: 200, "proxy of another name": 401 });
    await own.stop();
  });

  it("lets everybody read what flags say, and asks the servers that they name", async () => {
    asked = [];
    const own = (await start(await freePort(), true, [
      "--authorization-always-allow-paths=/livez,/metrics",
      "--authentication-kubeconfig=/who",
      "--authorization-kubeconfig=/may",
    ]))!;
    const statusOf = async (path: string, token?: string) =>
      (await ask(`https://127.0.0.1:${own.port}${path}`, token === undefined ? {} : { token })).status;
    expect([await statusOf("/metrics"), asked]).toEqual([200, []]);
    expect([await statusOf("/healthz", "good"), await statusOf("/healthz", "good")]).toEqual([200, 200]);
    expect(asked).toEqual(["/who", "/may"]);
    await own.stop();
  });

  it("is none where it is 0", async () => expect(await start(0)).toBeUndefined());

  it("is none where the usual one is taken, and a mistake where it was asked for", async () => {
    expect(await start(listener.port, false)).toBeUndefined();
    await expect(start(listener.port)).rejects.toThrow(/--secure-port \d+ on 127.0.0.1: .*EADDRINUSE/);
  });
});
