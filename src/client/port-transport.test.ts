// Requests through a port: the same answers, failures and limits as without one.

import { once } from "node:events";
import { MessageChannel } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { serverInProcess } from "../apiserver/server.testing.ts";
import { InProcessUsers } from "../authn/in-process-users.ts";
import { nextTurn } from "../base/next-turn.ts";
import type { ReceivedRequest, Response } from "../http/message.ts";
import { SYSTEM_MASTERS } from "../meta/user.ts";
import { kinds } from "./built-in-kinds.ts";
import { Client } from "./client.ts";
import { InProcessTransport } from "./in-process-transport.ts";
import { PortTransport } from "./port-transport.ts";
import { servePort } from "./serve-port.ts";
import { type Transport, TransportError } from "./transport.ts";

const MIB = 1024 * 1024;
const toClose: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});

/** A transport whose requests go through a port to this one. */
function through(inner: Transport) {
  const { port1: here, port2: there } = new MessageChannel();
  servePort(here, inner);
  const transport = new PortTransport(there);
  toClose.push(() => transport.close());
  return { transport, here };
}

const answering = (answer: (request: ReceivedRequest) => Response | Promise<Response>) =>
  through(new InProcessTransport({ handler: async (request) => answer(request) }));

async function server() {
  const users = new InProcessUsers();
  const running = await serverInProcess({
    dialect: "platform",
    flags: ["--authorization-mode=RBAC"],
    authorization: "by flags",
    authentication: "by flags",
    deps: { inProcessUsers: users },
  });
  toClose.push(() => running.close());
  const clientOf = (name: string, groups: readonly string[] = []) => {
    const connection = users.connect({ name, groups });
    return new Client({
      transport: through(new InProcessTransport({ handler: running.handler, connection })).transport,
    });
  };
  return { admin: clientOf("root", [SYSTEM_MASTERS]), clientOf };
}

describe("a server behind a port", () => {
  it("answers every verb", async () => {
    const { admin } = await server();
    const maps = admin.core.v1.configMaps("default");
    const made = await maps.create({ metadata: { name: "m" }, data: { a: "1" } });
    expect((await maps.get("m")).data).toEqual({ a: "1" });
    expect((await maps.update({ ...made, data: { a: "2" } })).data).toEqual({ a: "2" });
    expect((await maps.patch("m", { merge: { data: { b: "3" } } })).data).toEqual({ a: "2", b: "3" });
    expect((await maps.list()).items.map(({ metadata }) => metadata.name)).toContain("m");
    await maps.delete("m");
    await expect(maps.get("m")).rejects.toMatchObject({ code: 404, reason: "NotFound" });
  });

  it("tells of changes, and an informer follows them", async () => {
    const { admin } = await server();
    const informer = admin.informer(kinds.core.v1.configMaps, { namespace: "default" });
    informer.start();
    await informer.whenSynced();
    const maps = admin.core.v1.configMaps("default");
    for (const name of ["a", "b", "c"]) await maps.create({ metadata: { name } });
    await maps.delete("b");
    const names = () => informer.cache.list().map(({ metadata }) => metadata.name);
    await expect.poll(names).toEqual(expect.arrayContaining(["a", "c"]));
    await expect.poll(names).not.toContain("b");
    await informer.stop();
  });

  it("gives whoever asks the rights of the transport behind it, and no others", async () => {
    const { admin, clientOf } = await server();
    const scheduler = clientOf("system:kube-scheduler");
    expect((await scheduler.core.v1.nodes().list()).items).toEqual([]);
    await expect(scheduler.core.v1.secrets("default").list()).rejects.toMatchObject({ code: 403 });
    const asRoot = { "impersonate-user": "root", "impersonate-group": SYSTEM_MASTERS };
    const claimed = await scheduler.transport.request({ method: "GET", path: "/api/v1/secrets", headers: asRoot });
    expect(claimed.status).toBe(403);
    expect((await admin.core.v1.secrets().list()).items).toBeDefined();
  });
});

