"use strict";
// Starts a server once, in a folder of its own, lets it answer what every server is asked, the client command's questions
// too, and keeps the code that V8 has compiled by then. Run by the build; the process ends with it.

const { mkdtempSync, rmSync, writeFileSync } = require("node:fs");
const { Agent, request } = require("node:https");
const { createServer } = require("node:net");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { writeCodeCache } = require("../bin/load.cjs");

const CLIENT = join(__dirname, "../dist/pctl.cjs");
const TOKEN = "code-cache";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
/** Many times what a start takes. */
const PATIENCE_MS = 30_000;

const folder = mkdtempSync(join(tmpdir(), "plinth-build-"));

writeCodeCache(warmUp)
  .then(
    () => 0,
    () => 1,
  )
  .then((code) => {
    rmSync(folder, { recursive: true, force: true });
    // The server is still there.
    process.exit(code);
  });

async function warmUp({ main }) {
  const port = await freePort();
  const tokens = join(folder, "tokens.csv");
  writeFileSync(tokens, `${TOKEN},build,1,"system:masters"\n`);
  main([
    "apiserver",
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--data-dir=${join(folder, "data")}`,
    `--cert-dir=${join(folder, "pki")}`,
    `--token-auth-file=${tokens}`,
    "--authorization-mode=RBAC",
  ]);
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const call = (method, path, body) => exchange({ agent, port, method, path }, body);
  const endMs = Date.now() + PATIENCE_MS;
  while ((await call("GET", "/readyz").catch(() => 0)) !== 200) {
    if (Date.now() > endMs) throw new Error("the server did not get ready");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, data: { key: "value" } };
  await call("POST", CONFIG_MAPS, object);
  await call("PUT", `${CONFIG_MAPS}/x`, { ...object, data: {} });
  for (const path of [`${CONFIG_MAPS}/x`, CONFIG_MAPS, "/api", "/apis"]) await call("GET", path);
  await call("DELETE", `${CONFIG_MAPS}/x`);
  agent.destroy();
  await writeCodeCache((client) => ask(client, port), CLIENT);
}

/** Nothing of the machine's own configuration is read. */
function ask({ main }, port) {
  process.env.KUBECONFIG = join(folder, "none");
  const server = [`--server=https://127.0.0.1:${port}`, `--token=${TOKEN}`, "--insecure-skip-tls-verify"];
  return main(["get", "namespaces", ...server, `--cache-dir=${join(folder, "cache")}`]);
}

function exchange(options, body) {
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, host: "127.0.0.1", headers }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode));
    });
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
