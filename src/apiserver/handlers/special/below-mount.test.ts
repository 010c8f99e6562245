import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerBelow, linkBelow } from "./below-mount.ts";

const MOUNT = { path: "/ns/a/proxy", hosts: ["10.0.0.1:80", "api:6443"] };

describe("a link of the other side", () => {
  it.each([
    ["/x?q#f", "/ns/a/proxy/x?q#f"],
    ["/", "/ns/a/proxy/"],
    ["x/y", "x/y"],
    ["?q", "?q"],
    ["", ""],
    ["mailto:a@b", "mailto:a@b"],
    ["/ns/a/proxy/x", "/ns/a/proxy/x"],
    ["/ns/a/proxyx", "/ns/a/proxy/ns/a/proxyx"],
    ["http://10.0.0.1:80/x", "/ns/a/proxy/x"],
    ["https://api:6443/x", "https://api:6443/ns/a/proxy/x"],
    ["//api:6443/ns/a/proxy/x", "//api:6443/ns/a/proxy/x"],
    ["//elsewhere/x", "//elsewhere/x"],
    ["https://elsewhere/x", "https://elsewhere/x"],
    ["http://10.0.0.1:80", "http://10.0.0.1:80"],
  ])("%s becomes %s", (link, below) => {
    expect(linkBelow(link, MOUNT)).toBe(below);
  });
});

describe("an answer of the other side", () => {
  let server: Server;
  let answer: (response: ServerResponse) => void;
  beforeAll(async () => {
    server = createServer((_request, response) => answer(response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  async function answered(
    headers: Record<string, string>,
    body: string | Buffer,
    { method = "GET", status = 200 } = {},
  ) {
    answer = (response) => response.writeHead(status, headers).end(body);
    const { port } = server.address() as AddressInfo;
    const received = await new Promise<IncomingMessage>((resolve, reject) =>
      request({ host: "127.0.0.1", port, method, agent: false }, resolve).once("error", reject).end(),
    );
    const response = answerBelow(received, { ...MOUNT, headOnly: method === "HEAD" });
    const pieces: Uint8Array[] = [];
    const writer = {
      write: (piece: Uint8Array) => pieces.push(piece) > 0,
      drained: async () => undefined,
      queuedBytes: 0,
      chunkBytes: 1_000,
      signal: new AbortController().signal,
    };
    if (response.body !== undefined && "stream" in response.body) await response.body.stream(writer);
    return { headers: response.headers, body: Buffer.concat(pieces) };
  }

  const page = '<a href="/x">\u00e9</a>';
  const below = '<a href="/ns/a/proxy/x">\u00e9</a>';
  it.each([
    ["as it is", {}, Buffer.from(page)],
    ["packed with gzip", { "content-encoding": "gzip" }, gzipSync(page)],
    ["packed with deflate", { "content-encoding": "deflate" }, deflateSync(page)],
  ])("is a page with links, %s", async (_what, headers: Record<string, string>, body) => {
    const got = await answered({ "content-type": "text/html; charset=utf-8", ...headers }, body);
    expect([got.body.toString(), got.headers["content-encoding"]]).toEqual([below, undefined]);
  });

  it("passes as it is where it is no page, or packed in a way that is not known", async () => {
    expect((await answered({ "content-type": "text/plain" }, page)).body.toString()).toBe(page);
    const odd = await answered({ "content-type": "text/html", "content-encoding": "br" }, page);
    expect([odd.body.toString(), odd.headers["content-encoding"]]).toEqual([page, "br"]);
  });

  it.each([{ method: "HEAD" }, { status: 304 }])("has no page to change where it has no body: %j", async (asked) => {
    const headers = { "content-type": "text/html", "content-encoding": "gzip" };
    const got = await answered(headers, "", asked);
    expect([got.body.length, got.headers["content-encoding"]]).toEqual([0, "gzip"]);
  });

  it("fails where what is packed is broken", async () => {
    const headers = { "content-type": "text/html", "content-encoding": "gzip" };
    await expect(answered(headers, page)).rejects.toThrow();
  });
});
