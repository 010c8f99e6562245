import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { GrpcError } from "../grpc/grpc-error.ts";
import { type CriClient, connectCri } from "./cri-client.ts";
import { socketPathOf } from "./endpoint.ts";
import { FakeRuntime } from "./fake-runtime.testing.ts";

let runtime: FakeRuntime;
let cri: CriClient;

beforeEach(async () => {
  runtime = await FakeRuntime.start();
  cri = connectCri({ runtimeSocket: runtime.socket, timeoutMs: 5_000, clock: systemClock });
});

afterEach(() => {
  cri.close();
  runtime.close();
});

describe("the client of a container runtime", () => {
  it("asks for the version", async () => {
    expect(await cri.version({ version: "v1" })).toEqual({
      version: "0.1.0",
      runtimeName: "fake",
      runtimeVersion: "1.2.3",
      runtimeApiVersion: "v1",
    });
  });

  it("carries every sort of field there and back", async () => {
    const config = {
      metadata: { name: "p", uid: "u", namespace: "n", attempt: 3 },
      labels: { a: "1", constructor: "2" },
      portMappings: [{ protocol: "UDP", containerPort: 53, hostPort: 5353 }],
      linux: {
        sysctls: { "net.ipv4.tcp_syncookies": "1" },
        resources: { cpuQuota: -1, memoryLimitInBytes: 2 ** 40, oomScoreAdj: -997 },
        securityContext: {
          runAsUser: { value: 0 },
          supplementalGroups: [1, 4_000_000_000],
          namespaceOptions: {
            network: "NODE",
            pid: "CONTAINER",
            usernsOptions: { mode: "POD", uids: [{ hostId: 65536, containerId: 0, length: 65536 }] },
          },
        },
      },
    } as const;
    const { podSandboxId } = await cri.runPodSandbox({ config, runtimeHandler: "kata" });
    expect(runtime.requests("runPodSandbox")).toMatchObject([{ config, runtimeHandler: "kata" }]);
    const { status } = await cri.podSandboxStatus({ podSandboxId });
    expect(status).toMatchObject({ state: "SANDBOX_READY", labels: config.labels, network: { ip: "" } });
    expect(status?.createdAt).toBe(runtime.sandboxes.get(podSandboxId)?.createdAt);
  });

  it("tells of every call how long it took and whether it failed", async () => {
    const calls: string[] = [];
    const watched = connectCri({
      runtimeSocket: runtime.socket,
      timeoutMs: 5_000,
      clock: systemClock,
      onCall: (procedure, seconds, hasFailed) => void calls.push(`${procedure} ${seconds >= 0} ${hasFailed}`),
    });
    await watched.listContainers({});
    await expect(watched.containerStatus({ containerId: "none" })).rejects.toThrow();
    watched.close();
    expect(calls).toEqual(["listContainers true false", "containerStatus true true"]);
  });

  it("tells a message that is not there from an empty one", async () => {
    await cri.listContainers({});
    await cri.listContainers({ filter: { state: {} } });
    const filters = runtime.requests("listContainers").map(({ filter }) => filter?.state);
    expect(filters).toEqual([undefined, { state: "CONTAINER_CREATED" }]);
  });

  it("carries bytes that are no text", async () => {
    const { podSandboxId } = await cri.runPodSandbox({ config: {} });
    const value = Buffer.from([0xff, 0x00, 0xfe]);
    await cri.createContainer({ podSandboxId, config: { envs: [{ key: "RAW", value }] } });
    expect(Buffer.from(runtime.requests("createContainer")[0]!.config!.envs[0]!.value)).toEqual(value);
  });

  it("fails with the code and the words of the runtime", async () => {
    await expect(cri.containerStatus({ containerId: "none" })).rejects.toMatchObject({
      code: "NotFound",
      message: "container none not found",
    });
    runtime.overrides.pullImage = () => {
      throw new GrpcError("Unknown", "no such host");
    };
    await expect(cri.pullImage({ image: { image: "x" } })).rejects.toMatchObject({
      code: "Unknown",
      message: "no such host",
    });
  });

  it("fails when a call takes longer than it may", async () => {
    runtime.overrides.execSync = () => new Promise(() => undefined);
    await expect(cri.execSync({ containerId: "c" }, { timeoutMs: 20 })).rejects.toMatchObject({
      code: "DeadlineExceeded",
    });
  });

  it("fails with the reason of the signal when the caller gives up", async () => {
    const stop = new AbortController();
    runtime.overrides.execSync = () => {
      stop.abort(new Error("given up"));
      return new Promise(() => undefined);
    };
    await expect(cri.execSync({ containerId: "c" }, { signal: stop.signal })).rejects.toThrow("given up");
    await expect(cri.version({}, { signal: stop.signal })).rejects.toThrow("given up");
  });

  it("fails while nobody listens and connects again by itself", async () => {
    await cri.version({});
    runtime.hangUp();
    await expect.poll(() => outcome(cri.version({}))).toBe("Unavailable");
    await runtime.listen();
    await expect.poll(() => outcome(cri.version({})), { timeout: 10_000 }).toBe("ok");
  });

  it("says that a stream is not there", async () => {
    const events = cri.containerEvents();
    await expect(events.next()).rejects.toMatchObject({ code: "Unimplemented" });
  });
});

describe("an endpoint", () => {
  it.each([
    ["unix:///run/containerd/containerd.sock", "/run/containerd/containerd.sock"],
    ["/run/crio/crio.sock", "/run/crio/crio.sock"],
    ["tcp://127.0.0.1:1234", undefined],
    ["unix://relative.sock", undefined],
    ["", undefined],
  ])("%j is the socket %j", (endpoint, path) => {
    expect(socketPathOf(endpoint)).toBe(path);
  });
});

async function outcome(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "ok";
  } catch (error) {
    return error instanceof GrpcError ? error.code : String(error);
  }
}
