// WebSockets inside one process and over HTTPS: the same sessions with the same server, which wants to know who calls.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ServerInProcess, serverInProcess } from "../apiserver/server.testing.ts";
import { InProcessUsers } from "../authn/in-process-users.ts";
import { nextTurn } from "../base/next-turn.ts";
import { startListener, type TestListener } from "../http/listener.testing.ts";
import type { StreamBody } from "../http/message.ts";
import { namesFor } from "../meta/names.ts";
import { SYSTEM_MASTERS } from "../meta/user.ts";
import { Client } from "./client.ts";
import { connectionTo } from "./https/https-server.testing.ts";
import { HttpsTransport } from "./https-transport.ts";
import { InProcessTransport } from "./in-process-transport.ts";
import { createPodOf, startTestAgent, type TestAgent } from "./node-agent.testing.ts";
import type { ApiSocket, Transport } from "./transport.ts";

const users = new InProcessUsers();
let folder: string;
let server: ServerInProcess;
let listener: TestListener;
let agent: TestAgent;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plinth-sockets-"));
  await writeFile(join(folder, "tokens"), `root,admin,1,${SYSTEM_MASTERS}\nother,alice,2\n`);
  server = await serverInProcess({
    dialect: "platform",
    flags: ["--authorization-mode=RBAC", `--token-auth-file=${join(folder, "tokens")}`],
    authentication: "by flags",
    authorization: "by flags",
    deps: { inProcessUsers: users },
  });
  listener = await startListener((request) => server.handler(request));
  agent = await startTestAgent(folder);
  await createPodOf(agent, new Client({ transport: inProcess("root") }));
});
afterAll(async () => {
  agent.close();
  await listener.close(0);
  await server.close();
  await rm(folder, { recursive: true });
});

const inProcess = (token: string): Transport =>
  new InProcessTransport({ handler: server.handler, headers: { authorization: `Bearer ${token}` } });

const overHttps = (token: string): Transport =>
  new HttpsTransport({ connection: connectionTo(listener, { token }), env: {} });

describe.each([
  ["inside one process", inProcess],
  ["over HTTPS", overHttps],
])("WebSockets %s", (_, connect) => {
  let transport: Transport;
  beforeAll(() => {
    transport = connect("root");
  });
  afterAll(() => transport.close());
  const pods = () => new Client({ transport }).core.v1.pods("default");

  it("run a command in a container", async () => {
    const session = await pods().exec("p", { command: ["sh", "-c", "cat; echo no >&2; exit 3"], stdin: true });
    session.write("yes");
    session.endInput();
    const { stdout, stderr, exit } = await session.collect();
    expect([stdout, stderr, exit.code]).toEqual(["yes", "no\n", 3]);
  });

  it("join what a container runs", async () => {
    const session = await pods().attach("p", { stdin: true });
    session.write("shout");
    expect(await session.collect()).toMatchObject({ stdout: "joined\nSHOUT", exit: { code: 0 } });
  });

  it("carry more than anybody keeps, as fast as it is taken", async () => {
    const sizeBytes = 8 * 1024 * 1024;
    const session = await pods().exec("p", { command: ["head", "-c", String(sizeBytes), "/dev/zero"] });
    let received = 0;
    for await (const { data } of session.output()) received += data.length;
    expect([received, session.exit.code]).toEqual([sizeBytes, 0]);
  });

  it("lead to a port of a pod", async () => {
    const port = await pods().portForward("p", 80);
    port.send(Buffer.from("ping"));
    const received = port.received();
    expect(Buffer.from((await received.next()).value ?? []).toString()).toBe("ping");
    port.close();
    expect(await received.next()).toEqual({ done: true, value: undefined });
  });

  it("tell of changes, until they are closed", async () => {
    const path = "/api/v1/namespaces/default/configmaps?watch=true";
    const socket = await transport.connect({ path, protocols: [] });
    const events = typesAndNames(socket);
    const maps = new Client({ transport }).core.v1.configMaps("default");
    await maps.create({ metadata: { name: "m" } });
    await maps.delete("m");
    expect([(await events.next()).value, (await events.next()).value]).toEqual(["ADDED m", "DELETED m"]);
    socket.close();
    expect((await events.next()).done).toBe(true);
  });

  it("are ended by their caller's signal, with its reason", async () => {
    const gone = new AbortController();
    const session = await pods().exec("p", { command: ["sleep", "100"], signal: gone.signal });
    const collected = session.collect();
    gone.abort(new Error("enough"));
    await expect(collected).rejects.toThrow("enough");
    await expect(pods().exec("p", { command: ["true"], signal: gone.signal })).rejects.toThrow("enough");
  });

  it("that are refused fail with the server's Status", async () => {
    const refused = pods().exec("none", { command: ["true"] });
    await expect(refused).rejects.toMatchObject({ code: 404, reason: "NotFound" });
  });

  it.each([
    ["nobody knows", "wrong", 401, "Unauthorized"],
    ["may do nothing", "other", 403, "Forbidden"],
  ])("are not for callers whom %s", async (_caller, token, code, reason) => {
    const stranger = connect(token);
    const session = new Client({ transport: stranger }).core.v1.pods("default").exec("p", { command: ["true"] });
    await expect(session).rejects.toMatchObject({ code, reason });
    await stranger.close();
  });

  it("end with their client", async () => {
    const own = connect("root");
    const session = await new Client({ transport: own }).core.v1.pods("default").exec("p", { command: ["sleep", "9"] });
    const collected = session.collect();
    await own.close();
    await expect(collected).rejects.toMatchObject({ failure: "closed" });
    await expect(own.connect({ path: "/api", protocols: [] })).rejects.toMatchObject({ failure: "closed" });
  });
});

