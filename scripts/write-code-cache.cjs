"use strict";
// Starts a server in a folder of its own, and another where one has been before, lets it answer what every server is asked,
// the client command's questions too, and keeps the code that V8 has compiled by then. Run by the build; the process ends
// with it.

const { spawn } = require("node:child_process");
const { once } = require("node:events");
const { mkdtempSync, rmSync, writeFileSync } = require("node:fs");
const { Agent, request } = require("node:https");
const { createServer } = require("node:net");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { writeCodeCache } = require("../bin/load.cjs");

const PROGRAM = join(__dirname, "../bin/plinth");
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
  const tokens = join(folder, "tokens.csv");
  writeFileSync(tokens, `${TOKEN},build,1,"system:masters"\n`);
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const flags = (home, port) => [
    "apiserver",
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--data-dir=${join(folder, home, "data")}`,
    `--cert-dir=${join(folder, home, "pki")}`,
    `--token-auth-file=${tokens}`,
    "--authorization-mode=RBAC",
    // Where there are many cores, workers would be this program, run again from its beginning.
    "--workers=1",
  ];
  const before = await freePort();
  const predecessor = spawn(process.execPath, [PROGRAM, ...flags("old", before)], { stdio: "ignore" });
  await untilReady(agent, before);
  predecessor.kill();
  await once(predecessor, "exit");
  const old = await freePort();
  main(flags("old", old));
  await untilReady(agent, old);
  const port = await freePort();
  main(flags("new", port));
  await untilReady(agent, port);
  const call = (method, path, body) => exchange({ agent, port, method, path }, body);
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, data: { key: "value" } };
  await call("POST", CONFIG_MAPS, object);
  await call("PUT", `${CONFIG_MAPS}/x`, { ...object, data: {} });
  for (const path of [`${CONFIG_MAPS}/x`, CONFIG_MAPS, "/api", "/apis"]) await call("GET", path);
  await call("DELETE", `${CONFIG_MAPS}/x`);
  agent.destroy();
  await writeCodeCache((client) => ask(client, port), CLIENT);
}

async function untilReady(agent, port) {
  const endMs = Date.now() + PATIENCE_MS;
  while ((await exchange({ agent, port, method: "GET", path: "/readyz" }).catch(() => 0)) !== 200) {
    if (Date.now() > endMs) throw new Error("the server did not get ready");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
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
