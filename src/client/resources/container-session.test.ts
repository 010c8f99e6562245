import { describe, expect, it } from "vitest";
import { namesFor } from "../../meta/names.ts";
import { Client } from "../client.ts";
import { ScriptedTransport } from "../scripted-transport.testing.ts";
import type { ApiConnectRequest, ApiSocket, Transport } from "../transport.ts";

const names = namesFor("platform");

/** A pod whose containers say what the test wants. */
function podWith(protocol: string, messages: readonly Uint8Array[]) {
  const sent: Uint8Array[] = [];
  let asked: ApiConnectRequest | undefined;
  let closed = false;
  const socket: ApiSocket = {
    flushed: async () => undefined,
    protocol,
    send: (data) => sent.push(data),
    async *messages() {
      yield* messages;
    },
    close: () => {
      closed = true;
    },
  };
  class SocketTransport extends ScriptedTransport implements Transport {
    override connect(request?: ApiConnectRequest): Promise<ApiSocket> {
      asked = request;
      return Promise.resolve(socket);
    }
  }
  const client = new Client({ transport: new SocketTransport([]) });
  return { pods: client.core.v1.pods("ns"), sent, asked: () => asked!, closed: () => closed };
}

const message = (channel: number, text: string) => Buffer.concat([Uint8Array.of(channel), Buffer.from(text)]);
const status = (body: object) => message(3, JSON.stringify(body));

describe("a command in a container", () => {
  it("asks for what it was told, by the newest protocol first", async () => {
    const { pods, asked } = podWith(names.channelProtocol, []);
    await pods.exec("p", { command: ["ls", "-l /"], container: "c", stdin: true });
    expect(asked()).toEqual({
      path: "/api/v1/namespaces/ns/pods/p/exec?container=c&stdin=true&stdout=true&stderr=true&tty=false&command=ls&command=-l%20%2F",
      protocols: [names.channelProtocol, names.oldChannelProtocol],
    });
  });

  it("gives its output, and how it ended", async () => {
    const failed = {
      status: "Failure",
      message: "exit 3",
      details: { causes: [{ reason: "ExitCode", message: "3" }] },
    };
    const { pods } = podWith(names.channelProtocol, [
      message(1, "out"),
      message(1, ""),
      message(2, "err"),
      message(1, "put"),
      status(failed),
    ]);
    const session = await pods.exec("p", { command: ["x"] });
    expect(await session.collect()).toEqual({ stdout: "output", stderr: "err", exit: { code: 3, message: "exit 3" } });
  });

  it.each([
    ["well", [status({ status: "Success" })], 0],
    ["because it could not be run", [status({ status: "Failure", message: "no such file" })], undefined],
    ["with the connection", [], undefined],
  ])("may end %s", async (_, messages, code) => {
    const { pods } = podWith(names.channelProtocol, messages);
    const session = await pods.attach("p");
    expect((await session.collect()).exit.code).toBe(code);
  });

  it("takes input, its end, and the size of a terminal", async () => {
    const { pods, sent, closed } = podWith(names.channelProtocol, []);
    const session = await pods.exec("p", { command: ["sh"], stdin: true, tty: true });
    session.write("hi");
    session.resize(80, 24);
    session.endInput();
    session.close();
    expect(sent.map((bytes) => [bytes[0], Buffer.from(bytes.subarray(1)).toString("latin1")])).toEqual([
      [0, "hi"],
      [4, '{"Width":80,"Height":24}'],
      [255, "\0"],
    ]);
    expect(closed()).toBe(true);
  });

  it("is not collected beyond a limit", async () => {
    const { pods, closed } = podWith(names.channelProtocol, [message(1, "x".repeat(100))]);
    const session = await pods.exec("p", { command: ["yes"] });
    await expect(session.collect(99)).rejects.toThrow("more than 99 bytes");
    expect(closed()).toBe(true);
  });
});

describe("a forwarded port", () => {
  const port = String.fromCharCode(0x50, 0);

  it("carries bytes both ways", async () => {
    const { pods, sent, asked } = podWith(names.oldChannelProtocol, [
      message(0, port),
      message(1, port),
      message(0, "hello"),
    ]);
    const forwarded = await pods.portForward("p", 80);
    forwarded.send(Buffer.from("GET /"));
    const received: string[] = [];
    for await (const data of forwarded.received()) received.push(Buffer.from(data).toString());
    expect(received).toEqual(["hello"]);
    expect(Buffer.from(sent[0]!).toString()).toBe("\0GET /");
    expect(asked().path).toBe("/api/v1/namespaces/ns/pods/p/portforward?ports=80");
  });

  it("fails with what the server says", async () => {
    const { pods } = podWith(names.oldChannelProtocol, [
      message(0, port),
      message(1, port),
      message(1, "nobody listens"),
    ]);
    const received = (await pods.portForward("p", 80)).received();
    await expect(received.next()).rejects.toThrow("nobody listens");
  });
});
