// A proxy that is reached over TLS is held against the authorities of this machine.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { temporaryServingCertificate } from "../../http/certificates.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

it("is trusted by its own name where its authority was added to those of the machine", async () => {
  const life = { nowMs: systemClock.nowMs(), lifeMs: 3_600_000 };
  const { caPem, certificatePem: cert, keyPem: key } = await temporaryServingCertificate(["127.0.0.1"], life);
  const dir = mkdtempSync(join(tmpdir(), "plinth-proxy-"));
  writeFileSync(join(dir, "extra.pem"), caPem);
  // Node itself has read those that it was started with, and others in this process may have asked for ours before.
  vi.stubEnv("NODE_EXTRA_CA_CERTS", join(dir, "extra.pem"));
  vi.resetModules();
  const { dial } = await import("./dial.ts");
  const asked: (string | undefined)[] = [];
  const proxy = createServer({ cert, key }).on("connect", (request, near: Socket) => {
    asked.push(request.url);
    near.end("HTTP/1.1 200 OK\r\n\r\n");
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  try {
    const { socket } = await dial({
      target: { host: "shop.test", port: 80 },
      proxy: new URL(`https://127.0.0.1:${port}`),
      protocols: ["http/1.1"],
      timeoutMs: 10_000,
      clock: systemClock,
      signal: new AbortController().signal,
    });
    socket.destroy();
    expect(asked).toEqual(["shop.test:80"]);
  } finally {
    proxy.close();
    rmSync(dir, { recursive: true });
  }
});
