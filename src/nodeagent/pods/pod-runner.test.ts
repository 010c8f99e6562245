import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { PlayedBus } from "../shutdown/played-bus.testing.ts";
import { NODE, RunningNode, WIDGET } from "./pod-runner.testing.ts";

let node: RunningNode;
beforeEach(async () => {
  node = await RunningNode.start();
});
afterEach(() => node.close());

const status = (pod: { status: { containerStatuses?: { name: string }[] } }, name = "main") =>
  pod.status.containerStatuses?.find((each) => each.name === name) as Record<string, unknown> | undefined;
const created = (podName: string, name = "main") =>
  node.runtime
    .requests("createContainer")
    .filter(({ config, sandboxConfig }) => sandboxConfig?.metadata?.name === podName && config?.metadata?.name === name)
    .map(({ config }) => config!);

const PULLED = { name: "main", image: "example.com/app:1", imagePullPolicy: "Always" };

/** Deletes a pod that has not started yet. */
async function endsWell(pod: Stored<Pod>): Promise<void> {
  await node.api.client.core.v1.pods("default").delete(pod.metadata.name);
  await node.gone(pod);
  expect((await node.events(pod)).filter((reason) => /fail|backoff/i.test(reason))).toEqual([]);
}

describe("a pod", () => {
  it("stands in a control group of its own, as long as it lives", async () => {
    const pod = await node.run({
      containers: [{ name: "main", image: "example.com/app:1", resources: { requests: { cpu: "1" } } }],
    });
    await node.running(pod);
    const group = `/plinth-${process.pid}/kubepods/burstable/pod${pod.metadata.uid}`;
    expect(node.runtime.requests("runPodSandbox")[0]?.config?.linux?.cgroupParent).toBe(group);
    expect(node.cgroups.get(group)).toMatchObject({ cpuShares: 1024 });
    const shared = `/plinth-${process.pid}/kubepods/burstable`;
    await node.until("the class has its share", () => node.cgroups.get(shared)?.cpuShares === 1024);
    await node.api.client.core.v1.pods("default").delete(pod.metadata.name);
    await node.gone(pod);
    await node.until("the group is gone", () => !node.cgroups.has(group));
  });

  it("is run and told of", async () => {
    const pod = await node.run();
    const running = await node.running(pod);
    const [container] = node.runtime.containersOf(pod.metadata.name, "main");
    expect(running.status).toMatchObject({ podIP: "10.88.0.2", hostIP: "192.0.2.1", qosClass: "BestEffort" });
    expect(status(running)).toMatchObject({
      ready: true,
      started: true,
      restartCount: 0,
      containerID: `fake://${container?.id}`,
    });
    expect(running.status.conditions?.filter(({ status: value }) => value !== "True")).toEqual([]);
    expect(running.status.observedGeneration).toBe(running.metadata.generation);
    expect(await node.events(pod)).toEqual(["Pulling", "Pulled", "Created", "Started"]);
    expect(node.runner.pods().map(({ metadata }) => metadata.uid)).toEqual([pod.metadata.uid]);
    expect(
      node.runner.findContainer({ namespace: "default", pod: pod.metadata.name, container: "main" }),
    ).toMatchObject({ found: "container", containerId: container?.id });
  });

  it("is found by its name while another of that name is still on its way out", async () => {
    const name = "twice";
    const first = await node.run({}, { name });
    await node.running(first);
    // The runtime never gets round to it.
    node.runtime.overrides.stopContainer = () => new Promise(() => undefined);
    await node.api.client.core.v1.pods("default").delete(name, { gracePeriodSeconds: 0 });
    const second = await node.run({}, { name });
    const running = await node.running(second);
    const containerId = `${status(running)?.["containerID"]}`.replace("fake://", "");
    const found = node.runner.findContainer({ namespace: "default", pod: name, container: "main" });
    expect(found).toMatchObject({ found: "container", containerId, pod: { metadata: { uid: second.metadata.uid } } });
  });

  it("that has nothing to do is looked after without a question to the runtime", async () => {
    const pod = await node.run();
    await node.running(pod);
    const count = /^kubelet_pod_worker_duration_seconds_count\{operation_type="sync"\} (\d+)$/m;
    const rounds = async () => Number(count.exec(await node.metrics())?.[1] ?? 0);
    const asked = () => node.runtime.requests("listContainers").filter(({ filter }) => filter !== undefined).length;
    const first = await rounds();
    await node.until("a round that finds nothing to do", async () => (await rounds()) > first);
    const before = { rounds: await rounds(), asked: asked() };
    await node.until("another one", async () => (await rounds()) > before.rounds);
    expect(asked()).toBe(before.asked);
  });

  it("starts again when it ends, the second time after a while, and counts", async () => {
    const pod = await node.run();
    await node.running(pod);
    const exit = (code: number) =>
      node.runtime.exit(node.runtime.containersOf(pod.metadata.name, "main").at(-1)!.id, code);
    exit(3);
    const again = await node.untilPod(pod, "a restart", (now) => status(now)?.["restartCount"] === 1);
    expect(status(again)).toMatchObject({ lastState: { terminated: { exitCode: 3, reason: "Error" } } });
    exit(4);
    const { message } = await node.waiting(pod, "CrashLoopBackOff");
    expect(message).toContain("back-off 10s restarting failed container=main");
    const found = (previous: boolean) =>
      node.runner.findContainer({ namespace: "default", pod: pod.metadata.name, container: "main", previous });
    const runs = () => node.runtime.containersOf(pod.metadata.name, "main").map(({ id }) => id);
    // Whoever asks for the run before the next one means the one that crashed.
    for (const previous of [false, true]) expect(found(previous)).toMatchObject({ containerId: runs()[1] });
    await node.untilPod(pod, "the second restart", (now) => status(now)?.["restartCount"] === 2);
    expect(created(pod.metadata.name).map(({ metadata }) => metadata?.attempt)).toEqual([0, 1, 2]);
    expect([found(true), found(false)]).toMatchObject([{ containerId: runs().at(-2) }, { containerId: runs().at(-1) }]);
    expect(await node.events(pod)).toContain("BackOff");
  });

  it("starts again even if it ends while it is being started", async () => {
    let starts = 0;
    node.runtime.overrides.startContainer = ({ containerId }) => {
      const container = node.runtime.containers.get(containerId)!;
      Object.assign(container, { state: "CONTAINER_RUNNING", startedAt: node.clock.nowMs() * 1e6 });
      starts += 1;
      if (starts === 1) node.runtime.exit(containerId, 1);
      return {};
    };
    const pod = await node.run();
    const startedMs = node.clock.nowMs();
    await node.untilPod(pod, "a restart", (now) => status(now)?.["restartCount"] === 1);
    expect(node.clock.nowMs() - startedMs).toBeLessThan(30_000);
  });

  it.each([
    [0, "Succeeded"],
    [7, "Failed"],
  ])("that may not start again and ends with %d has %s", async (code, phase) => {
    const pod = await node.run({ restartPolicy: "Never" });
    await node.running(pod);
    node.runtime.exit(node.runtime.containersOf(pod.metadata.name, "main")[0]!.id, code);
    await node.untilPod(pod, phase, (now) => now.status.phase === phase);
    await node.until("the sandbox is stopped", () => node.runtime.requests("stopPodSandbox").length > 0);
  });

  it("runs its init containers first, one after the other, and keeps sidecars", async () => {
    const image = "example.com/app:1";
    const pod = await node.run({
      initContainers: [
        { name: "proxy", image, restartPolicy: "Always" },
        { name: "setup", image },
      ],
    });
    const runs = (name: string) => node.runtime.containersOf(pod.metadata.name, name);
    await node.until("setup runs", () => runs("setup")[0]?.state === "CONTAINER_RUNNING");
    expect([runs("proxy").length, runs("main").length]).toEqual([1, 0]);
    expect((await node.pod(pod))?.status.phase).toBe("Pending");
    node.runtime.exit(runs("setup")[0]!.id, 0);
    const running = await node.running(pod);
    expect(running.status.initContainerStatuses?.map(({ ready }) => ready)).toEqual([true, true]);
  });

  it("has its last phase only when its sidecars have ended too", async () => {
    const initContainers = [{ name: "proxy", image: "example.com/app:1", restartPolicy: "Always" as const }];
    const pod = await node.run({ restartPolicy: "Never", initContainers });
    await node.running(pod);
    const asked: string[] = [];
    node.runtime.overrides.stopContainer = ({ containerId }) => {
      asked.push(containerId);
      return {};
    };
    node.runtime.exit(node.runtime.containersOf(pod.metadata.name, "main")[0]!.id, 0);
    await node.until("the sidecar is to end", () => asked.length > 0);
    const meanwhile = await node.untilPod(pod, "main has ended", (now) => status(now)?.["ready"] === false);
    expect(meanwhile.status.phase).toBe("Running");
    expect(meanwhile.status.conditions).toContainEqual(
      expect.objectContaining({ type: "Ready", status: "False", reason: "PodCompleted" }),
    );
    node.runtime.exit(asked[0]!, 0);
    const ended = await node.untilPod(pod, "Succeeded", (now) => now.status.phase === "Succeeded");
    expect(ended.status.initContainerStatuses?.[0]?.state?.terminated).toBeDefined();
  });

  it("gets an ephemeral container", async () => {
    const pod = await node.run();
    await node.running(pod);
    const ephemeralContainers = [{ name: "debug", image: "example.com/app:1", targetContainerName: "main" }];
    await node.api.client.core.v1
      .pods("default")
      .ephemeralContainers.patch(pod.metadata.name, { strategic: { spec: { ephemeralContainers } } });
    await node.untilPod(
      pod,
      "debug runs",
      (now) => now.status.ephemeralContainerStatuses?.[0]?.state.running !== undefined,
    );
    const [debug] = created(pod.metadata.name, "debug");
    expect(debug?.linux?.securityContext?.namespaceOptions?.pid).toBe("TARGET");
  });

  it("is deleted after its containers have stopped, and nothing stays", async () => {
    const pod = await node.run({ volumes: [{ name: "e", emptyDir: {} }] });
    await node.running(pod);
    const directory = join(node.root, "pods", pod.metadata.uid);
    expect(existsSync(directory)).toBe(true);
    await node.api.client.core.v1.pods("default").delete(pod.metadata.name);
    await node.gone(pod);
    expect(node.runtime.requests("stopContainer")).toMatchObject([{ timeout: 5 }]);
    await node.until("it is forgotten", () => node.runner.pods().length === 0);
    expect(existsSync(directory)).toBe(false);
    expect([node.runtime.sandboxes.size, node.runtime.containers.size]).toEqual([0, 0]);
    await node.until(
      "its record is gone",
      () => !readFileSync(join(node.root, "allocated_pods_state"), "utf8").includes(pod.metadata.uid),
    );
  });

  it.each([
    ["its sandbox is made", "runPodSandbox", {}],
    ["its image is pulled", "pullImage", {}],
    ["its first hook runs", "execSync", { lifecycle: { postStart: { exec: { command: ["wait"] } } } }],
  ] as const)("ends at once while %s, and nothing is said to have failed", async (_, method, more) => {
    node.runtime.overrides[method] = () => new Promise<never>(() => undefined);
    const pod = await node.run({ containers: [{ ...PULLED, ...more }] });
    await node.until("it is under way", () => node.runtime.requests(method).length > 0);
    await endsWell(pod);
  });

  it("ends at once while it waits for others to pull their images, and they go on", async () => {
    let pulled = (): void => undefined;
    const pulling = new Promise<void>((resolve) => {
      pulled = resolve;
    });
    node.runtime.overrides.pullImage = async ({ image }) => {
      await pulling;
      node.runtime.images.set(image?.image ?? "", { id: "sha256:1", size: 1 });
      return { imageRef: "sha256:1" };
    };
    const pods = [await node.run({ containers: [PULLED] }), await node.run({ containers: [PULLED] })];
    for (const pod of pods)
      await node.until("both have begun", async () => (await node.pod(pod))?.status.startTime !== undefined);
    await node.until("one pulls", () => node.runtime.requests("pullImage").length > 0);
    await node.clock.advance(1_000);
    const [first] = node.runtime.requests("pullImage").map(({ sandboxConfig }) => sandboxConfig?.metadata?.uid);
    await endsWell(pods.find(({ metadata }) => metadata.uid !== first)!);
    pulled();
    await node.running(pods.find(({ metadata }) => metadata.uid === first)!);
  });

  it("hears of less time to end", async () => {
    const pod = await node.run({ terminationGracePeriodSeconds: 600 });
    await node.running(pod);
    let calls = 0;
    node.runtime.overrides.stopContainer = async ({ containerId, timeout }) => {
      calls += 1;
      if (timeout < 600) node.runtime.exit(containerId, 137);
      // As a runtime does, until the time is over or nobody waits any more.
      else await new Promise(() => undefined);
      return {};
    };
    const pods = node.api.client.core.v1.pods("default");
    await pods.delete(pod.metadata.name);
    await node.until("the first call", () => calls === 1);
    await pods.delete(pod.metadata.name, { gracePeriodSeconds: 2 });
    await node.gone(pod);
    expect(calls).toBe(2);
  });

  it("runs a hook before it stops", async () => {
    const pod = await node.run({
      containers: [
        { name: "main", image: "example.com/app:1", lifecycle: { preStop: { exec: { command: ["bye"] } } } },
      ],
    });
    await node.running(pod);
    await node.api.client.core.v1.pods("default").delete(pod.metadata.name);
    await node.gone(pod);
    const order = node.runtime.calls
      .map(({ method }) => method)
      .filter((method) => method === "execSync" || method === "stopContainer");
    expect(order).toEqual(["execSync", "stopContainer"]);
  });

  it("has the hooks of its sidecars run at once, though they are stopped last", async () => {
    const image = "example.com/app:1";
    const lifecycle = { preStop: { exec: { command: ["bye"] } } };
    const pod = await node.run({ initContainers: [{ name: "proxy", image, restartPolicy: "Always", lifecycle }] });
    await node.running(pod);
    const idOf = (name: string) => node.runtime.containersOf(pod.metadata.name, name)[0]?.id;
    const [main, proxy] = [idOf("main"), idOf("proxy")];
    let mayEnd = () => {};
    const ending = new Promise<void>((resolve) => {
      mayEnd = resolve;
    });
    node.runtime.overrides.stopContainer = async ({ containerId }) => {
      if (containerId === main) await ending;
      node.runtime.exit(containerId, 143);
      return {};
    };
    await node.api.client.core.v1.pods("default").delete(pod.metadata.name);
    await node.until("the hook", () => node.runtime.requests("execSync").some((each) => each.containerId === proxy));
    const stopped = () => node.runtime.requests("stopContainer").map(({ containerId }) => containerId);
    await node.until("the other is stopped", () => stopped().length > 0);
    expect(stopped()).toEqual([main]);
    mayEnd();
    await node.gone(pod);
    expect(stopped()).toEqual([main, proxy]);
  });

  it("has a container whose first hook fails stopped as any other, with its last hook and its time", async () => {
    node.runtime.overrides.execSync = ({ cmd }) => ({ exitCode: cmd[0] === "hello" ? 1 : 0 });
    const hook = (command: string) => ({ exec: { command: [command] } });
    const lifecycle = { postStart: hook("hello"), preStop: hook("bye") };
    const pod = await node.run({ containers: [{ name: "main", image: "example.com/app:1", lifecycle }] });
    await node.until("it is stopped", () => node.runtime.requests("stopContainer").length > 0);
    expect(node.runtime.requests("execSync").map(({ cmd }) => cmd[0])).toEqual(["hello", "bye"]);
    expect(node.runtime.requests("stopContainer")).toMatchObject([{ timeout: 5 }]);
    await node.until("its events", async () => (await node.events(pod)).includes("FailedPostStartHook"));
    expect(await node.reports(pod)).toContain("Killing, spec.containers{main}: FailedPostStartHook");
  });

  it("is ended when its time is over", async () => {
    const pod = await node.run({ activeDeadlineSeconds: 30 });
    const { status: running } = await node.running(pod);
    const failed = await node.untilPod(pod, "failed", (now) => now.status.phase === "Failed");
    expect(failed.status.reason).toBe("DeadlineExceeded");
    // Every pod is looked at again after a minute at the latest; this one must not have so long.
    expect(node.clock.nowMs() - Date.parse(running.startTime!)).toBeLessThan(45_000);
    expect(await node.events(pod)).toContain("DeadlineExceeded");
  });

  it("says of which container its events are, and in a word why an image is not there", async () => {
    const pod = await node.run({
      initContainers: [{ name: "first", image: "example.com/app:1" }],
      containers: [{ name: "main", image: "BAD NAME" }],
    });
    await node.until("the first has started", async () => (await node.events(pod)).includes("Started"));
    expect(await node.reports(pod)).toContain("Started, spec.initContainers{first}: Started container first");
    const other = await node.run({ containers: [{ name: "main", image: "BAD NAME" }] });
    await node.until("it has failed", async () => (await node.events(other)).includes("Failed"));
    expect(await node.reports(other)).toContain("Failed, spec.containers{main}: Error: InvalidImageName");
  });

  it("ends for one that the node cannot do without, which is taken then", async () => {
    const sized = (cpu: string) => [{ name: "main", image: "x", resources: { requests: { cpu } } }];
    const [small, large] = [await node.run({ containers: sized("1") }), await node.run({ containers: sized("3") })];
    await node.running(small);
    await node.running(large);
    const critical = await node.run({ containers: sized("2"), priorityClassName: "system-node-critical" });
    const ended = await node.untilPod(large, "it makes room", (now) => now.status.phase === "Failed");
    expect(ended.status).toMatchObject({
      reason: "Preempting",
      message: "Preempted in order to admit critical pod",
    });
    await node.running(critical);
    expect((await node.pod(small))?.status.phase).toBe("Running");
    expect(await node.events(large)).toContain("Preempting");
  });

  it("is not taken where it does not fit", async () => {
    const pod = await node.run({ containers: [{ name: "main", image: "x", resources: { requests: { cpu: "5" } } }] });
    const failed = await node.untilPod(pod, "failed", (now) => now.status.phase === "Failed");
    expect(failed.status).toMatchObject({
      reason: "OutOfcpu",
      message: expect.stringContaining("Pod was rejected: Node didn't have enough resource: cpu"),
    });
    expect(node.runtime.sandboxes.size).toBe(0);
  });

  it("leaves its place at once where it is deleted by force, however long it takes to end", async () => {
    const containers = [{ name: "main", image: "example.com/app:1", resources: { requests: { cpu: "3" } } }];
    const before = await node.run({ containers });
    await node.running(before);
    let mayStop = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      mayStop = resolve;
    });
    node.runtime.overrides.stopContainer = async () => {
      await held;
      return {};
    };
    await node.api.client.core.v1.pods("default").delete(before.metadata.name, { gracePeriodSeconds: 0 });
    const next = await node.run({ containers });
    await node.running(next);
    expect(node.runtime.containersOf(before.metadata.name, "main")).toHaveLength(1);
    delete node.runtime.overrides.stopContainer;
    mayStop();
  });

  it("gets devices of a plug-in whatever the node has last reported of them", async () => {
    const wanted = { containers: [{ name: "main", image: "x", resources: { limits: { [WIDGET]: "1" } } }] };
    const before = await node.run(wanted);
    const failed = await node.untilPod(before, "failed", (now) => now.status.phase === "Failed");
    expect(failed.status.reason).toBe(`OutOf${WIDGET}`);
    node.plugged.add(WIDGET);
    await node.running(await node.run(wanted));
  });

  it("is taken for a label that the node has only just got", async () => {
    await node.api.client.core.v1.nodes().patch(NODE, { merge: { metadata: { labels: { new: "yes" } } } });
    await vi.waitFor(() => expect(node.node?.metadata.labels).toHaveProperty("new"));
    await node.running(await node.run({ nodeSelector: { new: "yes" } }));
  });

  it("gets other resources while it runs", async () => {
    const sized = (cpu: string) => ({
      name: "main",
      image: "example.com/app:1",
      resources: { requests: { cpu }, limits: { cpu } },
    });
    const pod = await node.run({ containers: [sized("500m")] });
    await node.running(pod);
    const resize = (cpu: string) =>
      node.api.client.core.v1
        .pods("default")
        .resize.patch(pod.metadata.name, { strategic: { spec: { containers: [sized(cpu)] } } });
    node.runtime.overrides.updateContainerResources = () => {
      throw new Error("not now");
    };
    await resize("1");
    const resizing = ({ status }: Pod) => status.conditions?.find(({ type }) => type === "PodResizeInProgress");
    const stuck = await node.untilPod(pod, "the runtime does not take it", resizing);
    expect(resizing(stuck)).toMatchObject({ status: "True", reason: "Error", message: "not now" });
    delete node.runtime.overrides.updateContainerResources;
    await node.untilPod(pod, "the runtime is told", (now) => resizing(now) === undefined);
    expect((await node.reports(pod)).at(-1)).toBe(
      'ResizeCompleted, : Pod resize completed: {"containers":[{"name":"main","resources":{"limits":{"cpu":"1"},"requests":{"cpu":"1"}}}]}',
    );
    expect(node.runtime.requests("updateContainerResources").at(-1)?.linux).toMatchObject({
      cpuShares: 1024,
      cpuQuota: 100_000,
    });
    await node.until("it is recorded", () =>
      readFileSync(join(node.root, "actuated_pods_state"), "utf8").includes('\\"1\\"'),
    );
    await resize("100");
    const pending = await node.untilPod(pod, "pending", (now) =>
      now.status.conditions?.some(({ type }) => type === "PodResizePending"),
    );
    expect(pending.status.conditions?.find(({ type }) => type === "PodResizePending")).toMatchObject({
      status: "True",
      reason: "Infeasible",
    });
    await resize("1");
    await node.untilPod(
      pod,
      "no more",
      (now) => !now.status.conditions?.some(({ type }) => type === "PodResizePending"),
    );
  });

  it("does not get less memory than it uses, for that would end it", async () => {
    const sized = (memory: string) => ({
      name: "main",
      image: "example.com/app:1",
      resources: { requests: { memory: "10Mi" }, limits: { memory } },
    });
    const pod = await node.run({ containers: [sized("64Mi")] });
    await node.running(pod);
    let used = 50 * 2 ** 20;
    node.runtime.overrides.containerStats = () => ({ stats: { memory: { usageBytes: { value: used } } } });
    const { resize } = node.api.client.core.v1.pods("default");
    await resize.patch(pod.metadata.name, { strategic: { spec: { containers: [sized("32Mi")] } } });
    const resizing = ({ status }: Pod) => status.conditions?.find(({ type }) => type === "PodResizeInProgress");
    const stuck = await node.untilPod(pod, "it is refused", (now) => resizing(now)?.reason === "Error");
    expect(resizing(stuck)?.message).toBe(
      'cannot decrease memory limits: attempting to set container "main" memory limit (33554432) below current usage (52428800)',
    );
    expect(node.runtime.requests("updateContainerResources")).toEqual([]);
    used = 2 ** 20;
    await node.untilPod(pod, "it has less", (now) => resizing(now) === undefined);
    expect(node.runtime.requests("updateContainerResources").at(-1)?.linux?.memoryLimitInBytes).toBe(32 * 2 ** 20);
  });

  it("has containers started while the runtime does not take other resources of one", async () => {
    const sized = (name: string, cpu: string) => ({
      name,
      image: "example.com/app:1",
      resources: { requests: { cpu }, limits: { cpu } },
    });
    const pod = await node.run({ containers: [sized("main", "500m"), sized("other", "500m")] });
    await node.running(pod);
    node.runtime.overrides.updateContainerResources = () => {
      throw new Error("not now");
    };
    const containers = [sized("main", "1")];
    await node.api.client.core.v1
      .pods("default")
      .resize.patch(pod.metadata.name, { strategic: { spec: { containers } } });
    await node.until("it is tried", () => node.runtime.requests("updateContainerResources").length > 0);
    node.runtime.exit(node.runtime.containersOf(pod.metadata.name, "other")[0]!.id, 1);
    await node.until("the other starts again", () => created(pod.metadata.name, "other").length === 2);
    await node.running(pod);
    // What it has is what the runtime has taken.
    const tried = node.runtime.requests("updateContainerResources").length;
    await node.until("it is tried again", () => node.runtime.requests("updateContainerResources").length > tried);
    const told = (await node.pod(pod))!;
    expect(status(told)).toMatchObject({
      resources: { requests: { cpu: "500m" }, limits: { cpu: "500m" } },
      allocatedResources: { cpu: "1" },
    });
    delete node.runtime.overrides.updateContainerResources;
    const resized = await node.untilPod(
      pod,
      "it is taken",
      (now) => !now.status.conditions?.some(({ type }) => type === "PodResizeInProgress"),
    );
    expect(status(resized)).toMatchObject({ resources: { limits: { cpu: "1" } } });
  });

  it("gets more resources as soon as another leaves room for them", async () => {
    const sized = (cpu: string) => ({ name: "main", image: "example.com/app:1", resources: { requests: { cpu } } });
    const pods = node.api.client.core.v1.pods("default");
    // Of the four that the node has.
    const other = await node.run({ containers: [sized("3800m")] });
    await node.running(other);
    const pod = await node.run({ containers: [sized("100m")] });
    await node.running(pod);
    await pods.resize.patch(pod.metadata.name, { strategic: { spec: { containers: [sized("1")] } } });
    const pending = ({ status }: Pod) => status.conditions?.find(({ type }) => type === "PodResizePending");
    const deferred = await node.untilPod(pod, "it waits", pending);
    expect(pending(deferred)).toMatchObject({ reason: "Deferred", observedGeneration: deferred.metadata.generation });
    expect(status(deferred)?.allocatedResources).toEqual({ cpu: "100m" });
    const deletedMs = node.clock.nowMs();
    await pods.delete(other.metadata.name, { gracePeriodSeconds: 0 });
    const given = await node.untilPod(pod, "it has it", (now) => pending(now) === undefined);
    // Every pod is looked at again after a minute at the latest.
    expect(node.clock.nowMs() - deletedMs).toBeLessThan(30_000);
    expect(status(given)?.allocatedResources).toEqual({ cpu: "1" });
  });

  it("has users of its own where it asks for them", async () => {
    const pod = await node.run({ hostUsers: false });
    await node.running(pod);
    const [sandbox] = [...node.runtime.sandboxes.values()];
    expect(sandbox?.config.linux?.securityContext?.namespaceOptions?.usernsOptions).toMatchObject({
      mode: "POD",
      uids: [{ hostId: 65_536, containerId: 0, length: 65_536 }],
    });
  });
});

