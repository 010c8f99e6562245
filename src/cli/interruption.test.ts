// The user who has had enough of a server that never answers, or never comes to an end.

import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTlsServer, type TlsServer } from "../http/tls-server.testing.ts";
import { type CliServer, startCliServer } from "./cli.testing.ts";
import { CliError } from "./flags.ts";

let real: CliServer;
let hostile: TlsServer;
let interruption: AbortController;
let answer: (request: IncomingMessage, response: ServerResponse) => unknown;

beforeAll(async () => {
  real = await startCliServer("kubernetes");
  hostile = await startTlsServer((request, response) => answer(request, response));
});
afterAll(async () => {
  await hostile.close();
  await real.close();
});
beforeEach(() => {
  interruption = new AbortController();
});

const run = (line: string, onOutput: () => void = () => undefined) =>
  real.run(`--server https://127.0.0.1:${hostile.port} --insecure-skip-tls-verify ${line}`, "", {
    interrupted: interruption.signal,
    onOutput,
  });
const ENOUGH = new CliError("interrupted");
const ENDED = { code: 1, out: "", err: "error: interrupted\n" };

/** What a server serves, as a real one says it. */
async function discovered(url: string, accept: string, response: ServerResponse): Promise<void> {
  const { text } = await real.call("GET", url, undefined, { accept });
  response.setHeader("content-type", accept.split(",")[0]!);
  response.end(text);
}

describe("an interruption", () => {
  it.each([
    "get pods",
    "get pod/a pod/b",
    "describe pod a",
    "delete pods --all",
    "version",
    "explain pod",
    "logs a",
    "exec a -- ls",
    "port-forward a :80",
    "cp a:/b c",
    "wait pod/a --for=delete",
    "auth can-i get pods",
    "get --raw /x",
  ])("ends what waits for a server: %s", async (line) => {
    answer = () => interruption.abort(ENOUGH);
    expect(await run(line)).toEqual(ENDED);
  });

  it("ends a wait for what never comes", async () => {
    const object = JSON.stringify({ metadata: { name: "a" }, spec: { replicas: 1 }, status: {} });
    answer = async ({ url = "", headers: { accept = "" } }, response) => {
      if (!url.includes("/deployments/a")) return discovered(url, accept, response);
      response.setHeader("content-type", "application/json");
      response.end(object);
    };
    // What it waits for is said before the wait.
    const onOutput = () => queueMicrotask(() => interruption.abort(ENOUGH));
    expect(await run("rollout status deploy/a", onOutput)).toMatchObject({ code: 1, err: ENDED.err });
  });

  it("ends a list without end", async () => {
    let pages = 0;
    const page = JSON.stringify({ kind: "List", apiVersion: "v1", metadata: { continue: "more" }, items: [] });
    answer = async ({ url = "", headers: { accept = "" } }, response) => {
      const isPage = url.includes("/pods");
      if (isPage) pages += 1;
      if (pages === 10) interruption.abort(ENOUGH);
      if (!isPage) return discovered(url, accept, response);
      response.setHeader("content-type", "application/json");
      response.end(page);
    };
    expect(await run("get pods -o json")).toEqual(ENDED);
  });
});