describe("a request through a port", () => {
  it("carries bytes that are part of larger ones, there and back, without a change", async () => {
    const sent = Buffer.from("before the body and behind").subarray(11, 15);
    const { transport } = answering(async (request) => {
      const body = await request.readBody(MIB);
      return { status: 200, headers: { "x-list": ["a", "b"] }, body };
    });
    const answer = await transport.request({ method: "POST", path: "/", body: sent });
    expect([answer.status, answer.headers.get("x-list")]).toEqual([200, "a, b"]);
    expect(Buffer.from(await answer.bytes()).toString()).toBe("body");
    expect(sent.toString()).toBe("body");
  });

  it("is not sent when its caller has given up, and ends when he does", async () => {
    const seen: ReceivedRequest[] = [];
    const { transport } = answering((request) => {
      seen.push(request);
      return new Promise(() => undefined);
    });
    const early = transport.request({ method: "GET", path: "/", signal: AbortSignal.abort(new Error("too late")) });
    await expect(early).rejects.toThrow("too late");
    const gone = new AbortController();
    const asked = transport.request({ method: "GET", path: "/", signal: gone.signal });
    await expect.poll(() => seen.length).toBe(1);
    gone.abort(new Error("enough"));
    await expect(asked).rejects.toThrow("enough");
    await expect.poll(() => seen[0]!.signal.aborted).toBe(true);
  });

  it("fails as the transport behind it does", async () => {
    const { transport } = through({
      request: () => Promise.reject(new TransportError("busy", "too many")),
      connect: () => Promise.reject(new Error("unused")),
      close: async () => undefined,
    });
    const asked = transport.request({ method: "GET", path: "/" });
    await expect(asked).rejects.toEqual(new TransportError("busy", "too many"));
  });

  it("fails in the middle of its answer when that breaks off", async () => {
    const { transport } = answering(() => ({
      status: 200,
      headers: {},
      body: {
        async stream(writer) {
          writer.write(Buffer.from("half"));
          throw new Error("broken");
        },
      },
    }));
    const answer = await transport.request({ method: "GET", path: "/" });
    await expect(answer.bytes()).rejects.toMatchObject({ name: "TransportError", failure: "lost" });
  });

  it("ends on the server's side when its reader goes", async () => {
    let request: ReceivedRequest | undefined;
    const { transport } = answering((received) => {
      request = received;
      const stream = async (writer: { write(bytes: Uint8Array): boolean }) => {
        writer.write(Buffer.from("event\n"));
        await new Promise(() => undefined);
      };
      return { status: 200, headers: {}, body: { stream } };
    });
    const answer = await transport.request({ method: "GET", path: "/?watch=true" });
    for await (const piece of answer.stream()) {
      expect(Buffer.from(piece).toString()).toBe("event\n");
      break;
    }
    await expect.poll(() => request!.signal.aborted).toBe(true);
  });

  it("may have a long answer, of which only a little is ahead of its reader", async () => {
    const piece = Buffer.alloc(100_000, "x");
    const pieces = 200;
    let made = 0;
    const { transport } = answering(() => ({
      status: 200,
      headers: {},
      body: {
        async stream(writer) {
          for (; made < pieces; made += 1) if (!writer.write(piece)) await writer.drained();
        },
      },
    }));
    const answer = await transport.request({ method: "GET", path: "/" });
    const reader = answer.stream()[Symbol.asyncIterator]();
    let received = (await reader.next()).value!.length;
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    expect(made * piece.length).toBeLessThan(2 * MIB);
    for (let next = await reader.next(); next.done !== true; next = await reader.next()) received += next.value.length;
    expect(received).toBe(pieces * piece.length);
  });

  it.each([
    ["this end", (transport: Transport) => transport.close()],
    ["the other end", async (_: Transport, here: { close(): void }) => here.close()],
  ])("fails when %s is closed, and so do later ones", async (_, close) => {
    let request: ReceivedRequest | undefined;
    const { transport, here } = answering((received) => {
      request = received;
      return new Promise(() => undefined);
    });
    const asked = transport.request({ method: "GET", path: "/" });
    await expect.poll(() => request).toBeDefined();
    const closed = once(here, "close");
    await Promise.all([expect(asked).rejects.toMatchObject({ failure: "closed" }), close(transport, here)]);
    await closed;
    expect(request!.signal.aborted).toBe(true);
    await expect(transport.request({ method: "GET", path: "/" })).rejects.toMatchObject({ failure: "closed" });
  });

  it("is never for a WebSocket", async () => {
    const { transport } = answering(() => ({ status: 200, headers: {} }));
    await expect(transport.connect({ path: "/", protocols: [] })).rejects.toMatchObject({ failure: "connect" });
  });
});
