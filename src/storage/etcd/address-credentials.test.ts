import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSecureContext, createServer, type Server } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AddressCredentials } from "./address-credentials.ts";

describe("TLS with a server that is reached by its address", () => {
  const folder = mkdtempSync(join(tmpdir(), "plinth-address-"));
  let server: Server;
  let pem: Buffer;

  beforeAll(async () => {
    const key = [
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-keyout",
      "key",
      "-out",
      "pem",
    ];
    const alternatives = ["-addext", "subjectAltName=IP:127.0.0.1,IP:fd00::5,DNS:localhost"];
    execFileSync("openssl", ["req", "-x509", ...key, "-subj", "/CN=etcd", ...alternatives], {
      cwd: folder,
      stdio: "pipe",
    });
    pem = readFileSync(join(folder, "pem"));
    server = createServer({ cert: pem, key: readFileSync(join(folder, "key")), ALPNProtocols: ["h2"] }, (socket) => {
      socket.on("error", () => undefined);
      socket.end(`asked for ${(socket as unknown as { servername: string | false }).servername || "nobody"}`);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  const connectAs = async (address: string): Promise<string> => {
    const credentials = new AddressCredentials(address, createSecureContext({ ca: pem }));
    const { port } = server.address() as AddressInfo;
    const { socket } = await credentials._createSecureConnector({}, {}).connect(connect(port, "127.0.0.1"));
    const [answer] = (await once(socket, "data")) as [Buffer];
    return answer.toString();
  };

  it.each(["127.0.0.1", "fd00::5", "fd00:0:0:0:0:0:0:5"])("works where its certificate is for %s", async (address) => {
    expect(await connectAs(address)).toBe("asked for nobody");
  });

  it.each(["127.0.0.2", "fd00::6"])("fails where its certificate is for others than %s", async (address) => {
    await expect(connectAs(address)).rejects.toMatchObject({ code: "ERR_TLS_CERT_ALTNAME_INVALID" });
  });
});
