// The agent's endpoints for tests: a runtime behind a real socket, one pod in it, and an API server that knows two callers.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { silentLog } from "../../base/log.ts";
import { Metrics } from "../../base/metrics.ts";
import { Client } from "../../client/client.ts";
import { ScriptedBody } from "../../client/scripted-transport.testing.ts";
import type { ApiRequest, ApiResponse, ApiSocket, Transport } from "../../client/transport.ts";
import { callInProcess, type InProcessAnswer } from "../../http/in-process.testing.ts";
import type { InProcessRequest } from "../../http/in-process.ts";
import type { ReceivedRequest } from "../../http/message.ts";
import type { Handler } from "../../http/pipeline.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { healthMetrics } from "../../meta/health-metrics.ts";
import { namesFor } from "../../meta/names.ts";
import { loadConfiguration } from "../config/load-configuration.ts";
import type { FoundContainer, PodRunner } from "../context.ts";
import { type CriClient, connectCri } from "../cri/cri-client.ts";
import { FakeRuntime } from "../cri/fake-runtime.testing.ts";
import { machineFacts } from "../node/machine.testing.ts";
import { agentPaths } from "../paths.ts";
import { ProbeTotals } from "../probes/probe-totals.ts";
import { agentHandler, type EndpointOptions } from "./agent-server.ts";
import { measuredChecks } from "./health.ts";

export const ADMIN = { authorization: "Bearer admin-token" };
export const READER = { authorization: "Bearer reader-token" };

/** Answers reviews: who has which token, and what of a node each may do. */
class ReviewingTransport implements Transport {
  /** "user verb subresource" of every question about access. */
  readonly questions: string[] = [];
  tokenReviews = 0;
  isDown = false;
  readonly #users: Readonly<Record<string, string>> = { "admin-token": "admin", "reader-token": "reader" };
  /** What the reader may do: "get pods". */
  readonly allowed = new Set<string>();

  async request(request: ApiRequest): Promise<ApiResponse> {
    if (this.isDown) throw new Error("connection refused");
    const { spec } = JSON.parse(Buffer.from(request.body ?? []).toString()) as { spec: JsonObject };
    return answer(request.path.includes("tokenreviews") ? this.#review(spec) : this.#decide(spec));
  }

  connect(): Promise<ApiSocket> {
    return Promise.reject(new Error("no sockets here"));
  }

  async close(): Promise<void> {}

  #review({ token }: JsonObject): object {
    this.tokenReviews += 1;
    const username = this.#users[String(token)];
    if (username === undefined) return { spec: {}, status: { error: "unknown token" } };
    return { spec: {}, status: { authenticated: true, user: { username, groups: ["system:authenticated"] } } };
  }

  #decide({ user, resourceAttributes }: JsonObject): object {
    const { verb, subresource, resource, name } = resourceAttributes as Record<string, string>;
    this.questions.push(`${String(user)} ${verb} ${resource}/${subresource} ${name}`);
    return { spec: {}, status: { allowed: user === "admin" || this.allowed.has(`${verb} ${subresource}`) } };
  }
}

function answer(value: object): ApiResponse {
  const body = new ScriptedBody().write(JSON.stringify(value)).end();
  return {
    status: 201,
    headers: new Map(),
    warnings: [],
    stream: () => body.read(undefined),
    async bytes() {
      const pieces: Uint8Array[] = [];
      for await (const piece of body.read(undefined)) pieces.push(piece);
      return Buffer.concat(pieces);
    },
  };
}

export interface TestServer {
  readonly runtime: FakeRuntime;
  readonly cri: CriClient;
  readonly api: ReviewingTransport;
  readonly folder: string;
  readonly options: EndpointOptions;
  readonly handler: Handler<ReceivedRequest>;
  readonly sandboxId: string;
  readonly containerId: string;
  ask(request: InProcessRequest): Promise<InProcessAnswer>;
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<InProcessAnswer>;
  close(): Promise<void>;
}