describe("a container waits", () => {
  it("for its image, longer each time", async () => {
    node.runtime.overrides.pullImage = () => {
      throw new Error("no such image");
    };
    const pod = await node.run();
    expect(await node.waiting(pod, "ErrImagePull")).toMatchObject({ message: "no such image" });
    await node.waiting(pod, "ImagePullBackOff");
    delete node.runtime.overrides.pullImage;
    await node.running(pod);
  });

  it.each<[string, object, string]>([
    ["InvalidImageName", { image: "NOT/VALID:!" }, "couldn't parse image name"],
    ["ErrImageNeverPull", { imagePullPolicy: "Never" }, "is not present with pull policy of Never"],
    [
      "CreateContainerConfigError",
      { env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "absent", key: "k" } } }] },
      'configmap "absent" not found',
    ],
    [
      "CreateContainerError",
      { securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "absent.json" } } },
      "absent.json",
    ],
  ])("with %s", async (reason, container, message) => {
    const pod = await node.run({ containers: [{ name: "main", image: "example.com/app:1", ...container }] });
    expect((await node.waiting(pod, reason)).message).toContain(message);
    expect((await node.pod(pod))?.status.phase).toBe("Pending");
    expect(node.runtime.containersOf(pod.metadata.name, "main")).toEqual([]);
  });

  it.each([
    ["createContainer", "CreateContainerError"],
    ["startContainer", "RunContainerError"],
  ] as const)("when %s fails, with %s", async (method, reason) => {
    node.runtime.overrides[method] = () => {
      throw new Error("the runtime says no");
    };
    const pod = await node.run();
    expect(await node.waiting(pod, reason)).toMatchObject({ message: "the runtime says no" });
    expect(await node.events(pod)).toContain("Failed");
  });

  it.each([
    [
      "with an unsupported action",
      { defaultAction: "SCMP_ACT_ALLOW", syscalls: [{ names: ["open"], action: "SCMP_ACT_NOPE" }] },
    ],
    ["that notifies by default", { defaultAction: "SCMP_ACT_NOTIFY" }],
  ])("until its seccomp profile %s is mended", async (_, profile) => {
    const folder = join(node.root, "seccomp");
    mkdirSync(folder);
    writeFileSync(join(folder, "p.json"), JSON.stringify(profile));
    const pod = await node.run({
      securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "p.json" } },
    });
    await node.waiting(pod, "CreateContainerError");
    writeFileSync(join(folder, "p.json"), '{"defaultAction":"SCMP_ACT_ALLOW"}');
    await node.running(pod);
    expect(created(pod.metadata.name)[0]?.linux?.securityContext?.seccomp).toEqual({
      profileType: "Localhost",
      localhostRef: join(folder, "p.json"),
    });
  });

  it("for a volume that cannot be made, and says so", async () => {
    const pod = await node.run({
      containers: [{ name: "main", image: "example.com/app:1", volumeMounts: [{ name: "v", mountPath: "/v" }] }],
      volumes: [{ name: "v", secret: { secretName: "late" } }],
    });
    await node.until("an event", async () => (await node.events(pod)).includes("FailedMount"));
    const now = await node.pod(pod);
    expect(status(now!)).toMatchObject({ state: { waiting: { reason: "ContainerCreating" } } });
    await node.api.client.core.v1
      .secrets("default")
      .create({ metadata: { name: "late" }, data: { k: Buffer.from("v").toString("base64") } });
    await node.running(pod);
  });

  it("for the network of the node", async () => {
    const conditions = [
      { type: "RuntimeReady", status: true },
      { type: "NetworkReady", status: false },
    ];
    const { status: good } = node.runtime;
    node.runtime.status = { ...good, status: { conditions } };
    const pod = await node.run();
    await node.until("an event", async () => (await node.events(pod)).includes("NetworkNotReady"));
    expect(node.runtime.sandboxes.size).toBe(0);
    node.runtime.status = good;
    await node.running(pod);
  });
});

