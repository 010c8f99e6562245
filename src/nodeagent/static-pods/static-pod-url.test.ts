import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it, vi } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { StaticPodUrl } from "./static-pod-url.ts";

let server: Server;
let address: StaticPodUrl;
afterEach(() => {
  address.close();
  server.close();
});

it("is given up when an answer has no end, and asked again", async () => {
  const clock = new FakeClock();
  let asked = 0;
  let said = 0;
  server = createServer((_, response) => {
    asked += 1;
    response.flushHeaders();
    const saying = setInterval(() => response.write(" ", () => (said += 1)), 5);
    response.on("close", () => clearInterval(saying));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const onProblem = vi.fn();
  const unexpected = () => expect.unreachable();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  address = new StaticPodUrl({
    clock,
    url,
    headers: {},
    intervalMs: 60_000,
    read: unexpected,
    onPods: unexpected,
    onProblem,
  });
  address.start();
  await vi.waitUntil(() => said > 0);
  await clock.advance(10_000);
  await vi.waitUntil(() => onProblem.mock.calls.length > 0);
  await clock.advance(60_000);
  await vi.waitUntil(() => asked > 1);
});