describe("inside one process", () => {
  it("whoever holds a connection of a user opens WebSockets as that user", async () => {
    const connection = users.connect({ name: "root", groups: [SYSTEM_MASTERS] });
    const transport = new InProcessTransport({ handler: server.handler, connection });
    const session = await new Client({ transport }).core.v1.pods("default").exec("p", { command: ["echo", "I"] });
    expect((await session.collect()).stdout).toBe("I\n");
    await transport.close();
  });

  it("a WebSocket gets the newest protocol that both know", async () => {
    const { channelProtocol, oldChannelProtocol } = namesFor("platform");
    const path = "/api/v1/namespaces/default/pods/p/exec?command=true&stdout=true";
    const transport = inProcess("root");
    const socket = await transport.connect({ path, protocols: [channelProtocol, oldChannelProtocol] });
    expect(socket.protocol).toBe(channelProtocol);
    await transport.close();
  });
});

async function* typesAndNames(socket: ApiSocket): AsyncGenerator<string, void, void> {
  for await (const message of socket.messages()) {
    const { type, object } = JSON.parse(Buffer.from(message).toString()) as WatchMessage;
    yield `${type} ${object.metadata.name}`;
  }
}

interface WatchMessage {
  readonly type: string;
  readonly object: { readonly metadata: { readonly name: string } };
}

describe("a long answer inside one process", () => {
  it("lets others have their turn while it is made", async () => {
    const piece = Buffer.alloc(256 * 1024);
    const pieces = 20;
    const body: StreamBody = {
      async stream(writer) {
        for (let made = 0; made < pieces; made += 1) if (!writer.write(piece)) await writer.drained();
      },
    };
    let turns = 0;
    let isOver = false;
    const others = (async () => {
      for (; !isOver; turns += 1) await nextTurn();
    })();
    const transport = new InProcessTransport({ handler: () => ({ status: 200, headers: {}, body }) });
    const answer = await transport.request({ method: "GET", path: "/" });
    expect(await answer.bytes()).toHaveLength(pieces * piece.length);
    isOver = true;
    await others;
    expect(turns).toBeGreaterThanOrEqual(pieces - 1);
  });
});
