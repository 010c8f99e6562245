// A container runtime for tests: real procedures on a real unix socket, its state in memory, its failures on demand.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GrpcError } from "../grpc/grpc-error.ts";
import { type AnsweredProcedure, answers, GrpcServer } from "../grpc/grpc-server.ts";
import type { Read, Write } from "../grpc/message.ts";
import type { Method } from "../grpc/method.ts";
import type { containerStatus } from "./container-messages.ts";
import { imageProcedures, runtimeProcedures } from "./procedures.ts";
import type { createContainerRequest, statusResponse } from "./runtime-messages.ts";
import type { runPodSandboxRequest } from "./sandbox-messages.ts";

const procedures = { ...runtimeProcedures, ...imageProcedures };
type Procedures = typeof procedures;

type Answering<M> =
  M extends Method<infer _, infer Request, infer _, infer Response>
    ? (request: Request) => Response | Promise<Response>
    : never;

type Answers = { [Name in keyof Procedures]: Answering<Procedures[Name]> };

interface FakeSandbox {
  readonly id: string;
  readonly config: NonNullable<Read<typeof runPodSandboxRequest>["config"]>;
  readonly runtimeHandler: string;
  readonly createdAt: number;
  readonly ip: string;
  state: "SANDBOX_READY" | "SANDBOX_NOTREADY";
}

interface FakeContainer {
  readonly id: string;
  readonly podSandboxId: string;
  readonly config: NonNullable<Read<typeof createContainerRequest>["config"]>;
  readonly createdAt: number;
  state: Read<typeof containerStatus>["state"];
  startedAt: number;
  finishedAt: number;
  exitCode: number;
  reason: string;
}

export class FakeRuntime {
  readonly dir = mkdtempSync(join(tmpdir(), "plinth-cri-"));
  readonly socket = join(this.dir, "cri.sock");
  readonly sandboxes = new Map<string, FakeSandbox>();
  readonly containers = new Map<string, FakeContainer>();
  /** By the name that they were pulled by. */
  readonly images = new Map<string, { readonly id: string; readonly size: number }>();
  /** Every call, in order. */
  readonly calls: { readonly method: keyof Procedures; readonly request: unknown }[] = [];
  /** What the next calls answer instead: set one to play a failure or another answer. */
  readonly overrides: Partial<Answers> = {};
  status: Write<typeof statusResponse> = {
    status: {
      conditions: [
        { type: "RuntimeReady", status: true },
        { type: "NetworkReady", status: true },
      ],
    },
    runtimeHandlers: [{ name: "", features: { recursiveReadOnlyMounts: true, userNamespaces: true } }],
    features: { supplementalGroupsPolicy: true },
  };
  /** The runtime's clock; what is made later is younger all the same. */
  nowMs: () => number = () => 1_700_000_000_000;
  #server: GrpcServer | undefined;
  #lastId = 0;
  #lastTimeNs = 0;

  static async start(): Promise<FakeRuntime> {
    const runtime = new FakeRuntime();
    await runtime.listen();
    return runtime;
  }

  get endpoint(): string {
    return `unix://${this.socket}`;
  }

  /** What a procedure was called with so far. */
  requests<Name extends keyof Procedures>(name: Name): Parameters<Answers[Name]>[0][] {
    return this.calls.filter(({ method }) => method === name).map(({ request }) => request as never);
  }

  /** A container ends by itself. */
  exit(containerId: string, exitCode = 0): void {
    const container = this.containers.get(containerId);
    if (container === undefined || container.state === "CONTAINER_EXITED") return;
    Object.assign(container, {
      state: "CONTAINER_EXITED",
      exitCode,
      finishedAt: this.#now(),
      reason: exitCode === 0 ? "Completed" : "Error",
    });
  }

  /** The containers of a pod by their name, oldest first. */
  containersOf(podName: string, containerName: string): FakeContainer[] {
    return [...this.containers.values()].filter(
      ({ config, podSandboxId }) =>
        config.metadata?.name === containerName && this.sandboxes.get(podSandboxId)?.config.metadata?.name === podName,
    );
  }

