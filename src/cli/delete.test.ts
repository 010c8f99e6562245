// What goes between the list that found it and its deletion.

import { afterAll, beforeAll, expect, it } from "vitest";
import { startTlsServer, type TlsServer } from "../http/tls-server.testing.ts";
import { type CliServer, startCliServer } from "./cli.testing.ts";

let real: CliServer;
/** Lists two, of which the second goes with the first. */
let server: TlsServer;
beforeAll(async () => {
  real = await startCliServer("kubernetes");
  server = await startTlsServer(async ({ method = "", url = "", headers: { accept = "" } }, response) => {
    response.setHeader("content-type", "application/json");
    if (!url.includes("/configmaps")) {
      response.setHeader("content-type", accept.split(",")[0]!);
      response.end((await real.call("GET", url, undefined, { accept })).text);
    } else if (method === "GET") {
      const items = ["owner", "owned"].map((name) => ({ metadata: { name, namespace: "default" } }));
      response.end(JSON.stringify({ kind: "List", apiVersion: "v1", metadata: {}, items }));
    } else if (url.includes("owner")) response.end(JSON.stringify({ kind: "Status", status: "Success" }));
    else {
      response.statusCode = 404;
      const status = { kind: "Status", status: "Failure", reason: "NotFound", message: "it is gone", code: 404 };
      response.end(JSON.stringify(status));
    }
  });
});
afterAll(async () => {
  await server.close();
  await real.close();
});

const run = (line: string) =>
  real.run(`--server https://127.0.0.1:${server.port} --insecure-skip-tls-verify --wait=false ${line}`);
const out = 'configmap "owner" deleted from default namespace\n';

it.each(["--all", "-l a=b", "--field-selector metadata.namespace=default"])("is no error with %s", async (flag) => {
  expect(await run(`delete cm ${flag}`)).toEqual({ code: 0, out, err: "" });
});

it.each(["delete cm --all --ignore-not-found=false", "delete cm owner owned"])("is one for %s", async (line) => {
  expect(await run(line)).toEqual({ code: 1, out, err: "Error from server (NotFound): it is gone\n" });
});
