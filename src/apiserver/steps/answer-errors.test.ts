// What clients, the log and the audit log are told while the store does not answer.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Log, silentLog } from "../../base/log.ts";
import { MemoryEngine } from "../../storage/memory-engine.ts";
import { StorageError } from "../../storage/storage-error.ts";
import { type ServerInProcess, serverInProcess } from "../server.testing.ts";

const NS = "/api/v1/namespaces/default";
const POLICY = { apiVersion: "audit.k8s.io/v1", kind: "Policy", rules: [{ level: "Metadata" }] };

/** As one of another machine: what it knows has to be asked for. */
class FarEngine extends MemoryEngine {
  isGone = false;

  override get newestKnown(): undefined {
    return undefined;
  }

  override currentRevision() {
    this.#ask();
    return super.currentRevision();
  }

  override async get(key: string, revision?: number) {
    this.#ask();
    return super.get(key, revision);
  }

  override async list(...asked: Parameters<MemoryEngine["list"]>) {
    this.#ask();
    return super.list(...asked);
  }

  #ask(): void {
    if (this.isGone) throw new StorageError("Unavailable", "the store does not answer");
  }
}

let folder: string;
let server: ServerInProcess;
let engine: FarEngine;
let failures: string[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "answer-errors-"));
  const policy = join(folder, "policy.json");
  writeFileSync(policy, JSON.stringify(POLICY));
  engine = new FarEngine();
  failures = [];
  const log: Log = { ...silentLog, error: (_, message) => void failures.push(message), child: () => log };
  server = await serverInProcess({
    engine,
    flags: [`--audit-policy-file=${policy}`, `--audit-log-path=${join(folder, "audit.log")}`],
    deps: { log },
  });
  await server.call("POST", `${NS}/configmaps`, { metadata: { name: "a" } });
});
afterEach(async () => {
  engine.isGone = false;
  await server.close();
  rmSync(folder, { recursive: true });
});

const POD = { metadata: { name: "p" } };

it.each<[method: string, path: string, body?: object]>([
  ["GET", "configmaps/a"],
  ["GET", "configmaps"],
  ["GET", "configmaps?watch=1"],
  ["GET", "podtemplates?watch=1&resourceVersion=0"],
  ["PATCH", "configmaps/a", { data: { x: "y" } }],
  ["POST", "configmaps?dryRun=All", { metadata: { name: "b" } }],
  ["DELETE", "configmaps/a"],
  ["DELETE", "configmaps"],
  ["POST", "pods/p/eviction", POD],
  ["POST", "pods/p/binding", { ...POD, target: { name: "n" } }],
  ["GET", "pods/p/log"],
  ["POST", "serviceaccounts/default/token", {}],
  ["GET", "services/s/proxy"],
])("a %s of %s is to be sent again, and is no failure of the server", async (method, path, body) => {
  engine.isGone = true;
  const { status, headers } = await server.call(method, `${NS}/${path}`, body);
  expect([status, headers["retry-after"]]).toEqual([503, "1"]);
  expect(failures.filter((message) => message.includes("request"))).toEqual([]);
  const events = readFileSync(join(folder, "audit.log"), "utf8").trim().split("\n");
  expect(JSON.parse(events.at(-1)!)).toMatchObject({ stage: "ResponseComplete", responseStatus: { code: 503 } });
});
