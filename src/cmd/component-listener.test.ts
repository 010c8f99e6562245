import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseFlags } from "../base/flags.ts";
import { silentLog } from "../base/log.ts";
import { Metrics } from "../base/metrics.ts";
import { type ClientInProcess, clientInProcess } from "../client/client.testing.ts";
import { ask } from "./commands.testing.ts";
import { type ComponentListener, listenAsComponent, listenerFlags } from "./component-listener.ts";

let folder: string;
let inProcess: ClientInProcess;
let listener: ComponentListener;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const start = (port: number, isPortGiven = true) => {
  const metrics = new Metrics({ release: "1.34" });
  metrics.counter({ name: "things_total", help: "Things", stability: "ALPHA", labels: [] }).with().inc();
  const { options } = parseFlags(listenerFlags(1), [`--secure-port=${port}`]);
  return listenAsComponent({ options, isPortGiven, log: silentLog, metrics, client: inProcess.client });
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
    ["/", "good", 404, /not found/],
  ];
  it.each(cases)("%s with the token %s: %i", async (path, token, status, body) => {
    const answer = await ask(`https://127.0.0.1:${listener.port}${path}`, token === undefined ? {} : { token });
    expect(answer).toEqual({ status, text: expect.stringMatching(body) });
  });

  it("is none where it is 0", async () => expect(await start(0)).toBeUndefined());

  it("is none where the usual one is taken, and a mistake where it was asked for", async () => {
    expect(await start(listener.port, false)).toBeUndefined();
    await expect(start(listener.port)).rejects.toThrow(/--secure-port \d+ on 127.0.0.1: .*EADDRINUSE/);
  });
});
