import { expect, it } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { namesFor } from "../../meta/names.ts";
import { connectCri } from "../cri/cri-client.ts";
import { FakeRuntime } from "../cri/fake-runtime.testing.ts";
import { RuntimeView } from "./runtime-view.ts";

const names = namesFor("platform");

async function viewOf(uid: string) {
  const runtime = await FakeRuntime.start();
  const cri = connectCri({ runtimeSocket: runtime.socket, timeoutMs: 5_000, clock: systemClock });
  const labels = { [names.runtimePodUid]: uid, [names.runtimeContainerName]: "main" };
  const config = { metadata: { name: "p", namespace: "default", uid, attempt: 0 }, labels };
  const { podSandboxId } = await cri.runPodSandbox({ config });
  const container = { metadata: { name: "main" }, labels };
  const { containerId } = await cri.createContainer({ podSandboxId, config: container, sandboxConfig: config });
  await cri.startContainer({ containerId });
  const close = () => {
    cri.close();
    runtime.close();
  };
  return {
    runtime,
    cri,
    containerId,
    close,
    view: new RuntimeView({ cri, names, nodeIps: [], messageOf: async () => "", onError: () => {} }),
  };
}

it("tells of a pod once, and again when its container has ended", async () => {
  const { runtime, view, containerId, close } = await viewOf("u");
  expect([...(await view.relist())]).toEqual(["u"]);
  const seen = view.pod("u");
  for (let round = 0; round < 3; round += 1) expect([...(await view.relist())]).toEqual([]);
  expect(view.pod("u")).toBe(seen);
  runtime.exit(containerId, 3);
  expect([...(await view.relist())]).toEqual(["u"]);
  expect(view.pod("u")?.containers[0]).toMatchObject({ state: "exited", exitCode: 3 });
  close();
});

it("learns of an end also where an older answer about the pod comes in after the news", async () => {
  const { runtime, cri, containerId, close } = await viewOf("u");
  const answered: (() => void)[] = [];
  const slow: typeof cri.containerStatus = async (request, options) => {
    const answer = await cri.containerStatus(request, options);
    await new Promise<void>((resolve) => answered.push(resolve));
    return answer;
  };
  let isSlow = true;
  const view = new RuntimeView({
    cri: { ...cri, containerStatus: (...asked) => (isSlow ? slow : cri.containerStatus)(...asked) },
    names,
    nodeIps: [],
    messageOf: async () => "",
    onError: () => {},
  });
  const refreshed = view.refresh("u");
  await expect.poll(() => answered.length).toBe(1);
  isSlow = false;
  runtime.exit(containerId, 3);
  await view.relist();
  for (const answer of answered) answer();
  await refreshed;
  expect(view.pod("u")?.containers[0]?.state).toBe("running");
  expect([...(await view.relist())]).toEqual(["u"]);
  expect(view.pod("u")?.containers[0]?.state).toBe("exited");
  close();
});

it("tells of all other pods while the runtime is in trouble with one, and of that one afterwards", async () => {
  const { runtime, cri, containerId, close } = await viewOf("u");
  const labels = { [names.runtimePodUid]: "v" };
  await cri.runPodSandbox({ config: { metadata: { name: "q", namespace: "default", uid: "v", attempt: 0 }, labels } });
  const problems: string[] = [];
  const view = new RuntimeView({
    ...{ cri, names, nodeIps: [], messageOf: async () => "" },
    onError: (error, uid) => problems.push(`${uid}: ${(error as Error).message}`),
  });
  runtime.overrides.containerStatus = () => {
    throw new Error(`the shim of ${containerId} is gone`);
  };
  for (let round = 1; round <= 2; round += 1) {
    expect([...(await view.relist())]).toEqual(round === 1 ? ["v"] : []);
    expect(problems).toHaveLength(round);
  }
  expect(problems[0]).toContain("u: the shim of");
  delete runtime.overrides.containerStatus;
  expect([...(await view.relist())]).toEqual(["u"]);
  expect(view.pod("u")?.containers).toHaveLength(1);
  close();
});

it("has one address of each family, that of the node's own first, in whatever order the runtime tells them", async () => {
  const { runtime, cri, close } = await viewOf("u");
  runtime.overrides.podSandboxStatus = () => ({
    status: {
      id: "s",
      state: "SANDBOX_READY",
      createdAt: 0,
      labels: {},
      annotations: {},
      runtimeHandler: "",
      network: { ip: "2001:db8::1", additionalIps: [{ ip: "2001:db8::2" }, { ip: "192.0.2.1" }] },
    },
  });
  const view = new RuntimeView({ cri, names, nodeIps: [], messageOf: async () => "", onError: () => {} });
  await view.relist();
  expect(view.pod("u")?.sandboxes[0]?.ips).toEqual(["192.0.2.1", "2001:db8::1"]);
  close();
});