describe("volumes and variables", () => {
  it("show objects of the API, and follow them", async () => {
    const maps = node.api.client.core.v1.configMaps("default");
    await maps.create({ metadata: { name: "settings" }, data: { k: "v1" }, binaryData: { b: "AAE=" } });
    const container = {
      name: "main",
      image: "example.com/app:1",
      envFrom: [{ configMapRef: { name: "settings" } }],
      env: [
        { name: "K", valueFrom: { configMapKeyRef: { name: "settings", key: "k" } } },
        { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
      ],
      args: ["$(K)"],
      volumeMounts: [{ name: "m", mountPath: "/m" }],
    };
    const pod = await node.run({
      enableServiceLinks: false,
      containers: [container],
      volumes: [{ name: "m", configMap: { name: "settings" } }],
    });
    await node.running(pod);
    const [config] = created(pod.metadata.name);
    const environment = Object.fromEntries(config!.envs.map(({ key, value }) => [key, Buffer.from(value).toString()]));
    expect([environment["K"], environment["IP"], config?.args]).toEqual(["v1", "10.88.0.2", ["v1"]]);
    // What is no text is for files.
    expect([environment["k"], "b" in environment]).toEqual(["v1", false]);
    const mounts = Object.fromEntries(config!.mounts.map(({ containerPath, hostPath }) => [containerPath, hostPath]));
    expect(readFileSync(join(mounts["/m"]!, "b"))).toEqual(Buffer.from([0, 1]));
    expect(Object.keys(mounts).sort()).toEqual(["/dev/termination-log", "/etc/hosts", "/m"]);
    expect(readFileSync(mounts["/etc/hosts"]!, "utf8")).toContain(`10.88.0.2\t${pod.metadata.name}`);
    await maps.patch("settings", { merge: { data: { k: "v2" } } });
    await node.until("the file follows", () => readFileSync(join(mounts["/m"]!, "k"), "utf8") === "v2");
  });

  it("take the last message of a container", async () => {
    const pod = await node.run({ restartPolicy: "Never" });
    await node.running(pod);
    const file = created(pod.metadata.name)[0]?.mounts.find(
      ({ containerPath }) => containerPath === "/dev/termination-log",
    )?.hostPath;
    writeFileSync(file!, "out of cheese");
    node.runtime.exit(node.runtime.containersOf(pod.metadata.name, "main")[0]!.id, 1);
    const failed = await node.untilPod(pod, "failed", (now) => now.status.phase === "Failed");
    expect(status(failed)).toMatchObject({ state: { terminated: { message: "out of cheese" } } });
  });
});

describe("probes", () => {
  it("keep a container from being ready, and restart it", async () => {
    let exitCode = 1;
    node.runtime.overrides.execSync = ({ cmd }) => ({
      exitCode: cmd[0] === "alive" ? exitCode : 0,
      stdout: Buffer.from("no"),
    });
    const container = {
      name: "main",
      image: "example.com/app:1",
      livenessProbe: { exec: { command: ["alive"] }, initialDelaySeconds: 4, periodSeconds: 2, failureThreshold: 2 },
      readinessProbe: { exec: { command: ["ready"] }, initialDelaySeconds: 3, periodSeconds: 1 },
    };
    const pod = await node.run({ containers: [container] });
    const first = await node.running(pod);
    expect(status(first)).toMatchObject({ ready: false, started: true });
    await node.untilPod(pod, "ready", (now) => status(now)?.["ready"] === true);
    await node.untilPod(pod, "a restart", (now) => status(now)?.["restartCount"] === 1);
    expect(await node.events(pod)).toEqual(expect.arrayContaining(["Unhealthy", "Killing"]));
    // What is killed again and again is left alone for a while, as what ends by itself.
    expect((await node.waiting(pod, "CrashLoopBackOff")).message).toMatch(/^back-off \d+m?\d*s restarting/);
    exitCode = 0;
    await node.untilPod(pod, "it runs", (now) => status(now)?.["ready"] === true);
  });
});

describe("an agent that starts again", () => {
  it("goes on with what runs", async () => {
    const pod = await node.run();
    await node.running(pod);
    await node.stopAgent();
    const calls = node.runtime.calls.length;
    await node.startAgent();
    await node.until("it looks after the pod", () => node.runner.pods()[0]?.status.phase === "Running");
    await node.clock.advance(5_000);
    const later = new Set(node.runtime.calls.slice(calls).map(({ method }) => method));
    for (const method of ["runPodSandbox", "createContainer", "stopContainer"] as const)
      expect(later).not.toContain(method);
    expect((await node.pod(pod))?.status.phase).toBe("Running");
  });

  it("knows all that runs before it takes what is new, or gives anybody more", async () => {
    const sized = (cpu: string) => ({
      containers: [{ name: "main", image: "example.com/app:1", resources: { requests: { cpu } } }],
    });
    const pods = node.api.client.core.v1.pods("default");
    const small = await node.run(sized("500m"), { name: "b" });
    await node.running(small);
    // Of the four that the node has.
    await node.running(await node.run(sized("3"), { name: "z" }));
    await pods.resize.patch("b", { strategic: { spec: sized("2") } });
    const pending = ({ status }: Pod) => status.conditions?.find(({ type }) => type === "PodResizePending");
    await node.untilPod(small, "it waits", pending);
    await node.stopAgent();
    const late = await node.run(sized("2"), { name: "a" });
    await node.startAgent();
    await node.untilPod(late, "it is refused", (now) => now.status.reason === "OutOfcpu");
    await node.clock.advance(5_000);
    const waits = (await node.pod(small))!;
    expect(pending(waits)?.reason).toBe("Deferred");
    expect(status(waits)?.allocatedResources).toEqual({ cpu: "500m" });
  });

  it("leaves nothing running of a pod that the node does not take any more", async () => {
    const pod = await node.run({ nodeSelector: { zone: "a" } });
    await node.running(pod);
    await node.stopAgent();
    await node.api.client.core.v1.nodes().patch(NODE, { merge: { metadata: { labels: { zone: "b" } } } });
    // Without the runtime nobody knows that it runs already.
    node.runtime.hangUp();
    await node.startAgent();
    await node.untilPod(pod, "it is refused", (now) => now.status.reason === "NodeAffinity");
    await node.runtime.listen();
    await node.until("nothing runs", () => node.runtime.sandboxes.size === 0 && node.runtime.containers.size === 0);
  });

  it("neither takes back nor promises what probes of containers that run on have not said", async () => {
    const asked: string[] = [];
    let isUp = true;
    node.runtime.overrides.execSync = ({ cmd: [word = ""] }) => {
      asked.push(word);
      return { exitCode: (word === "up" && isUp) || word === "ready" ? 0 : 1 };
    };
    const probe = (word: string) => ({ exec: { command: [word] }, periodSeconds: 1 });
    const probed = (word: string) => ({
      containers: [
        { name: "main", image: "example.com/app:1", startupProbe: probe("up"), readinessProbe: probe(word) },
      ],
    });
    const pods = [await node.run(probed("ready")), await node.run(probed("unready"))];
    const ready = ({ status: { conditions } }: Pod) => conditions?.find(({ type }) => type === "Ready");
    await node.untilPod(pods[0]!, "ready", (now) => ready(now)?.status === "True");
    await node.untilPod(pods[1]!, "started", (now) => status(now)?.["started"] === true);
    const before = await Promise.all(pods.map((pod) => node.pod(pod)));
    await node.stopAgent();
    isUp = false;
    asked.length = 0;
    await node.clock.advance(5_000);
    await node.startAgent();
    await node.until("both are asked again", () => ["ready", "unready"].every((word) => asked.includes(word)));
    await node.clock.advance(5_000);
    expect(new Set(asked)).toEqual(new Set(["ready", "unready"]));
    const after = await Promise.all(pods.map((pod) => node.pod(pod)));
    expect(after.map((pod) => ready(pod!))).toEqual(before.map((pod) => ready(pod!)));
  });

  it("removes what nobody wants any more", async () => {
    const pod = await node.run();
    await node.running(pod);
    await node.stopAgent();
    await node.api.client.core.v1.pods("default").delete(pod.metadata.name, { gracePeriodSeconds: 0 });
    const logs = join(node.root, "logs");
    for (const folder of [`default_${pod.metadata.name}_${pod.metadata.uid}`, "default_gone_0123-45", "others"])
      mkdirSync(join(logs, folder, "main"), { recursive: true });
    await node.startAgent();
    await node.until("all is gone", () => node.runtime.sandboxes.size === 0 && node.runtime.containers.size === 0);
    await node.until("its files too", () => readdirSync(join(node.root, "pods")).length === 0);
    await node.until("logs of others alone are there", () => readdirSync(logs).join() === "others");
    await node.until("it is counted", async () => /^kubelet_orphan_pod_cleaned_volumes 1$/m.test(await node.metrics()));
    expect(await node.metrics()).toContain("kubelet_orphan_pod_cleaned_volumes_errors 0\n");
  });

  it("tells of what ended meanwhile", async () => {
    const pod = await node.run({ restartPolicy: "Never" });
    await node.running(pod);
    await node.stopAgent();
    node.runtime.exit(node.runtime.containersOf(pod.metadata.name, "main")[0]!.id, 0);
    await node.startAgent();
    await node.untilPod(pod, "succeeded", (now) => now.status.phase === "Succeeded");
  });
});

describe("a machine that is about to shut down", () => {
  it("ends its pods, takes no others, and says so", async () => {
    const folder = mkdtempSync(join(tmpdir(), "plinth-bus-"));
    const bus = new PlayedBus(join(folder, "bus"));
    vi.stubEnv("DBUS_SYSTEM_BUS_ADDRESS", `unix:path=${join(folder, "bus")}`);
    const ending = await RunningNode.start({ shutdownGracePeriod: "30s", shutdownGracePeriodCriticalPods: "10s" });
    try {
      const pod = await ending.run({ terminationGracePeriodSeconds: 60 });
      await ending.running(pod);
      bus.emit(true);
      const failed = await ending.untilPod(pod, "failed", (now) => now.status.phase === "Failed");
      expect(failed.status).toMatchObject({
        reason: "Terminated",
        message: "Pod was terminated in response to imminent node shutdown.",
      });
      expect(failed.status.conditions).toContainEqual(
        expect.objectContaining({ type: "DisruptionTarget", status: "True" }),
      );
      expect(ending.runtime.requests("stopContainer")).toMatchObject([{ timeout: 20 }]);
      expect(ending.runner.isShuttingDown()).toBe(true);
      // The watchdog of the init system must not end an agent that is ending its pods.
      expect(ending.runner.problem()).toBeUndefined();
      await ending.until("an event of the node", async () =>
        (await ending.api.client.core.v1.events("default").list()).items.some(
          ({ reason, message, involvedObject }) =>
            `${involvedObject.kind} ${reason} ${message}` ===
            "Node NodeShutdown Shutdown manager detected shutdown event",
        ),
      );
      const late = await ending.run();
      const refused = await ending.untilPod(late, "refused", (now) => now.status.phase === "Failed");
      expect(refused.status.reason).toBe("NodeShutdown");
      await ending.until("a record", () =>
        readFileSync(join(ending.root, "graceful_node_shutdown_state"), "utf8").includes("endTime"),
      );
      await ending.stopAgent();
      await vi.waitFor(() => expect(bus.clientCount).toBe(0));
    } finally {
      await ending.close();
      bus.close();
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("static pods", () => {
  const write = (name: string, image = "example.com/app:1") =>
    writeFileSync(
      join(node.manifests, `${name}.yaml`),
      `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n  namespace: default\nspec:\n  terminationGracePeriodSeconds: 2\n  containers:\n  - name: main\n    image: ${image}\n`,
    );
  const mirror = () => node.api.client.core.v1.pods("default").find(`web-${NODE}`);

  it("run and are mirrored, changed and removed with their file", async () => {
    write("web");
    const shown = await node.until("the mirror runs", async () => {
      const found = await mirror();
      return found?.status.phase === "Running" ? found : undefined;
    });
    expect(shown.metadata.ownerReferences).toMatchObject([{ kind: "Node", name: NODE }]);
    expect(shown.metadata.annotations).toMatchObject({ "platform.io/config.source": "file" });
    write("web", "example.com/app:2");
    await node.until("the other image runs", async () => {
      const found = await mirror();
      return found?.spec.containers?.[0]?.image === "example.com/app:2" && found.status.phase === "Running";
    });
    rmSync(join(node.manifests, "web.yaml"));
    await node.until("the mirror is gone", async () => (await mirror()) === undefined);
    await node.until("nothing runs", () => node.runtime.containers.size === 0);
  });

  it("are shown until they have ended", async () => {
    write("web");
    await node.until("the mirror runs", async () => (await mirror())?.status.phase === "Running");
    let mayEnd = () => {};
    const ending = new Promise<void>((resolve) => {
      mayEnd = resolve;
    });
    node.runtime.overrides.stopContainer = async ({ containerId }) => {
      await ending;
      node.runtime.exit(containerId, 137);
      return {};
    };
    rmSync(join(node.manifests, "web.yaml"));
    await node.until("it ends", () => node.runtime.requests("stopContainer").length > 0);
    await node.clock.advance(5_000);
    expect((await mirror())?.metadata.deletionTimestamp).toBeUndefined();
    expect(await mirror()).toBeDefined();
    mayEnd();
    await node.until("the mirror is gone", async () => (await mirror()) === undefined);
  });

  it.each([
    ["is put back", "example.com/app:1"],
    ["is replaced", "example.com/app:2"],
  ])("run again when their file %s while they end, and not before they have ended", async (_, image) => {
    write("web");
    await node.until("the mirror runs", async () => (await mirror())?.status.phase === "Running");
    let mayEnd = () => {};
    const ending = new Promise<void>((resolve) => {
      mayEnd = resolve;
    });
    node.runtime.overrides.stopContainer = async ({ containerId }) => {
      await ending;
      node.runtime.exit(containerId, 137);
      return {};
    };
    rmSync(join(node.manifests, "web.yaml"));
    await node.until("it ends", () => node.runtime.requests("stopContainer").length > 0);
    write("web", image);
    await node.clock.advance(30_000);
    expect(node.runtime.requests("createContainer")).toHaveLength(1);
    mayEnd();
    await node.until("it runs again", () => node.runtime.requests("createContainer").length === 2);
    const restarts = image.endsWith(":1") ? 1 : 0;
    expect(await node.metrics()).toContain(`kubelet_restarted_pods_total{static="true"} ${restarts}`);
  });

  it("keep the mirror that is there when the agent starts again", async () => {
    write("web");
    await node.until("the mirror runs", async () => (await mirror())?.status.phase === "Running");
    await node.stopAgent();
    let answer = (): void => undefined;
    const slow = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const ask = node.way.request.bind(node.way);
    const asked = vi.spyOn(node.way, "request").mockImplementation(async (request) => {
      if (request.method === "GET" && request.path.startsWith("/api/v1/pods")) await slow;
      return await ask(request);
    });
    await node.startAgent();
    await node.until("it is looked after", () => node.runner.pods()[0]?.status.phase === "Running");
    await node.clock.advance(2_000);
    answer();
    await node.clock.advance(2_000);
    expect(asked.mock.calls.filter(([{ method, path }]) => method === "POST" && path.endsWith("/pods"))).toEqual([]);
  });

  it("have their mirror made again when somebody deletes it, and run on", async () => {
    write("web");
    const before = await node.until("the mirror runs", async () => {
      const found = await mirror();
      return found?.status.phase === "Running" ? found : undefined;
    });
    await node.api.client.core.v1.pods("default").delete(before.metadata.name);
    await node.until("another mirror runs", async () => {
      const found = await mirror();
      return found !== undefined && found.metadata.uid !== before.metadata.uid && found.status.phase === "Running";
    });
    expect(node.runtime.requests("createContainer")).toHaveLength(1);
  });
});