/** Runs pod `web` in namespace `team` with the container `main`; `later` is declared and was never started. */
export async function startTestServer(
  flags: JsonObject = {},
  more: { readonly clock?: Clock; readonly problem?: () => string | undefined } = {},
): Promise<TestServer> {
  const { clock = systemClock } = more;
  const runtime = await FakeRuntime.start();
  const folder = mkdtempSync(join(tmpdir(), "plinth-agent-"));
  const cri = connectCri({ runtimeSocket: runtime.socket, timeoutMs: 10_000, clock });
  const { podSandboxId } = await cri.runPodSandbox({
    config: { metadata: { name: "web", namespace: "team", uid: "u-1" }, logDirectory: folder },
  });
  const { containerId } = await cri.createContainer({
    podSandboxId,
    config: { metadata: { name: "main" }, image: { image: "example.com/web:1" }, logPath: "main/0.log" },
  });
  await cri.startContainer({ containerId });
  const api = new ReviewingTransport();
  const loaded = loadConfiguration({ dialect: "platform", flags });
  const outcomes = healthMetrics(namesFor("platform"));
  const options: EndpointOptions = {
    context: {
      client: new Client({ transport: api, dialect: "platform", clock }),
      cri,
      config: loaded.configuration,
      gates: loaded.gates,
      names: namesFor("platform"),
      clock,
      log: silentLog,
      metrics: new Metrics({ release: "1.34" }),
      probeTotals: new ProbeTotals(),
      nodeName: "node-1",
      paths: agentPaths({ rootDir: folder, certDir: join(folder, "pki") }),
    },
    runner: runnerOf(podSandboxId, containerId),
    checks: measuredChecks({ ping: () => undefined, syncloop: () => more.problem?.() }, outcomes.onResult),
    outcomes: outcomes.metrics,
    measure: async () => machineFacts(),
    shownConfig: loaded.shown,
  };
  const handler = agentHandler(options);
  return {
    runtime,
    cri,
    api,
    folder,
    options,
    handler,
    sandboxId: podSandboxId,
    containerId,
    ask: (request) => callInProcess(handler, request),
    get: (url, headers = ADMIN) => callInProcess(handler, { method: "GET", url, headers }),
    async close() {
      await options.context.client.close();
      cri.close();
      runtime.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const VOLUME = {
  claim: "data",
  bytes: 600,
  inodes: 3,
  capacityBytes: 1_000,
  availableBytes: 400,
  capacityInodes: 10,
  freeInodes: 7,
};

function runnerOf(
  sandboxId: string,
  containerId: string,
): Pick<PodRunner, "pods" | "volumes" | "findContainer" | "findSandbox"> {
  const pod = {
    metadata: { name: "web", namespace: "team", uid: "u-1" },
    spec: {
      containers: [{ name: "main" }, { name: "later" }],
      nodeName: "node-1",
      volumes: [{ name: "d", persistentVolumeClaim: { claimName: "data" } }],
    },
    status: {
      phase: "Running",
      containerStatuses: [{ name: "later", state: { waiting: { reason: "ImagePullBackOff" } } }],
    },
  } as unknown as Pod;
  return {
    pods: () => [pod],
    volumes: async () => new Map([["d", VOLUME]]),
    findSandbox: (namespace, name) => (namespace === "team" && name === "web" ? sandboxId : undefined),
    findContainer({ namespace, pod: name, container, previous }): FoundContainer {
      if (namespace !== "team" || name !== "web") return { found: "nothing" };
      if (container !== "main" || previous)
        return { found: "pod", pod, declared: ["main", "later"].includes(container) };
      return { found: "container", pod, containerId };
    },
  };
}

export const textOf = ({ body }: InProcessAnswer): string => Buffer.from(body).toString("utf8");
export const jsonOf = (answered: InProcessAnswer): unknown => JSON.parse(textOf(answered)) as unknown;
