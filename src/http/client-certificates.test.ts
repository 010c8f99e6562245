import { EventEmitter } from "node:events";
import type { Http2SecureServer } from "node:http2";
import { describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { ClientCertificates } from "./client-certificates.ts";

const connection = () =>
  Object.assign(new EventEmitter(), { remoteAddress: "10.0.0.1", remotePort: 4711, bytesRead: 0 });

describe("client certificates", () => {
  it("stay known of a connection that has taken the port of one whose end is told later", () => {
    const certificates = new ClientCertificates([], new FakeClock());
    const server = new EventEmitter();
    certificates.watch(server as unknown as Http2SecureServer);
    const [before, now] = [connection(), connection()];
    server.emit("connection", before);
    server.emit("connection", now);
    before.emit("close");
    expect(certificates.withoutHandshake(now as never)).toBe(now);
    now.emit("close");
    expect(certificates.withoutHandshake(now as never)).toBeUndefined();
  });
});
