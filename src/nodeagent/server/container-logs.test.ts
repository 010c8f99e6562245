import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { collector } from "../../http/in-process.testing.ts";
import { inProcessRequest } from "../../http/in-process.ts";
import { isStreamBody } from "../../http/message.ts";
import { ADMIN, startTestServer, type TestServer, textOf } from "./agent-server.testing.ts";

let server: TestServer;
let file: string;
const line = (second: number, text: string, tag = "F", stream = "stdout") =>
  `2030-01-01T00:00:${String(second).padStart(2, "0")}.000000001Z ${stream} ${tag} ${text}\n`;

beforeEach(async () => {
  server = await startTestServer();
  file = join(server.folder, "main/0.log");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    [line(1, "one"), line(2, "tw", "P"), line(2, "o"), line(3, "oops", "F", "stderr"), line(4, "")].join(""),
  );
});
afterEach(() => server.close());

const logs = async (query = "") => textOf(await server.get(`/containerLogs/team/web/main${query}`));

describe("the logs of a container", () => {
  it.each([
    ["are what it wrote, pieces joined", "", "one\ntwo\noops\n\n"],
    ["may have times", "?timestamps=true&tailLines=1", "2030-01-01T00:00:04.000000001Z \n"],
    ["may be the last lines", "?tailLines=2", "oops\n\n"],
    ["may be none", "?tailLines=0", ""],
    ["may be more lines than there are", "?tailLines=100", "one\ntwo\noops\n\n"],
    ["may be limited", "?limitBytes=5", "one\nt"],
    ["may begin at a time", "?sinceTime=2030-01-01T00:00:03Z", "oops\n\n"],
    ["may be of one stream", "?stream=Stderr", "oops\n"],
  ])("%s", async (_title, query, text) => {
    expect(await logs(query)).toBe(text);
  });

  it.each([
    ["?tailLines=-1", 422],
    ["?tailLines=x", 400],
    ["?sinceSeconds=0", 422],
    ["?sinceSeconds=5&sinceTime=2030-01-01T00:00:03Z", 422],
    ["?stream=Both", 422],
    ["?previous=true", 400],
  ])("are refused for %s with %d", async (query, status) => {
    expect((await server.get(`/containerLogs/team/web/main${query}`)).status).toBe(status);
  });

  it.each([
    ["/containerLogs/team/other/main", 404],
    ["/containerLogs/team/web/other", 404],
    ["/containerLogs/team/web/later", 400],
  ])("are not there at %s: %d", async (url, status) => {
    expect((await server.get(url)).status).toBe(status);
  });

  it("are refused with the reason for which there are none", async () => {
    const refusal = async (path: string) => textOf(await server.get(`/containerLogs/team/web/${path}`)).trim();
    expect(await refusal("later")).toBe(
      'container "later" in pod "web" is waiting to start: trying and failing to pull image',
    );
    expect(await refusal("nosuch")).toBe('container "nosuch" not found in pod "web"');
    expect(await refusal("main?previous=true")).toBe('previous terminated container "main" in pod "web" not found');
  });

  it.each(["timestamps", "timestamps=", "timestamps=f"])(
    "have what the query does not say no to: %s",
    async (query) => {
      expect(await logs(`?tailLines=1&${query}`)).toMatch(/^\d{4}-/);
    },
  );

  it("are refused when the file is not there, or is a pipe", async () => {
    rmSync(file);
    expect((await server.get("/containerLogs/team/web/main")).status).toBe(400);
    execFileSync("mkfifo", [file]);
    expect((await server.get("/containerLogs/team/web/main?follow=true")).status).toBe(400);
  });

  it("find the last lines of a file that is larger than a chunk", async () => {
    const many = Array.from({ length: 5_000 }, (_each, index) => line(5, `line ${index} ${"x".repeat(40)}`));
    writeFileSync(file, many.join(""));
    expect((await logs("?tailLines=3000")).split("\n").length - 1).toBe(3_000);
    expect(await logs("?tailLines=1")).toBe(`line 4999 ${"x".repeat(40)}\n`);
  });

  it("go on as they are written, over a rotation, until the container ends", async () => {
    const request = inProcessRequest({
      method: "GET",
      url: "/containerLogs/team/web/main?follow=true&tailLines=1",
      headers: ADMIN,
    });
    const { body } = await server.handler(request);
    let text = "";
    if (body === undefined || !isStreamBody(body)) throw new Error("no stream");
    const ended = body.stream(
      collector(request.signal, (chunk) => {
        text += Buffer.from(chunk).toString();
      }),
    );
    await expect.poll(() => text).toBe("\n");
    appendFileSync(file, line(6, "six"));
    await expect.poll(() => text).toBe("\nsix\n");
    appendFileSync(file, line(7, "before"));
    renameSync(file, `${file}.1`);
    writeFileSync(file, line(8, "after"));
    await expect.poll(() => text, { timeout: 5_000 }).toBe("\nsix\nbefore\nafter\n");
    appendFileSync(file, line(9, "last"));
    server.runtime.exit(server.containerId);
    await ended;
    expect(text).toBe("\nsix\nbefore\nafter\nlast\n");
  });
});
