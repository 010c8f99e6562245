// Requirements: document 3, "Node-agent checkpoint endpoint": every answer of its table.

import { existsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { GrpcError } from "../grpc/grpc-error.ts";
import { ADMIN, jsonOf, READER, startTestServer, type TestServer, textOf } from "./agent-server.testing.ts";
import { archiveName } from "./checkpoint.ts";

let server: TestServer;
afterEach(() => server.close());

const PATH = "/checkpoint/team/web/main";
const post = (url = PATH, headers: Readonly<Record<string, string>> = ADMIN) =>
  server.ask({ method: "POST", url, headers });
const asked = () => server.runtime.requests("checkpointContainer");

describe("a checkpoint", () => {
  it("is an archive below the root folder, which is closed to others", async () => {
    server = await startTestServer();
    const answer = await post();
    expect(answer.status).toBe(200);
    const [location] = (jsonOf(answer) as { items: string[] }).items;
    expect(asked()).toEqual([{ containerId: server.containerId, location, timeout: 0 }]);
    expect(dirname(location!)).toBe(join(server.folder, "checkpoints"));
    expect(basename(location!)).toMatch(/^checkpoint-web_team-main-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\.tar$/);
    expect(existsSync(location!)).toBe(true);
    expect(statSync(dirname(location!)).mode & 0o077).toBe(0);
  });

  it("has a name that tells pod, container and time", () => {
    const nowMs = Date.parse("2030-01-02T03:04:05Z");
    expect(archiveName({ namespace: "n", pod: "p", container: "c", nowMs })).toBe(
      "checkpoint-p_n-c-2030-01-02T03:04:05.000Z.tar",
    );
  });

  it.each([
    ["", 0],
    ["?timeout=", 0],
    ["?timeout=0", 0],
    ["?timeout=300", 300],
  ])("with %j gives the runtime %d seconds", async (query, timeout) => {
    server = await startTestServer();
    expect((await post(`${PATH}${query}`)).status).toBe(200);
    expect(asked()[0]?.timeout).toBe(timeout);
  });

  it.each(["?timeout=soon", "?timeout=-1", "?timeout=1.5"])("with %j is refused", async (query) => {
    server = await startTestServer();
    expect([(await post(`${PATH}${query}`)).status, asked().length]).toEqual([404, 0]);
  });

  it.each([
    ["an unknown namespace", "/checkpoint/other/web/main"],
    ["an unknown pod", "/checkpoint/team/other/main"],
    ["an unknown container", "/checkpoint/team/web/other"],
    ["a container that was never started", "/checkpoint/team/web/later"],
    ["a path that lacks a part", "/checkpoint/team/web"],
  ])("of %s is 404", async (_what, url) => {
    server = await startTestServer();
    expect([(await post(url)).status, asked().length]).toEqual([404, 0]);
  });

  it("is 404 when the gate is off, also for what is there", async () => {
    server = await startTestServer({ featureGates: { ContainerCheckpoint: false } });
    expect([(await post()).status, asked().length]).toEqual([404, 0]);
  });

  it.each([
    ["fails", new GrpcError("Internal", "criu failed")],
    ["cannot do it", new GrpcError("Unimplemented", "method CheckpointContainer not implemented")],
  ])("is 500 when the runtime %s, with its words", async (_what, error) => {
    server = await startTestServer();
    server.runtime.overrides.checkpointContainer = () => {
      throw error;
    };
    const answer = await post();
    expect([answer.status, textOf(answer)]).toEqual([
      500,
      `checkpointing of team/web/main failed (${error.message})\n`,
    ]);
    delete server.runtime.overrides.checkpointContainer;
    expect((await post()).status).toBe(200);
  });

  it("is 401 for nobody and 403 for those who may not", async () => {
    server = await startTestServer();
    expect((await post(PATH, {})).status).toBe(401);
    expect((await post(PATH, READER)).status).toBe(403);
    expect(server.api.questions).toEqual(["reader create nodes/checkpoint node-1"]);
    expect(asked()).toEqual([]);
  });

  it("is not made by GET", async () => {
    server = await startTestServer();
    expect([(await server.get(PATH)).status, asked().length]).toEqual([405, 0]);
  });
});
