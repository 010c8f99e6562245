// What a real kubectl gets from the agent of a node through a real server: logs, and commands over WebSocket and SPDY. The
// agent is played by an HTTPS server on loopback that knows its clients by certificate.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocketServer } from "ws";
import { issueCertificate } from "../../src/http/pki/issue-certificate.ts";
import { findKubectl } from "./find-kubectl.ts";
import { ADMIN_TOKEN, startTestServer, type TestServer } from "./running-server.testing.ts";

/** The first version that speaks WebSocket to a server. */
const MIN_MINOR = 30;
const HOUR_MS = 3_600_000;
const STDOUT = 1;
const STATUS = 3;
const V5 = "v5.channel.k8s.io";

const kubectl = findKubectl(MIN_MINOR);
const title = "kubectl and the agent of a node";

describe.skipIf(kubectl === undefined)(
  kubectl === undefined ? `${title} (skipped: there is no kubectl of 1.${MIN_MINOR} or later)` : title,
  () => {
    let dir: string;
    let server: TestServer;
    let agent: Server;
    const upgrades: IncomingMessage[] = [];

    beforeAll(async () => {
      dir = mkdtempSync(join(tmpdir(), "plinth-agent-"));
      const times = { notBeforeMs: Date.now() - HOUR_MS, notAfterMs: Date.now() + HOUR_MS };
      const own = await issueCertificate({
        ...times,
        use: "server",
        subject: { commonName: "agent" },
        names: ["127.0.0.1"],
      });
      const client = await issueCertificate({ ...times, use: "client", subject: { commonName: "apiserver" } });
      const file = (name: string, text: string): string => {
        writeFileSync(join(dir, name), text);
        return join(dir, name);
      };
      agent = createServer(
        { cert: own.certificatePem, key: own.keyPem, ca: client.certificatePem, requestCert: true },
        (request, response) => response.end(`log of ${request.url}\n`),
      );
      agent.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        upgrades.push(request);
        if (request.headers.upgrade === "websocket") runCommand(request, socket, head);
        else socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 13\r\n\r\nno SPDY today");
      });
      await new Promise<void>((resolve) => agent.listen(0, "127.0.0.1", resolve));
      server = await startTestServer([
        `--kubelet-client-certificate=${file("client.crt", client.certificatePem)}`,
        `--kubelet-client-key=${file("client.key", client.keyPem)}`,
        `--kubelet-certificate-authority=${file("ca.crt", own.certificatePem)}`,
      ]);
      const { port } = agent.address() as AddressInfo;
      await run(
        ["apply", "-f", "-"],
        JSON.stringify({
          apiVersion: "v1",
          kind: "List",
          items: [
            { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace: "default" } },
            { apiVersion: "v1", kind: "Node", metadata: { name: "n" } },
            {
              apiVersion: "v1",
              kind: "Pod",
              metadata: { name: "p", namespace: "default" },
              spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] },
            },
          ],
        }),
      );
      const status = {
        addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
        daemonEndpoints: { kubeletEndpoint: { Port: port } },
      };
      await run(["patch", "node", "n", "--subresource=status", "--type=merge", "-p", JSON.stringify({ status })]);
    });
    afterAll(async () => {
      await server?.stop();
      agent?.closeAllConnections();
      agent?.close();
      rmSync(dir, { recursive: true, force: true });
    });

    /** Says what it was asked to run, and that it went well, in the words of the newest protocol. */
    function runCommand(request: IncomingMessage, socket: Duplex, head: Buffer): void {
      const far = new WebSocketServer({ noServer: true, handleProtocols: () => V5 });
      far.handleUpgrade(request, socket, head, (web) => {
        const words = new URL(request.url ?? "", "https://x").searchParams.getAll("command").join(" ");
        web.send(Buffer.concat([Buffer.of(STDOUT), Buffer.from(`ran ${words}\n`)]));
        const success = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" };
        web.send(Buffer.concat([Buffer.of(STATUS), Buffer.from(JSON.stringify(success))]));
        web.close(1000);
      });
    }

    function run(args: readonly string[], input = "", env: Record<string, string> = {}): Promise<string> {
      return new Promise((resolve, reject) => {
        const child = execFile(
          kubectl!.path,
          [`--server=${server.url}`, "--insecure-skip-tls-verify", `--token=${ADMIN_TOKEN}`, ...args],
          { env: { ...process.env, HOME: dir, KUBECONFIG: "/dev/null", ...env }, timeout: 20_000 },
          (error, stdout, stderr) => (error === null ? resolve(stdout) : reject(new Error(stderr || error.message))),
        );
        child.stdin?.end(input);
      });
    }

    it("shows a log", async () => {
      expect(await run(["logs", "p", "--tail=3"])).toBe("log of /containerLogs/default/p/c?tailLines=3\n");
    });

    it("runs a command over a WebSocket", async () => {
      expect(await run(["exec", "p", "--", "echo", "a b"])).toBe("ran echo a b\n");
      expect(upgrades.at(-1)?.url).toBe("/exec/default/p/c?output=1&error=1&command=echo&command=a+b");
    });

    it("asks over SPDY, and hears what the agent says to that", async () => {
      const refused = run(["exec", "p", "--", "echo"], "", { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: "false" });
      await expect(refused).rejects.toThrow(/no SPDY today|403|Forbidden/);
      expect(upgrades.at(-1)?.headers.upgrade).toBe("SPDY/3.1");
    });
  },
);
