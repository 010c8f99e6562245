// What a write costs, and where: each of five writes within this process, sampled by V8's profiler and shared out among
// the stages of the write path, and the same writes over HTTPS against a server process with its durable store.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { serverInProcess } from "../src/apiserver/server.testing.ts";
import { cpuMs, exchange, type Load, type LoadRequest, load, openSocket, requestOf } from "./load-client.ts";
import { report } from "./report.ts";
import { startServer, TOKEN } from "./server-process.ts";
import { type WriteSample, writeSamples } from "./write-samples.ts";
import { shares, stageReader } from "./write-stages.ts";

const WARM_UP = 3_000;
const MEASURED = 4_000;
const SAMPLE_INTERVAL_US = 100;
const CONNECTIONS = 32;
const HTTPS_ROUND_MS = 2_500;

/** What pods run as: where no controller runs, nobody else makes it. */
const ACCOUNT: LoadRequest = {
  method: "POST",
  path: "/api/v1/namespaces/default/serviceaccounts",
  body: JSON.stringify({ metadata: { name: "default" } }),
};

await inProcess();
await overHttps();

async function inProcess(): Promise<void> {
  const server = await serverInProcess();
  await server.call(ACCOUNT.method, ACCOUNT.path, ACCOUNT.body);
  const stageOf = stageReader(readFileSync(fileURLToPath(import.meta.url), "utf8"));
  for (const sample of writeSamples("default")) {
    const call = async ({ method, path, body, contentType = "" }: LoadRequest) => {
      const { status, text } = await server.call(method, path, body, { "content-type": contentType });
      if (status >= 300) throw new Error(`${sample.name}: ${status} ${text}`);
    };
    const run = async (count: number) => {
      for (let index = 0; index < count; index += 1) await call(sample.next(index % CONNECTIONS));
    };
    for (const request of firstWrites(sample)) await call(request);
    await run(WARM_UP);
    const session = new Session();
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: SAMPLE_INTERVAL_US });
    await session.post("Profiler.start");
    const before = process.cpuUsage();
    await run(MEASURED);
    const { user, system } = process.cpuUsage(before);
    const { profile } = await session.post("Profiler.stop");
    session.disconnect();
    const cpuUs = (user + system) / MEASURED;
    const stages = shares(profile, stageOf).map(([stage, share]) => [`us to ${stage}`, cpuUs * share] as const);
    report(`${sample.name}, in process`, { "us of CPU": cpuUs, ...Object.fromEntries(stages) });
  }
  await server.close();
}

async function overHttps(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "plinth-bench-"));
  const server = await startServer(dir, ["--workers=1", "--dialect=kubernetes"]);
  try {
    for (const sample of writeSamples("default")) {
      const socket = await openSocket(server.port);
      for (const request of [ACCOUNT, ...firstWrites(sample)]) await exchange(socket, requestOf(request, TOKEN));
      socket.destroy();
      await send(server.port, sample);
      const before = cpuMs(server.pid);
      const { perSecond } = await send(server.port, sample);
      const cpuUs = ((cpuMs(server.pid) - before) * 1000) / ((perSecond * HTTPS_ROUND_MS) / 1000);
      report(`${sample.name}, HTTPS, durable`, { "us of CPU": cpuUs, "per second": perSecond });
    }
  } finally {
    server.process.kill("SIGKILL");
    rmSync(dir, { recursive: true, force: true });
  }
}

function firstWrites({ first }: WriteSample): readonly LoadRequest[] {
  return first === undefined ? [] : Array.from({ length: CONNECTIONS }, (_, slot) => first(slot));
}

async function send(port: number, sample: WriteSample): Promise<{ readonly perSecond: number }> {
  const next: Load["next"] = (connection) => sample.next(connection);
  const result = await load({ port, token: TOKEN, connections: CONNECTIONS, durationMs: HTTPS_ROUND_MS, next });
  if (result.failures > 0) throw new Error(`${sample.name}: ${result.failures} writes failed`);
  return result;
}
