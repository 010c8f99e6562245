import { describe, expect, it } from "vitest";
import { kinds } from "../built-in-kinds.ts";
import { ResourceClient } from "../resource-client.ts";
import { failure, ScriptedBody, ScriptedTransport } from "../scripted-transport.testing.ts";

const { configMaps } = kinds.core.v1;
const map = (name: string, resourceVersion = "1") => ({
  metadata: { name, namespace: "ns", uid: name, resourceVersion },
});
const page = (token: string | undefined, ...items: object[]) => ({
  json: { items, metadata: { resourceVersion: "5", ...(token === undefined ? {} : { continue: token }) } },
});
const expired = (fresh: string) => {
  const { status, json } = failure(410, "Expired");
  return { status, json: { ...json, metadata: { continue: fresh } } };
};

const maps = (transport: ScriptedTransport, namespace?: string) =>
  new ResourceClient({ transport }).resource(configMaps, namespace);

async function namesOf(transport: ScriptedTransport, onExpired?: "restart" | "continue"): Promise<string[]> {
  const seen: string[] = [];
  for await (const { items, restarted } of maps(transport, "ns").pages({
    pageSize: 1,
    onExpired,
    labelSelector: "a=b",
  })) {
    if (restarted) seen.push("restarted");
    for (const { metadata } of items) seen.push(metadata.name);
  }
  return seen;
}

describe("pages whose version is forgotten on the way", () => {
  it("fail unless told otherwise", async () => {
    const transport = new ScriptedTransport([page("t1", map("a")), expired("t2")]);
    await expect(namesOf(transport)).rejects.toMatchObject({ code: 410 });
  });

  it("begin again when told to, all at once, and say so", async () => {
    const answers = [page("t1", map("a")), expired("t2"), page(undefined, map("a2"), map("b"))];
    const transport = new ScriptedTransport(answers);
    expect(await namesOf(transport, "restart")).toEqual(["a", "restarted", "a2", "b"]);
    expect(transport.asked(1).query).toMatchObject({ continue: "t1", limit: "1" });
    expect(transport.asked(2).query).toEqual({ labelSelector: "a=b" });
  });

  it("go on with what there is now when told to", async () => {
    const transport = new ScriptedTransport([page("t1", map("a")), expired("t2"), page(undefined, map("b"))]);
    expect(await namesOf(transport, "continue")).toEqual(["a", "b"]);
    expect(transport.asked(2).query["continue"]).toBe("t2");
  });
});

describe("a client that is told what it has written", () => {
  it("hears of every write and of those below objects, and of no dry run and nothing that it has read", async () => {
    const answers = ["1", "2", "3", "4", "5", "6", "7"].map((version) => ({ json: map("a", version) }));
    const written: unknown[] = [];
    const client = new ResourceClient({
      transport: new ScriptedTransport(answers),
      onWritten: (object) => written.push((object as ReturnType<typeof map>).metadata.resourceVersion),
    });
    const resource = client.resource(configMaps, "ns");
    await resource.create(map("a"));
    await resource.get("a");
    await resource.update(map("a"), { dryRun: true });
    await resource.update(map("a"));
    await resource.patch("a", { merge: {} });
    await resource.apply(map("a"));
    await resource.status.patch("a", { merge: {} });
    expect(written).toEqual(["1", "4", "5", "6", "7"]);
  });
});

describe("an answer that nobody reads", () => {
  const unread = { answer: "unread" } as const;

  it("is taken off the connection and not decoded", async () => {
    const broken = () => new ScriptedBody().write("{").end();
    const bodies = Array.from({ length: 5 }, broken);
    const resource = maps(new ScriptedTransport(bodies), "ns");
    const written = await Promise.all([
      resource.create(map("a"), unread),
      resource.update(map("a"), unread),
      resource.patch("a", { merge: { data: {} } }, unread),
      resource.apply(map("a"), unread),
      resource.status.patch("a", { merge: {} }, unread),
    ]);
    expect(written).toEqual(Array(5).fill(undefined));
  });

  it("is a failure all the same where it is one", async () => {
    const resource = maps(new ScriptedTransport([failure(409, "Conflict")]), "ns");
    await expect(resource.update(map("a"), unread)).rejects.toMatchObject({ code: 409 });
  });
});

