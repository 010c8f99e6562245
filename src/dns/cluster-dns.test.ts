// The resolver over real sockets on loopback, with a played server behind it and a control plane in the same process.

import { createSocket } from "node:dgram";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { FakeClock, systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { type ClientInProcess, clientInProcess } from "../client/client.testing.ts";
import { ClusterDns } from "./cluster-dns.ts";
import { Forwarder, type Transport } from "./forward/forwarder.ts";
import { nameserversOf, othersAmong } from "./forward/resolv-conf.ts";
import { DnsListener } from "./listen/dns-listener.ts";
import { CLASS_IN, type Message, RCODE, type RecordData, TYPE } from "./message/message.ts";
import { readMessage } from "./message/read-message.ts";
import { FramedMessages, framed } from "./message/stream-frames.ts";
import { writeMessage } from "./message/write-message.ts";
import { Resolver } from "./resolver.ts";
import type { ClusterView } from "./zone/cluster-view.ts";

const HOME = "127.0.0.1";

function query(name: string, type: number = TYPE.A, more: Partial<Message> = {}): Message {
  return {
    id: 4711,
    isAnswer: false,
    opcode: 0,
    isAuthoritative: false,
    isTruncated: false,
    recursionDesired: true,
    recursionAvailable: false,
    rcode: 0,
    questions: [{ name: name.split("."), type, class: CLASS_IN }],
    answers: [],
    authority: [],
    additional: [],
    ...more,
  };
}

const bytesOf = (message: Message): Buffer => writeMessage(message, 65_535);
const address = (...bytes: number[]): RecordData => ({ type: "A", address: Uint8Array.from(bytes) });

describe("a resolver", () => {
  const services = new Map<string, object>([
    ["web", { clusterIPs: ["10.96.0.5"], ports: [{ name: "http", port: 80 }] }],
    ["far", { type: "ExternalName", externalName: "www.example.com" }],
    ["near", { type: "ExternalName", externalName: "WEB.shop.svc.cluster.local" }],
    ["round", { type: "ExternalName", externalName: "round.shop.svc.cluster.local" }],
    ["many", { clusterIPs: ["None"] }],
  ]);
  const slice = {
    addressType: "IPv4",
    endpoints: Array.from({ length: 200 }, (_, index) => ({ addresses: [`10.244.1.${index}`] })),
  };
  const view = {
    hasNamespace: (name: string) => name === "shop",
    service: (_: string, name: string) => {
      const spec = services.get(name);
      return spec && { metadata: { name, namespace: "shop" }, spec };
    },
    slicesOf: (_: string, name: string) => (name === "many" ? [slice] : []),
    servicesAt: () => [],
    slicesAt: () => [],
    serviceOf: () => undefined,
  } as unknown as ClusterView;
  let upstream: Partial<Message> | undefined = { answers: [] };
  const asked: string[] = [];
  const resolver = new Resolver({
    view,
    domain: ["cluster", "local"],
    clock: new FakeClock(),
    random: () => 0,
    forwarder: {
      async ask(bytes, question) {
        asked.push(question.name.join("."));
        if (upstream === undefined) return undefined;
        return bytesOf({ ...readMessage(bytes)!, isAnswer: true, ...upstream });
      },
    },
  });
  const ask = async (message: Message, transport: Transport = "udp") =>
    readMessage((await resolver.answer(bytesOf(message), transport))!)!;

  it("answers for the cluster, under the name as it was asked", async () => {
    const answer = await ask(query("Web.shop.svc.cluster.local"));
    expect(answer).toMatchObject({
      id: 4711,
      isAnswer: true,
      isAuthoritative: true,
      recursionAvailable: true,
      rcode: 0,
    });
    expect(answer.answers).toEqual([
      { name: ["Web", "shop", "svc", "cluster", "local"], ttlSeconds: 5, data: address(10, 96, 0, 5) },
    ]);
  });

  it.each([
    ["no such name", "no.shop.svc.cluster.local", RCODE.NXDOMAIN],
    ["nothing of the kind", "web.shop.svc.cluster.local", RCODE.NOERROR],
  ])("says %s with how long that is good", async (_, name, rcode) => {
    const answer = await ask(query(name, TYPE.AAAA));
    expect(answer).toMatchObject({ rcode, answers: [] });
    expect(answer.authority).toMatchObject([
      { name: ["cluster", "local"], data: { type: "SOA", negativeTtlSeconds: 5 } },
    ]);
  });

  it("asks others for what is not the cluster's, and hands their answer on", async () => {
    const data = address(192, 0, 2, 1);
    upstream = { answers: [{ name: ["example", "com"], ttlSeconds: 60, data }] };
    expect((await ask(query("example.com"))).answers).toEqual(upstream.answers);
  });

  it("says that it failed when nobody else answers", async () => {
    upstream = undefined;
    expect((await ask(query("example.com"))).rcode).toBe(RCODE.SERVFAIL);
  });

  it("follows a name that stands for another one, outside and inside", async () => {
    const data = address(192, 0, 2, 1);
    upstream = { answers: [{ name: ["www", "example", "com"], ttlSeconds: 60, data }] };
    const outside = await ask(query("far.shop.svc.cluster.local"));
    expect(outside.answers.map((each) => each.data)).toEqual([
      { type: "CNAME", target: ["www", "example", "com"] },
      data,
    ]);
    expect(asked.at(-1)).toBe("www.example.com");
    const inside = await ask(query("near.shop.svc.cluster.local"));
    expect(inside.answers.at(-1)?.data).toEqual(address(10, 96, 0, 5));
  });

  it("ends when names stand for each other", async () => {
    expect((await ask(query("round.shop.svc.cluster.local"))).rcode).toBe(RCODE.SERVFAIL);
  });

  it.each<[string, Transport, Partial<Message>, boolean]>([
    ["without more words", "udp", {}, true],
    ["of one who takes more", "udp", { edns: { udpBytes: 4096, version: 0 } }, true],
    ["over TCP", "tcp", {}, false],
  ])("keeps to the length of an asker %s", async (_, transport, more, isCut) => {
    const bytes = (await resolver.answer(bytesOf(query("many.shop.svc.cluster.local", TYPE.A, more)), transport))!;
    expect(bytes.length).toBeLessThanOrEqual(transport === "tcp" ? 65_535 : more.edns ? 1232 : 512);
    expect(readMessage(bytes)?.isTruncated).toBe(isCut);
    expect(readMessage(bytes)?.answers.length === 200).toBe(!isCut);
  });

  it.each<[string, Partial<Message>, number]>([
    ["two questions", { questions: [...query("a").questions, ...query("b").questions] }, RCODE.FORMERR],
    ["no question", { questions: [] }, RCODE.FORMERR],
    ["an update", { opcode: 5 }, RCODE.NOTIMP],
    ["another class", { questions: [{ name: ["a"], type: 1, class: 3 }] }, RCODE.REFUSED],
    ["a transfer", { questions: [{ name: ["cluster", "local"], type: 252, class: 1 }] }, RCODE.REFUSED],
  ])("refuses %s", async (_, more, rcode) => {
    expect((await ask(query("a", 1, more))).rcode).toBe(rcode);
  });

  it("knows no later version of EDNS", async () => {
    const bytes = bytesOf(query("a", 1, { edns: { udpBytes: 512, version: 0 } }));
    bytes[bytes.length - 5] = 1;
    expect(readMessage((await resolver.answer(bytes, "udp"))!)?.rcode).toBe(RCODE.BADVERS);
  });

  it("answers what it cannot read with the number alone, and answers to nobody's question not at all", async () => {
    const broken = Buffer.concat([bytesOf(query("a")).subarray(0, 12), Buffer.of(0xc0)]);
    expect(readMessage((await resolver.answer(broken, "udp"))!)).toMatchObject({ id: 4711, rcode: RCODE.FORMERR });
    expect(await resolver.answer(bytesOf({ ...query("a"), isAnswer: true }), "udp")).toBeUndefined();
    expect(await resolver.answer(Buffer.of(1, 2, 3), "udp")).toBeUndefined();
  });
});

describe("questions to others", () => {
  const question = query("example.com").questions[0]!;
  const servers: DnsListener[] = [];
  afterAll(() => {
    for (const server of servers) server.close();
  });
  const serve = async (
    answer: (message: Message) => Message | Buffer | undefined,
  ): Promise<{ address: string; port: number }> => {
    const server = await DnsListener.listen({
      address: HOME,
      port: 0,
      clock: systemClock,
      mayAsk: () => true,
      onError: () => undefined,
      answer: async (bytes) => {
        const reply = answer(readMessage(bytes)!);
        return reply === undefined || Buffer.isBuffer(reply) ? reply : bytesOf(reply);
      },
    });
    servers.push(server);
    return { address: HOME, port: server.port };
  };
  const reply = (message: Message, more: Partial<Message> = {}): Message => ({ ...message, isAnswer: true, ...more });
  const forwarder = (...upstreams: { address: string; port: number }[]) => {
    const clock = new FakeClock();
    return { clock, ask: new Forwarder({ clock, randomId: () => 99, upstreams: () => upstreams }) };
  };

  it.each<Transport>(["udp", "tcp"])("go out under a number of their own over %s", async (transport) => {
    const seen: number[] = [];
    const { ask } = forwarder(
      await serve((message) => {
        seen.push(message.id);
        return reply(message);
      }),
    );
    const answer = await ask.ask(bytesOf(query("example.com")), question, transport);
    expect(readMessage(answer!)?.id).toBe(4711);
    expect(seen).toEqual([99]);
  });

  it("go to the next when one is silent, or says what was not asked", async () => {
    const strange = await serve((message) => reply(message, { questions: query("evil.example").questions }));
    const good = await serve((message) => reply(message, { rcode: RCODE.NXDOMAIN }));
    const { ask, clock } = forwarder(strange, good);
    const answer = ask.ask(bytesOf(query("example.com")), question, "udp");
    await vi.waitFor(() => expect(clock.waiting).toBe(1));
    // What came meanwhile was no answer.
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(2_000);
    expect(readMessage((await answer)!)?.rcode).toBe(RCODE.NXDOMAIN);
  });

  it("go to the next when the system knows no way to one, as on a machine whose network is down", async () => {
    const good = await serve((message) => reply(message));
    // Nobody may send there without saying that everybody is meant.
    const { ask } = forwarder({ address: "255.255.255.255", port: 53 }, good);
    const answer = await ask.ask(bytesOf(query("example.com")), question, "udp");
    expect(readMessage(answer!)).toMatchObject({ id: 4711, rcode: RCODE.NOERROR });
  });

  it("are answered by what ends within a record, where that was cut off", async () => {
    const records = [{ name: ["example", "com"], ttlSeconds: 60, data: address(192, 0, 2, 1) }];
    const cut = await serve((message) =>
      bytesOf(reply(message, { answers: records, isTruncated: true })).subarray(0, -3),
    );
    const { ask } = forwarder(cut);
    const answer = await ask.ask(bytesOf(query("example.com")), question, "udp");
    // Who asked asks again over TCP.
    expect(answer![2]! & 0x02).toBe(0x02);
    expect(answer!.readUInt16BE(0)).toBe(4711);
  });

  it("have no answer where there is nobody", async () => {
    expect(await forwarder().ask.ask(bytesOf(query("example.com")), question, "udp")).toBeUndefined();
  });

  it("are bounded", async () => {
    const silent = await serve(() => undefined);
    const { ask } = forwarder(silent);
    const waiting = Array.from({ length: 513 }, () => ask.ask(bytesOf(query("example.com")), question, "udp"));
    expect(await waiting.at(-1)).toBeUndefined();
    ask.close();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([undefined]));
  });
});