  async listen(): Promise<void> {
    const table = Object.keys(procedures) as (keyof Procedures)[];
    this.#server = await GrpcServer.listen(
      this.socket,
      table.map((name) => this.#answer(name)),
    );
  }

  /** Nobody listens until `listen` is called again; sandboxes and containers stay. */
  hangUp(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  close(): void {
    this.hangUp();
    rmSync(this.dir, { recursive: true, force: true });
  }

  #answer(name: keyof Procedures): AnsweredProcedure {
    return answers(procedures[name] as unknown as Method<never, unknown, unknown, unknown>, (request) => {
      this.calls.push({ method: name, request });
      const run = (this.overrides[name] ?? this.#answers[name]) as (request: unknown) => unknown;
      return run(request);
    });
  }

  /** Strictly rising, so that what is made later is younger. */
  #now(): number {
    this.#lastTimeNs = Math.max(this.nowMs() * 1e6, this.#lastTimeNs + 1_000_000);
    return this.#lastTimeNs;
  }

  #newId(kind: string): string {
    this.#lastId += 1;
    return `${kind}${String(this.#lastId).padStart(8, "0")}`;
  }

  #sandbox(id: string): FakeSandbox {
    const sandbox = this.sandboxes.get(id);
    if (sandbox === undefined) throw new GrpcError("NotFound", `sandbox ${id} not found`);
    return sandbox;
  }

  #container(id: string): FakeContainer {
    const container = this.containers.get(id);
    if (container === undefined) throw new GrpcError("NotFound", `container ${id} not found`);
    return container;
  }

  readonly #answers: Answers = {
    version: () => ({ version: "0.1.0", runtimeName: "fake", runtimeVersion: "1.2.3", runtimeApiVersion: "v1" }),
    status: () => this.status,
    runtimeConfig: () => ({ linux: { cgroupDriver: "CGROUPFS" } }),
    updateRuntimeConfig: () => ({}),

    runPodSandbox: ({ config, runtimeHandler }) => {
      const id = this.#newId("s");
      if (config === undefined) throw new GrpcError("InvalidArgument", "no config");
      const ip = `10.88.0.${this.sandboxes.size + 2}`;
      const state = "SANDBOX_READY" as const;
      this.sandboxes.set(id, { id, config, runtimeHandler, createdAt: this.#now(), ip, state });
      return { podSandboxId: id };
    },
    stopPodSandbox: ({ podSandboxId }) => {
      const sandbox = this.sandboxes.get(podSandboxId);
      if (sandbox !== undefined) sandbox.state = "SANDBOX_NOTREADY";
      for (const container of this.containers.values())
        if (container.podSandboxId === podSandboxId) this.exit(container.id, 137);
      return {};
    },
    removePodSandbox: ({ podSandboxId }) => {
      this.sandboxes.delete(podSandboxId);
      for (const container of [...this.containers.values()])
        if (container.podSandboxId === podSandboxId) this.containers.delete(container.id);
      return {};
    },
    podSandboxStatus: ({ podSandboxId }) => {
      const { id, config, state, createdAt, ip, runtimeHandler } = this.#sandbox(podSandboxId);
      const namespaces = config.linux?.securityContext?.namespaceOptions;
      const network = { ip: namespaces?.network === "NODE" ? "" : ip };
      const { metadata, labels, annotations } = config;
      const linux = { namespaces: { options: namespaces } };
      return { status: { id, metadata, state, createdAt, network, linux, labels, annotations, runtimeHandler } };
    },
    listPodSandbox: ({ filter }) => ({
      items: [...this.sandboxes.values()]
        .filter(
          ({ id, state, config }) =>
            (!filter?.id || id === filter.id) &&
            (filter?.state === undefined || state === filter.state.state) &&
            hasLabels(config.labels, filter?.labelSelector),
        )
        .map(({ id, config, state, createdAt, runtimeHandler }) => {
          const { metadata, labels, annotations } = config;
          return { id, metadata, state, createdAt, labels, annotations, runtimeHandler };
        }),
    }),
    updatePodSandboxResources: () => ({}),

    createContainer: ({ podSandboxId, config }) => {
      this.#sandbox(podSandboxId);
      if (config === undefined) throw new GrpcError("InvalidArgument", "no config");
      const seccomp = config.linux?.securityContext?.seccomp;
      if (seccomp?.profileType === "Localhost" && !existsSync(seccomp.localhostRef))
        throw new GrpcError("Unknown", `cannot load seccomp profile "${seccomp.localhostRef}": no such file`);
      const id = this.#newId("c");
      const times = { createdAt: this.#now(), startedAt: 0, finishedAt: 0 };
      this.containers.set(id, {
        id,
        podSandboxId,
        config,
        state: "CONTAINER_CREATED",
        exitCode: 0,
        reason: "",
        ...times,
      });
      return { containerId: id };
    },
    startContainer: ({ containerId }) => {
      Object.assign(this.#container(containerId), { state: "CONTAINER_RUNNING", startedAt: this.#now() });
      return {};
    },
    stopContainer: ({ containerId }) => {
      this.exit(this.#container(containerId).id, 143);
      return {};
    },
    removeContainer: ({ containerId }) => {
      this.containers.delete(containerId);
      return {};
    },
    listContainers: ({ filter }) => ({
      containers: [...this.containers.values()]
        .filter(
          ({ id, podSandboxId, state, config }) =>
            (!filter?.id || id === filter.id) &&
            (!filter?.podSandboxId || podSandboxId === filter.podSandboxId) &&
            (filter?.state === undefined || state === filter.state.state) &&
            hasLabels(config.labels, filter?.labelSelector),
        )
        .map(({ id, podSandboxId, config, state, createdAt }) => {
          const { metadata, image, labels, annotations } = config;
          const imageRef = image?.image ?? "";
          return {
            id,
            podSandboxId,
            metadata,
            image,
            imageRef,
            imageId: imageRef,
            state,
            createdAt,
            labels,
            annotations,
          };
        }),
    }),
    containerStatus: ({ containerId }) => {
      const { config, podSandboxId, ...container } = this.#container(containerId);
      const { metadata, image, labels, annotations, mounts, logPath } = config;
      const imageId = this.images.get(image?.image ?? "")?.id ?? "";
      // The answer has the path as the sandbox's folder and the container's own part of it.
      const folder = this.sandboxes.get(podSandboxId)?.config.logDirectory ?? "";
      const path = logPath === "" ? "" : join(folder, logPath);
      const imageRef = image?.image ?? "";
      return {
        status: { ...container, metadata, image, imageRef, imageId, labels, annotations, mounts, logPath: path },
      };
    },
    updateContainerResources: () => ({}),
    reopenContainerLog: () => ({}),
    checkpointContainer: ({ containerId, location }) => {
      this.#container(containerId);
      writeFileSync(location, Buffer.alloc(1024), { mode: 0o600 });
      return {};
    },

    execSync: () => ({ exitCode: 0 }),
    exec: () => unimplemented("Exec"),
    attach: () => unimplemented("Attach"),
    portForward: () => unimplemented("PortForward"),

    containerStats: () => ({}),
    listContainerStats: () => ({}),
    podSandboxStats: () => ({}),
    listPodSandboxStats: () => ({}),

    listImages: () => ({
      images: [...this.images].map(([name, { id, size }]) => ({ id, size, repoTags: [name], spec: { image: name } })),
    }),
    imageStatus: ({ image }) => {
      const wanted = image?.image ?? "";
      const found = [...this.images].find(([name, { id }]) => name === wanted || id === wanted);
      return found === undefined ? {} : { image: { ...found[1], repoTags: [found[0]] } };
    },
    pullImage: ({ image }) => {
      const name = image?.image ?? "";
      const id = `sha256:${Buffer.from(name).toString("hex")}`;
      this.images.set(name, { id, size: 1_000_000 });
      return { imageRef: id };
    },
    removeImage: ({ image }) => {
      this.images.delete(image?.image ?? "");
      return {};
    },
    imageFsInfo: () => ({
      imageFilesystems: [{ timestamp: this.#now(), fsId: { mountpoint: this.dir }, usedBytes: { value: 1000 } }],
    }),
  };
}

function hasLabels(labels: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

function unimplemented(name: string): never {
  throw new GrpcError("Unimplemented", `method ${name} not implemented`);
}
