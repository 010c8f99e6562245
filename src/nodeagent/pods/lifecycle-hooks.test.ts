import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { runHook } from "./lifecycle-hooks.ts";

const told: string[] = [];
const events = {
  fellBack: (host: string) => void told.push(host.replace(/:\d+$/, "")),
  sleepEndedEarly: () => void told.push("early"),
};
const target = (signal = new AbortController().signal, clock = new FakeClock()) => ({
  ...{ cri: { execSync: () => Promise.reject(new Error("none")) }, clock, container: { ports: [] } },
  ...{ containerId: "c", podIp: "127.0.0.1", timeoutMs: 0, signal },
});

it("a hook by HTTP is done with any answer, also with a plain one to HTTPS; not without one", async () => {
  const server = createServer((_, response) => response.writeHead(500).end()).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  told.length = 0;
  await runHook({ httpGet: { port, path: "/", scheme: "HTTP" } }, target(), events);
  expect(told).toEqual([]);
  await runHook({ httpGet: { port, path: "/", scheme: "HTTPS" } }, target(), events);
  expect(told).toEqual(["127.0.0.1"]);
  await new Promise((resolve) => server.close(resolve));
  await expect(runHook({ httpGet: { port, path: "/x", scheme: "HTTPS" } }, target(), events)).rejects.toThrow(
    "HTTP lifecycle hook (/x) failed: Get",
  );
});

it("a hook that sleeps says so where it is not left to", async () => {
  told.length = 0;
  const stop = new AbortController();
  const hook = runHook({ sleep: { seconds: 60 } }, target(stop.signal), events);
  stop.abort();
  await expect(hook).rejects.toThrow("container terminated before sleep hook finished");
  expect(told).toEqual(["early"]);
});