it("nameservers are those of the file, three at most", () => {
  const text =
    "# x\nsearch a b\nnameserver 1.1.1.1\n nameserver\t::1 # y\nnameserver bad\nnameserver 2.2.2.2\nnameserver 3.3.3.3\n";
  expect(nameserversOf(text)).toEqual(["1.1.1.1", "::1", "2.2.2.2"]);
});

it("nobody is asked who would ask the resolver itself", () => {
  const own = [
    { address: "10.0.0.1", port: 10_053 },
    { address: "10.96.0.10", port: 53 },
  ];
  expect(othersAmong(["10.96.0.10", "10.0.0.1", "1.1.1.1"], own)).toEqual([
    { address: "10.0.0.1", port: 53 },
    { address: "1.1.1.1", port: 53 },
  ]);
});

it("a message that is announced as too long is not waited for", () => {
  const frames = new FramedMessages(100);
  expect(frames.take(Buffer.of(0))).toEqual([]);
  expect(frames.isTooLong).toBe(false);
  frames.take(Buffer.of(101));
  expect(frames.isTooLong).toBe(true);
});

it("a long message in pieces of a byte is put together all the same", () => {
  const message = Buffer.alloc(5_000, "x");
  const frames = new FramedMessages();
  const found: Buffer[] = [];
  for (const byte of framed(message)) for (const each of frames.take(Buffer.of(byte))) found.push(each);
  expect(found).toEqual([message]);
});

