// A process in a pod, whose token is renewed while it runs.

import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { DIALECTS, namesFor } from "../meta/names.ts";
import { issue, TestServer } from "./https/https-server.testing.ts";
import { HttpsTransport } from "./https-transport.ts";
import { loadConnection } from "./load-connection.ts";

describe.each(DIALECTS)("a client in a pod, in the %s dialect", (dialect) => {
  const { apiService, serviceAccountMountPath } = namesFor(dialect);
  let root: string;
  let server: TestServer;
  let transport: HttpsTransport;
  let clock: FakeClock;
  let accepted: string;

  const write = (file: string, text: string): void => {
    const path = join(root, serviceAccountMountPath, file);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "in-cluster-"));
    const certificate = await issue("server", "server", ["127.0.0.1"]);
    server = await new TestServer(certificate, "h2").start();
    server.handle = (_request, response, { headers }) =>
      response.writeHead(headers.authorization === `Bearer ${accepted}` ? 200 : 401).end();
    write("ca.crt", certificate.certificatePem);
    write("token", "one\n");
    write("namespace", "shop");
    accepted = "one";
    const variable = apiService.toUpperCase();
    const env = { [`${variable}_SERVICE_HOST`]: "127.0.0.1", [`${variable}_SERVICE_PORT`]: String(server.port) };
    clock = new FakeClock();
    const connection = loadConnection({ env, root, homeFolder: root });
    expect(connection.namespace).toBe("shop");
    transport = new HttpsTransport({ connection, env, clock });
  });
  afterEach(async () => {
    await transport.close();
    await server.stop();
    rmSync(root, { recursive: true });
  });

  const ask = async (): Promise<number> => (await transport.request({ method: "POST", path: "/" })).status;
  const shown = (): (string | undefined)[] => server.seen.map(({ headers }) => headers.authorization);

  it("shows the new token within a minute", async () => {
    expect(await ask()).toBe(200);
    write("token", "two\n");
    expect(await ask()).toBe(200);
    accepted = "two";
    await clock.advance(60_000);
    expect(await ask()).toBe(200);
    expect(shown()).toEqual(["Bearer one", "Bearer one", "Bearer two"]);
  });

  it("shows the new token at once when the old one is refused", async () => {
    expect(await ask()).toBe(200);
    write("token", "two\n");
    accepted = "two";
    expect(await ask()).toBe(200);
    expect(shown()).toEqual(["Bearer one", "Bearer one", "Bearer two"]);
  });

  it("keeps the old token while the file is away", async () => {
    expect(await ask()).toBe(200);
    rmSync(join(root, serviceAccountMountPath, "token"));
    await clock.advance(60_000);
    expect(await ask()).toBe(200);
  });
});
