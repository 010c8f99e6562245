// Files that a local server hands out: those of its folder, and no others.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveFile } from "./static-files.ts";

const outside = mkdtempSync(join(tmpdir(), "plinth-files-"));
const folder = join(outside, "www");
let server: Server;
beforeAll(async () => {
  mkdirSync(join(folder, "sub", "empty"), { recursive: true });
  writeFileSync(join(outside, "secret.txt"), "secret");
  writeFileSync(join(outside, "www-other"), "secret");
  writeFileSync(join(folder, "a b.html"), "<p>");
  writeFileSync(join(folder, "sub", "index.html"), "index");
  symlinkSync(join(outside, "secret.txt"), join(folder, "link.txt"));
  symlinkSync(join(folder, "sub"), join(folder, "same"));
  server = createServer((request, response) => {
    const { method = "GET", url = "/" } = request;
    if (!serveFile(folder, url.slice(1), method, response)) response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.close();
  rmSync(outside, { recursive: true });
});

const ask = async (path: string, method = "GET") => {
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`, { method });
  return [answer.status, answer.headers.get("content-type"), await answer.text()];
};

describe("files of a folder", () => {
  it.each<[string, string, string]>([
    ["a%20b.html", "text/html; charset=utf-8", "<p>"],
    ["sub", "text/html; charset=utf-8", "index"],
    ["same/index.html", "text/html; charset=utf-8", "index"],
  ])("are served: %s", async (path, type, text) => {
    expect(await ask(path)).toEqual([200, type, text]);
    expect(await ask(path, "HEAD")).toEqual([200, type, ""]);
  });

  it.each([
    "none",
    "sub/empty",
    "link.txt",
    "%2e%2e/secret.txt",
    "..%2fsecret.txt",
    "sub%2f..%2f..%2fsecret.txt",
    "..%2fwww-other",
    "%00",
    "%zz",
  ])("are none that are elsewhere or nowhere: %s", async (path) => {
    const [status, , text] = await ask(path);
    expect([status, text]).toEqual([404, ""]);
  });
});
