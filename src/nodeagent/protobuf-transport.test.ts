import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ClientInProcess, clientInProcess } from "../client/client.testing.ts";
import { Client } from "../client/client.ts";
import { InProcessTransport } from "../client/in-process-transport.ts";
import { SharedInformers } from "../client/shared-informers.ts";
import type { ApiRequest, ApiResponse, Transport } from "../client/transport.ts";
import { node as nodeKind } from "../kinds/core/node.ts";
import { DIALECTS, namesFor } from "../meta/names.ts";
import { ProtobufTransport } from "./protobuf-transport.ts";

describe.each(DIALECTS)("an agent that speaks protobuf, dialect %s", (dialect) => {
  const { protobufMediaType } = namesFor(dialect);
  let api: ClientInProcess;
  let client: Client;
  /** What went over the wire: types of bodies and answers. */
  let sent: (string | undefined)[];
  let answered: (string | undefined)[];

  beforeEach(async () => {
    api = await clientInProcess({ dialect });
    sent = [];
    answered = [];
    const wire = new InProcessTransport({ handler: api.server.handler, headers: { "user-agent": "agent/1" } });
    client = new Client({ transport: new ProtobufTransport(heard(wire), namesFor(dialect)), dialect });
  });
  afterEach(() => api.close());

  function heard(wire: Transport): Transport {
    return {
      async request(request: ApiRequest): Promise<ApiResponse> {
        sent.push(request.body === undefined ? undefined : String(request.headers?.["content-type"]));
        const response = await wire.request(request);
        answered.push(response.headers.get("content-type")?.split(";")[0]);
        return response;
      },
      connect: (request) => wire.connect(request),
      close: () => wire.close(),
    };
  }

  it("writes and reads objects and lists", async () => {
    const labels = { a: "b" };
    const made = await client.core.v1
      .nodes()
      .create({ metadata: { name: "n", labels }, spec: { podCIDR: "10.0.0.0/24" } });
    expect(made).toEqual(await api.client.core.v1.nodes().get("n"));
    expect(await client.core.v1.nodes().get("n")).toEqual(made);
    expect((await client.core.v1.nodes().list()).items).toEqual((await api.client.core.v1.nodes().list()).items);
    expect([sent, answered]).toEqual([
      [protobufMediaType, undefined, undefined],
      [protobufMediaType, protobufMediaType, protobufMediaType],
    ]);
  });

  it("patches in JSON, and understands what went wrong", async () => {
    await client.core.v1.nodes().create({ metadata: { name: "n" } });
    await client.core.v1.nodes().status.patch("n", { merge: { status: { phase: "Running" } } });
    expect((await client.core.v1.nodes().get("n")).status.phase).toBe("Running");
    expect(sent[1]).toBe("application/merge-patch+json");
    expect(await client.core.v1.nodes().find("other")).toBeUndefined();
    await expect(client.core.v1.nodes().create({ metadata: { name: "n" } })).rejects.toMatchObject({
      reason: "AlreadyExists",
    });
    await client.core.v1.nodes().delete("n");
    expect(await api.client.core.v1.nodes().find("n")).toBeUndefined();
  });

  it("asks for tokens of service accounts", async () => {
    await client.core.v1.serviceAccounts("default").create({ metadata: { name: "default" } });
    const { token } = await client.core.v1.serviceAccounts("default").createToken("default", { audiences: ["me"] });
    expect(token).toMatch(/^ey/);
  });

  it("follows changes", async () => {
    const informers = new SharedInformers(client, { onError: (error) => expect.fail(String(error)) });
    const nodes = informers.of(nodeKind);
    informers.start();
    try {
      await expect.poll(() => nodes.synced).toBe(true);
      await api.client.core.v1.nodes().create({ metadata: { name: "n" } });
      await expect.poll(() => nodes.cache.get({ name: "n" })).toBeDefined();
      await api.client.core.v1.nodes().patch("n", { merge: { metadata: { annotations: { a: "ü" } } } });
      await expect.poll(() => nodes.cache.get({ name: "n" })?.metadata.annotations).toEqual({ a: "ü" });
      await api.client.core.v1.nodes().delete("n");
      await expect.poll(() => nodes.cache.get({ name: "n" })).toBeUndefined();
      expect(new Set(answered)).toEqual(new Set([protobufMediaType]));
    } finally {
      informers.stop();
    }
  });
});
