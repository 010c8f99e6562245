// What is undefined was not given: wherever options stand over defaults, or over those of others.

import { expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { kinds } from "./built-in-kinds.ts";
import { connect } from "./connect.ts";
import { setCondition } from "./controllers/conditions.ts";
import { issue, TestServer } from "./https/https-server.testing.ts";
import { HttpsTransport } from "./https-transport.ts";
import { LeaderElection } from "./leader-election.ts";
import { ResourceClient } from "./resource-client.ts";
import { failure, ScriptedTransport } from "./scripted-transport.testing.ts";
import { SharedInformers } from "./shared-informers.ts";

const object = { metadata: { name: "a", namespace: "ns", uid: "a", resourceVersion: "1" } };

it("keeps what a client has", async () => {
  const transport = new ScriptedTransport([{ json: object }]);
  const client = new ResourceClient({ transport, dialect: "kubernetes", fieldManager: "own" });
  const same = client.with({ transport: undefined, dialect: undefined, fieldManager: undefined });
  expect(same.names).toBe(client.names);
  await same.resource(kinds.core.v1.configMaps, "ns").create(object);
  expect(transport.asked(0).query["fieldManager"]).toBe("own");
});

it("keeps the limits of a transport", async () => {
  const server = await new TestServer(await issue("server", "server", ["127.0.0.1"]), "h2").start();
  const limits = { maxInFlight: undefined, maxBodyBytes: undefined, maxAttempts: undefined };
  const transport = new HttpsTransport({ connection: server.connection(), env: {}, limits });
  try {
    const answer = await transport.request({ method: "GET", path: "/api" });
    expect((await answer.bytes()).length).toBeGreaterThan(0);
  } finally {
    await transport.close();
    await server.stop();
  }
});

it("keeps the times of an election", () => {
  const client = new ResourceClient({ transport: new ScriptedTransport([]) });
  const lease = { client, namespace: "ns", name: "lease", identity: "a" };
  expect(() => new LeaderElection({ ...lease, renewDeadlineMs: undefined, leaseDurationMs: undefined })).not.toThrow();
});

it("keeps who is told of the failures of all informers", async () => {
  const client = new ResourceClient({
    transport: new ScriptedTransport([failure(403, "Forbidden")]),
    clock: new FakeClock(),
  });
  const told = new Promise((resolve) => {
    new SharedInformers(client, { onError: resolve }).of(kinds.core.v1.pods, { onError: undefined }).start();
  });
  expect(await told).toMatchObject({ code: 403 });
});

it("leaves a condition as it would be without", () => {
  const wanted = { type: "Ready", status: "True", reason: "Done" } as const;
  expect(
    Object.keys(setCondition([], { ...wanted, message: undefined, observedGeneration: undefined }, 0)[0]!),
  ).toEqual([...Object.keys(wanted), "message", "lastTransitionTime"]);
});

it("connects with every option of a client, those that are given", async () => {
  const server = await new TestServer(await issue("server", "server", ["127.0.0.1"]), "h2").start();
  const written: unknown[] = [];
  const client = connect({
    server: `https://127.0.0.1:${server.port}`,
    insecureSkipTlsVerify: true,
    env: {},
    homeFolder: "/nowhere",
    context: undefined,
    dialect: undefined,
    userAgent: undefined,
    onWritten: (each) => written.push(each),
  });
  try {
    await client.core.v1.configMaps("ns").create(object);
    expect(written).toHaveLength(1);
  } finally {
    await client.close();
    await server.stop();
  }
});