it("messages of a stream are put together from any pieces", () => {
  const stream = Buffer.concat([framed(Buffer.from("one")), framed(Buffer.from("")), framed(Buffer.from("three"))]);
  for (let size = 1; size <= stream.length; size++) {
    const frames = new FramedMessages();
    const found: string[] = [];
    for (let at = 0; at < stream.length; at += size)
      found.push(...frames.take(stream.subarray(at, at + size)).map(String));
    expect(found).toEqual(["one", "", "three"]);
  }
});

describe("the resolver of a cluster", () => {
  let folder: string;
  let api: ClientInProcess;
  let dns: ClusterDns;
  let isKnown = true;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "plinth-dns-"));
    writeFileSync(join(folder, "resolv.conf"), "");
    api = await clientInProcess();
    dns = await ClusterDns.start({
      client: api.client,
      clock: systemClock,
      log: silentLog,
      domain: "Cluster.Local",
      clusterIp: "10.96.0.10",
      address: HOME,
      port: 0,
      resolvConf: join(folder, "resolv.conf"),
      mayAsk: () => isKnown,
    });
  });
  afterAll(async () => {
    await dns?.stop();
    await api?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("learns a Service as it is made, and answers over UDP and TCP", async () => {
    await api.client.core.v1.services("default").create({
      metadata: { name: "web" },
      spec: { clusterIP: "10.0.0.77", ports: [{ name: "http", port: 80 }] },
    });
    const over = { udp: askDatagram, tcp: askStream };
    for (const transport of ["udp", "tcp"] as const)
      await vi.waitFor(async () => {
        const answer = await over[transport](dns.port, query("web.default.svc.cluster.local"));
        expect(answer?.answers.map(({ data }) => data)).toEqual([address(10, 0, 0, 77)]);
      });
  });

  it("ends a stream that brings no whole question, however busy it is", async () => {
    const clock = new FakeClock();
    const answer = async () => undefined;
    const onError = () => undefined;
    const listener = await DnsListener.listen({ address: HOME, port: 0, clock, answer, mayAsk: () => true, onError });
    const slow = connect(listener.port, HOME).on("error", () => undefined);
    const ended = new Promise((resolve) => slow.on("close", resolve));
    await vi.waitFor(() => expect(clock.waiting).toBe(1));
    slow.write(Buffer.of(0));
    await clock.advance(9_000);
    slow.write(Buffer.of(9));
    await clock.advance(1_000);
    await ended;
    const greedy = connect(listener.port, HOME, () => greedy.write(Buffer.of(0xff, 0xff)));
    greedy.on("error", () => undefined);
    await new Promise((resolve) => greedy.on("close", resolve));
    listener.close();
  });

  it("does not speak to strangers", async () => {
    isKnown = false;
    try {
      expect(await askStream(dns.port, query("web.default.svc.cluster.local"))).toBeUndefined();
    } finally {
      isKnown = true;
    }
  });
});

function askDatagram(port: number, message: Message): Promise<Message | undefined> {
  return new Promise((resolve, reject) => {
    const socket = createSocket("udp4");
    socket.on("error", reject);
    socket.on("message", (bytes) => {
      socket.close();
      resolve(readMessage(bytes));
    });
    socket.send(bytesOf(message), port, HOME);
  });
}

function askStream(port: number, message: Message): Promise<Message | undefined> {
  return new Promise((resolve) => {
    const frames = new FramedMessages();
    const socket = connect(port, HOME, () => socket.write(framed(bytesOf(message))));
    socket.on("data", (piece: Buffer) => {
      for (const bytes of frames.take(piece)) {
        socket.destroy();
        resolve(readMessage(bytes));
      }
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(undefined));
  });
}
