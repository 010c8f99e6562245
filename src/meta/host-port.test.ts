import { expect, it } from "vitest";
import { hostPort, reachableHost } from "./host-port.ts";

it.each([
  ["127.0.0.1", "127.0.0.1:1"],
  ["::1", "[::1]:1"],
  ["web.example.com", "web.example.com:1"],
])("%s with a port is %s", (host, text) => {
  expect(hostPort(host, 1)).toBe(text);
});

it.each([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
  ["192.0.2.1", "192.0.2.1"],
])("who listens at %s is reached at %s", (bindAddress, host) => {
  expect(reachableHost(bindAddress)).toBe(host);
});