describe("a resource", () => {
  it.each([
    ["a name without a namespace", (all: ReturnType<typeof maps>) => all.get("a")],
    ["an object without a namespace", (all: ReturnType<typeof maps>) => all.create({ metadata: { name: "a" } })],
    [
      "an empty name, which is the whole collection",
      (all: ReturnType<typeof maps>) => all.delete({ namespace: "ns", name: "" }),
    ],
    ["a name that leads elsewhere", (all: ReturnType<typeof maps>) => all.get({ namespace: "ns", name: ".." })],
    ["an object without a name", (all: ReturnType<typeof maps>) => all.update({ metadata: { namespace: "ns" } })],
  ])("refuses %s before anything is sent", async (_, ask) => {
    const transport = new ScriptedTransport([]);
    await expect(ask(maps(transport))).rejects.toThrow();
    expect(transport.requests).toEqual([]);
  });

  it("refuses objects of other namespaces than its own", async () => {
    await expect(maps(new ScriptedTransport([]), "ns").get({ namespace: "other", name: "a" })).rejects.toThrow(
      "not of other",
    );
  });

  it("spells hostile names so that they stay names", async () => {
    const transport = new ScriptedTransport([{ json: map("x") }]);
    await maps(transport).get({ namespace: "n/s", name: "a/../b?c#d" });
    expect(transport.requests[0]!.path).toBe("/api/v1/namespaces/n%2Fs/configmaps/a%2F..%2Fb%3Fc%23d");
  });

  it("writes a modification again after a conflict, and nothing that has not changed", async () => {
    const transport = new ScriptedTransport([
      { json: { ...map("a"), data: { n: "1" } } },
      failure(409, "Conflict"),
      { json: { ...map("a", "2"), data: { n: "5" } } },
      { json: { ...map("a", "3"), data: { n: "6" } } },
      { json: { ...map("a", "3"), data: { n: "6" } } },
    ]);
    const add = (object: { data?: Record<string, string> }) => {
      object.data = { n: String(Math.min(6, Number(object.data?.["n"]) + 1)) };
    };
    const resource = maps(transport, "ns");
    expect((await resource.modify("a", add)).data).toEqual({ n: "6" });
    expect(JSON.parse(Buffer.from(transport.requests[3]!.body as Uint8Array).toString())).toMatchObject({
      metadata: { resourceVersion: "2" },
      data: { n: "6" },
    });
    await resource.modify("a", add);
    expect(transport.requests.map(({ method }) => method)).toEqual(["GET", "PUT", "GET", "PUT", "GET"]);
  });

  it("gives a modification up after so many conflicts", async () => {
    const answers = Array.from({ length: 4 }, (_, index) =>
      index % 2 === 0 ? { json: map("a") } : failure(409, "Conflict"),
    );
    const transport = new ScriptedTransport(answers);
    const change = (object: { data?: Record<string, string> }) => {
      object.data = { a: "b" };
    };
    await expect(maps(transport, "ns").modify("a", change, { maxAttempts: 2 })).rejects.toMatchObject({ code: 409 });
    expect(transport.requests).toHaveLength(4);
  });

  it("says in deletes what must be true, and nothing where nothing was asked for", async () => {
    const transport = new ScriptedTransport([{ json: {} }, { json: {} }]);
    const resource = maps(transport, "ns");
    await resource.delete("a");
    await resource.delete("a", { preconditions: { uid: "u" }, propagationPolicy: "Foreground", dryRun: true });
    expect(transport.requests[0]!.body).toBeUndefined();
    expect(transport.asked(1).query).toEqual({ dryRun: "All" });
    expect(JSON.parse(Buffer.from(transport.requests[1]!.body as Uint8Array).toString())).toEqual({
      kind: "DeleteOptions",
      apiVersion: "v1",
      propagationPolicy: "Foreground",
      preconditions: { uid: "u" },
    });
  });

  it("asks for nothing but metadata where nothing else is wanted, and says whose it is", async () => {
    const partial = { ...map("a"), kind: "PartialObjectMetadata", apiVersion: "meta/v1" };
    const transport = new ScriptedTransport([{ json: partial }, page(undefined, partial)]);
    const named = { group: "example.com", version: "v1", resource: "widgets", kind: "Widget", metadataOnly: true };
    const resource = new ResourceClient({ transport, dialect: "kubernetes" }).named(named, "ns");
    for (const { kind, apiVersion } of [await resource.get("a"), ...(await resource.list()).items])
      expect([kind, apiVersion]).toEqual(["Widget", "example.com/v1"]);
    expect(transport.requests.map(({ headers }) => headers?.["accept"])).toEqual([
      "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
      "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
    ]);
  });
});
