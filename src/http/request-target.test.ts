import { describe, expect, it } from "vitest";
import { headProblem, MAX_HEADER_LINES, type RequestHead, requestTarget } from "./request-target.ts";

const lines = (...names: string[]): string[] => names.flatMap((name) => [name, "x"]);

const head = (more: Partial<RequestHead>): RequestHead => ({
  url: "/",
  httpVersionMajor: 1,
  httpVersionMinor: 1,
  rawHeaders: lines("Host"),
  ...more,
});

describe("headProblem", () => {
  it.each<[string, Partial<RequestHead>]>([
    ["a plain request", {}],
    ["a host in any case", { rawHeaders: lines("hOST") }],
    ["no host in HTTP/1.0", { httpVersionMinor: 0, rawHeaders: [] }],
    ["no host in HTTP/2", { httpVersionMajor: 2, httpVersionMinor: 0, rawHeaders: lines(":authority") }],
    ["as many lines as there may be", { rawHeaders: lines("Host", ...Array(MAX_HEADER_LINES - 1).fill("a")) }],
    ["a body in pieces", { rawHeaders: [...lines("Host"), "transfer-encoding", "Chunked"] }],
    ["a long query", { url: `/a?${"b".repeat(100_000)}` }],
  ])("lets %s pass", (_what, more) => {
    expect(headProblem(head(more))).toBeUndefined();
  });

  it.each<[string, number, Partial<RequestHead>]>([
    ["no host", 400, { rawHeaders: [] }],
    ["two hosts", 400, { rawHeaders: lines("Host", "HOST") }],
    ["two hosts in HTTP/2", 400, { httpVersionMajor: 2, rawHeaders: lines("host", "host") }],
    ["one line too many", 431, { rawHeaders: lines("Host", ...Array(MAX_HEADER_LINES).fill("a")) }],
    ["a path that is too long", 414, { url: `/${"a".repeat(20_000)}?b` }],
    ["a query that is too long", 414, { url: `/?${"a".repeat(200_000)}` }],
    ["a coding that nobody knows", 501, { rawHeaders: [...lines("Host"), "Transfer-Encoding", "xchunked"] }],
    ["two codings", 501, { rawHeaders: [...lines("Host"), "Transfer-Encoding", "gzip, chunked"] }],
    [
      "two lines of codings",
      501,
      { rawHeaders: [...lines("Host"), ...Array(2).fill(["Transfer-Encoding", "chunked"]).flat()] },
    ],
    ["a target without a slash", 400, { url: "a/b" }],
    ["a target that is no URL", 400, { url: "mailto:somebody" }],
  ])("refuses %s with %d", (_what, status, more) => {
    expect(headProblem(head(more))?.status).toBe(status);
  });
});

describe("requestTarget", () => {
  it.each([
    ["/a/b?c=d", "/a/b?c=d"],
    ["//a//b", "//a//b"],
    ["https://host:6443/a?b", "/a?b"],
    ["HTTP://host", "/"],
    ["https://host?a", "/?a"],
    ["*", "*"],
    [Buffer.from("/ä?ö").toString("latin1"), "/ä?ö"],
    ["", undefined],
    ["host:443", undefined],
  ])("reads %j as %j", (sent, path) => {
    expect(requestTarget(sent)).toBe(path);
  });
});
