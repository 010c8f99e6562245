import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Clock, FakeClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { podWith } from "../pods/runtime-pod.testing.ts";
import { PodTopology } from "../topology/pod-topology.ts";
import { CpuManager } from "./cpu-manager.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-cpus-"));
  file = join(folder, "cpu_manager_state");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const STATIC = {
  cpuManagerPolicy: "static",
  cpuManagerPolicyOptions: {},
  reservedSystemCPUs: "0",
  systemReserved: {},
  kubeReserved: {},
} as const;

/** Eight processors in four cores. */
function manager(
  more: Partial<ConstructorParameters<typeof CpuManager>[0]["config"]> = {},
  clock: Clock = new FakeClock(0),
) {
  return new CpuManager({
    file,
    config: { ...STATIC, ...more },
    topology: async () =>
      Array.from({ length: 8 }, (_, id) => ({ id, core: id % 4, socket: 0, numaNode: 0, uncoreCache: 0 })),
    clock,
    log: silentLog,
  });
}

async function started(more: Parameters<typeof manager>[0] = {}) {
  const cpus = manager(more);
  await cpus.start();
  const topology = new PodTopology({
    config: { topologyManagerPolicy: "none", topologyManagerScope: "container", topologyManagerPolicyOptions: {} },
    numa: async () => ({ nodes: [0], distance: () => 10 }),
    resources: [cpus],
    onDecision: () => undefined,
  });
  return Object.assign(cpus, { admit: (each: Pod) => topology.admit(each) });
}

const container = (name: string, cpu: string, more: object = {}) => {
  const amounts = { cpu, memory: "1Gi" };
  return { name, resources: { requests: amounts, limits: amounts }, ...more };
};
const pod = (uid: string, spec: object) => podWith(spec, { uid });
const whole = (uid: string, cpu = "2") => pod(uid, { containers: [container("main", cpu)] });

describe("with the policy none", () => {
  it("an agent starts on a disk that takes no file, and writes it when it does", async () => {
    file = join(folder, "full", "cpu_manager_state");
    const clock = new FakeClock(0);
    const cpus = manager({ cpuManagerPolicy: "none" }, clock);
    await cpus.start();
    mkdirSync(join(folder, "full"));
    await clock.advance(1_000);
    await cpus.stop();
    expect(readFileSync(file, "utf8")).toContain("none");
  });

  it("the kernel decides, and the file says so", async () => {
    const cpus = await started({ cpuManagerPolicy: "none" });
    cpus.admit(whole("a"));
    expect(cpus.cpusOf("a", "main")).toBe("");
    expect(readFileSync(file, "utf8")).toBe('{"policyName":"none","defaultCpuSet":"","checksum":1353318690}');
  });
});

describe("with the policy static", () => {
  it("a container that asks for whole processors in a Guaranteed pod has them for itself", async () => {
    const cpus = await started();
    expect(cpus.allocatable()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    cpus.admit(whole("a"));
    expect([cpus.cpusOf("a", "main"), cpus.cpusOf("b", "main")]).toEqual(["1,5", "0,2-4,6-7"]);
    expect(cpus.exclusiveOf("b", "main")).toEqual([]);
    cpus.release("a");
    expect(cpus.cpusOf("b", "main")).toBe("0-7");
  });

  it.each([
    ["parts of processors", whole("a", "1500m")],
    ["less than they may use", pod("a", { containers: [{ name: "main", resources: { requests: { cpu: "2" } } }] })],
  ])("containers that ask for %s share", async (_, shared) => {
    const cpus = await started();
    cpus.admit(shared);
    expect(cpus.cpusOf("a", "main")).toBe("0-7");
  });

  it("a pod gets none when there are not enough", async () => {
    const cpus = await started();
    cpus.admit(whole("a", "4"));
    const two = pod("b", { containers: [container("one", "2"), container("two", "2")] });
    expect(() => cpus.admit(two)).toThrow(
      "Allocate failed due to not enough cpus available to satisfy request: requested=2, available=1, which is unexpected",
    );
    expect(cpus.exclusiveOf("b", "one")).toEqual([]);
    cpus.admit(whole("c", "3"));
  });

  it("containers use again what those of the start had, but not what sidecars have", async () => {
    const cpus = await started();
    const initContainers = [container("setup", "2"), container("side", "1", { restartPolicy: "Always" })];
    cpus.admit(pod("a", { initContainers, containers: [container("main", "2")] }));
    const [setup, side, main] = ["setup", "side", "main"].map((name) => cpus.exclusiveOf("a", name));
    expect(side!.some((cpu) => main!.includes(cpu))).toBe(false);
    expect(setup!.some((cpu) => main!.includes(cpu))).toBe(true);
  });

  it("reserves as many as amounts say", async () => {
    const cpus = await started({
      reservedSystemCPUs: undefined,
      systemReserved: { cpu: "500m" },
      kubeReserved: { cpu: "1" },
    });
    expect(cpus.allocatable()).toHaveLength(6);
  });

  it("gives whole cores alone where that is asked for", async () => {
    const cpus = await started({ cpuManagerPolicyOptions: { "full-pcpus-only": "true" } });
    expect(() => cpus.admit(whole("a", "3"))).toThrow(
      "SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2",
    );
  });

  it("keeps the system's own from everybody where that is asked for", async () => {
    const cpus = await started({ cpuManagerPolicyOptions: { "strict-cpu-reservation": "true" } });
    expect(cpus.cpusOf("a", "main")).toBe("1-7");
  });

  it("an agent that starts again knows who has what", async () => {
    const before = await started();
    before.admit(whole("a"));
    await before.stop();
    const cpus = await started();
    expect(cpus.cpusOf("a", "main")).toBe("1,5");
    cpus.admit(whole("a"));
    expect(cpus.cpusOf("a", "main")).toBe("1,5");
  });
});

describe("an agent does not start", () => {
  it.each([
    ["with a file that was cut short", '{"policyName":"static","def', {}, "is corrupted, please drain this node"],
    [
      "with a file of another policy",
      '{"policyName":"none","defaultCpuSet":"","checksum":1353318690}',
      {},
      'configured policy "static" differs from state checkpoint policy "none"',
    ],
    [
      "with a file of another machine",
      '{"policyName":"static","defaultCpuSet":"0-63","checksum":1058907510}',
      {},
      'current set of available CPUs "0-7" doesn\'t match with CPUs in state "0-63"',
    ],
    [
      "without processors for the system",
      "",
      { reservedSystemCPUs: undefined },
      "static needs processors for the system",
    ],
  ])("%s", async (_, text, more, message) => {
    writeFileSync(file, text);
    await expect(manager(more).start()).rejects.toThrow(message);
  });
});
