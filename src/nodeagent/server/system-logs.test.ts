import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { callInProcess } from "../../http/in-process.testing.ts";
import { textOf } from "./agent-server.testing.ts";
import { routeTable } from "./routes.ts";
import { systemLogsEndpoint } from "./system-logs.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-logs-"));
  mkdirSync(join(folder, "log/pods"), { recursive: true });
  writeFileSync(join(folder, "log/syslog"), "one\ntwo\n");
  writeFileSync(join(folder, "log/pods/a<b"), "x");
  writeFileSync(join(folder, "secret"), "hidden");
  symlinkSync(join(folder, "secret"), join(folder, "log/out"));
  symlinkSync("syslog", join(folder, "log/in"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ask = async (url: string) => {
  const serve = systemLogsEndpoint(join(folder, "log"));
  const handle = routeTable([{ methods: ["GET"], pattern: "/logs/{path...}", serve }]);
  const answer = await callInProcess(async (request) => await handle(request), { method: "GET", url });
  return [answer.status, textOf(answer)];
};

it.each([
  ["a file", "/logs/syslog", 200, "one\ntwo\n"],
  ["a link that stays inside", "/logs/in", 200, "one\ntwo\n"],
  ["a link that leads out", "/logs/out", 404, "404 page not found\n"],
  ["a path that leads out", "/logs/..%2Fsecret", 404, "404 page not found\n"],
  ["what is not there", "/logs/none", 404, "404 page not found\n"],
])("of the machine's logs shows %s", async (_, url, status, text) => {
  expect(await ask(url)).toEqual([status, text]);
});

it("of the machine's logs lists folders", async () => {
  expect((await ask("/logs/"))[1]).toContain('<a href="./pods/">pods/</a>');
  expect((await ask("/logs/pods"))[1]).toContain('<a href="./a%3Cb">a&lt;b</a>');
});
